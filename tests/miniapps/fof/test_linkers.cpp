#include "link_cases.hpp"

namespace copse::fof::test {
namespace {

constexpr double no_link = std::numeric_limits<double>::infinity();

TEST_CASE("Every method finds the groups that all pairs make") {
  for (const bool periodic : {false, true})
    for (const bool velocities : {false, true})
      for (const std::size_t n : {2, 3, 16, 17, 33, 500, 1500})
        for (const double b : {0.003, 0.02, 0.1}) {
          INFO("periodic " << periodic << ", velocities " << velocities << ", n " << n << ", b "
                           << b);
          const Sample sample = clustered(n, static_cast<unsigned>(n), periodic, velocities);
          check_sample(sample, {.length = b, .velocity = 1.5});
        }
}

TEST_CASE("Groups may cross every face, edge and corner of a periodic box") {
  Sample sample;
  sample.box = unit_box<3>(true);
  for (int corner = 0; corner < 8; ++corner) {
    Row x{};
    for (int a = 0; a < 3; ++a) x[a] = (corner >> a) & 1 ? Real(0.995) : Real(0.005);
    sample.x.push_back(x);
  }
  const auto problem = problem_of(sample, {.length = 0.02, .velocity = no_link});
  check_labels(problem, std::vector<LocalIndex>(8, 0));
  Sample open = sample;
  open.box = unit_box<3>();
  check_sample(open, {.length = 0.02, .velocity = no_link});
  CHECK(all_pairs_labels(open, {.length = 0.02, .velocity = no_link})[7] == 7);
}

TEST_CASE("Particles on the faces of a periodic box meet those on the opposite ones") {
  Sample sample;
  sample.box = unit_box<3>(true);
  for (const Real x : {Real(0), Real(1)})
    for (const Real y : {Real(0), Real(0.5), Real(1)})
      for (const Real z : {Real(0), Real(0.25), Real(1)}) sample.x.push_back({x, y, z});
  // The box is a whole number of linking lengths long: the grid must not get a cell beyond the
  // last.
  for (const double b : {0.25, 0.125, 0.0625, 0.3})
    check_sample(sample, {.length = b, .velocity = no_link});
}

TEST_CASE("A lattice of exactly the linking length is linked only inclusively") {
  Sample sample;
  sample.box = unit_box<3>(true);
  for (int i = 0; i < 512; ++i)
    sample.x.push_back({static_cast<Real>(i % 8) / 8, static_cast<Real>(i / 8 % 8) / 8,
                        static_cast<Real>(i / 64) / 8});
  std::vector<LocalIndex> alone(512);
  for (LocalIndex i = 0; i < 512; ++i) alone[i] = i;
  check_labels(problem_of(sample, {.length = 0.125, .velocity = no_link}), alone);
  check_labels(problem_of(sample, {.length = 0.125, .velocity = no_link, .inclusive = true}),
               std::vector<LocalIndex>(512, 0));
}

TEST_CASE("Coincident particles are friends") {
  Sample sample;
  for (int i = 0; i < 300; ++i)
    sample.x.push_back(i % 3 == 0 ? Row{Real(0.5), Real(0.5), Real(0.5)}
                                  : Row{static_cast<Real>(i % 7) / 7, Real(0.125), Real(0.25)});
  check_sample(sample, {.length = 1e-6, .velocity = no_link});
}

TEST_CASE("One particle, and particles all in one place, are one group") {
  Sample one;
  one.x.push_back({Real(0.3), Real(0.4), Real(0.5)});
  check_sample(one, {.length = 0.1, .velocity = no_link});
  Sample heap;
  heap.x.assign(2000, Row{Real(0.3), Real(0.4), Real(0.5)});
  check_labels(problem_of(heap, {.length = 0.1, .velocity = no_link}),
               std::vector<LocalIndex>(2000, 0));
  heap.v.assign(2000, Row{1, 2, 3});
  check_labels(problem_of(heap, {.length = 0.1, .velocity = 1.0}),
               std::vector<LocalIndex>(2000, 0));
}

TEST_CASE("No particles make no groups") {
  check_labels(problem_of(Sample{}, {.length = 0.1, .velocity = no_link}), {});
}

TEST_CASE("A chain across the whole box is one group") {
  Sample sample;
  for (int i = 0; i < 1000; ++i) sample.x.push_back({static_cast<Real>(i) / 1000, 0, 0});
  std::shuffle(sample.x.begin(), sample.x.end(), std::mt19937(1));
  check_labels(problem_of(sample, {.length = 0.0011, .velocity = no_link}),
               std::vector<LocalIndex>(1000, 0));
}

TEST_CASE("Velocities separate particles that positions join") {
  // Two streams through one position: all are friends in 3-D, only each stream in 6-D.
  Sample sample;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> near(0.49, 0.51);
  for (int i = 0; i < 400; ++i) {
    sample.x.push_back({static_cast<Real>(near(random)), static_cast<Real>(near(random)),
                        static_cast<Real>(near(random))});
    sample.v.push_back({static_cast<Real>(i % 2 == 0 ? -100 : 100), 0, 0});
  }
  std::vector<LocalIndex> streams(400);
  for (LocalIndex i = 0; i < 400; ++i) streams[i] = i % 2;
  check_labels(problem_of(sample, {.length = 0.05, .velocity = 10.0}), streams);
}

TEST_CASE("An infinite velocity link gives the groups of positions alone") {
  const Sample sample = clustered(800, 5, true, true);
  Sample positions = sample;
  positions.v.clear();
  auto problem = problem_of(sample, {.length = 0.02, .velocity = 1.0});
  problem.friendship.velocity_factor = 0;
  check_labels(problem, all_pairs_labels(positions, {.length = 0.02, .velocity = no_link}));
}

TEST_CASE("Leaf sizes and depths do not change the groups") {
  const Sample sample = clustered(1200, 9, true, false);
  const LinkingLengths links{.length = 0.02, .velocity = no_link};
  const auto expected = all_pairs_labels(sample, links);
  for (const LinkOptions& options :
       {LinkOptions{1, 0}, LinkOptions{5, 0}, LinkOptions{16, 0}, LinkOptions{0, 3}})
    check_labels(problem_of(sample, links), expected, options);
}

}  // namespace
}  // namespace copse::fof::test
