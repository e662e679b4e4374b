// Run with 1 to 5 ranks. Oracle: the reference labels of all particles and their counts, computed
// on every rank.
#include "link_cases.hpp"

#include <fof/distributed/distributed_linker.hpp>
#include <fof/distributed/whole_groups.hpp>
#include <map>

namespace copse::fof::test {
namespace {

constexpr double no_link = std::numeric_limits<double>::infinity();

/// Clumps of about ten particles each, in random order.
Sample clumps(std::size_t n) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> anywhere(0.0, 1.0), near(-0.01, 0.01);
  Sample sample;
  sample.box = unit_box<3>(true);
  for (std::size_t i = 0; i < n; ++i) {
    Row x{};
    for (int a = 0; a < 3; ++a) {
      const double here = i < n / 10
                              ? anywhere(random)
                              : static_cast<double>(sample.x[i % (n / 10)][a]) + near(random);
      x[a] = static_cast<Real>(here - std::floor(here));
    }
    sample.x.push_back(x);
  }
  std::shuffle(sample.x.begin(), sample.x.end(), random);
  return sample;
}

/// A mass that identifies the particle.
Real mass_of(Count row) {
  return static_cast<Real>(row) + Real(0.5);
}

template <class Space>
void check_groups(const Communicator& comm, const Space& space, const Sample& sample,
                  Count min_members) {
  using Memory = typename Space::memory_space;
  const auto all = problem_of(sample, {.length = 0.012, .velocity = no_link});
  const auto expected = reference_labels(all, sample.box);
  std::map<GlobalId, Count> sizes;
  for (const LocalIndex label : expected) ++sizes[label];

  const Count n = all.size(), p = static_cast<Count>(comm.size());
  const Count first = n * static_cast<Count>(comm.rank()) / p;
  const Count mine = n * static_cast<Count>(comm.rank() + 1) / p - first;
  auto host = allocate_particles<Kokkos::HostSpace>(mine, {.mass = true});
  for (Count i = 0; i < mine; ++i) {
    host.mass(i) = mass_of(first + i);
    for (int a = 0; a < 3; ++a) host.position(i, a) = all.position(first + i, a);
  }
  const auto particles = copy_particles<Memory>(host);
  DistributedLinker<Space> linker(comm, space);
  LeafPairsLinker<Space> local(space);
  linker.link({particles.position, {}, all.friendship}, sample.box,
              [&](const auto& problem, const auto& found) { local.link(problem, {}, found); });
  const GroupSizes<Memory> members = linker.members();
  const GlobalLabels<Memory> labels = linker.labels();
  const auto counted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, members);
  int wrong = 0;
  for (Count i = 0; i < mine; ++i) wrong += counted(i) != sizes[expected[first + i]];
  CHECK(comm.allreduce(wrong, Reduction::sum) == 0);

  const auto groups = gather_whole_groups(space, comm, particles, labels, members, min_members);
  const auto off = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  };
  const auto row = off(groups.row);
  const auto found = off(groups.labels);
  const auto mass = off(groups.particles.mass);
  const auto position = off(groups.particles.position);
  const Count here = row.extent(0);
  REQUIRE(position.extent(0) == here);
  REQUIRE(found.extent(0) == here);
  std::map<GlobalId, Count> got;
  for (Count i = 0; i < here; ++i) {
    const GlobalId label = expected[row(i)];
    ++got[label];
    wrong += row(found(i)) != label || group_owner(label, comm.size()) != comm.rank();
    wrong += mass(i) != mass_of(row(i)) || (i > 0 && row(i) <= row(i - 1));
    for (int a = 0; a < 3; ++a) wrong += position(i, a) != all.position(row(i), a);
  }
  for (const auto& [label, size] : sizes)
    if (group_owner(label, comm.size()) == comm.rank())
      wrong += got[label] != (size >= min_members ? size : 0);
  CHECK(comm.allreduce(wrong, Reduction::sum) == 0);
}

TEST_CASE("Every group of enough members is whole on its owner, with all columns") {
  const Communicator comm;
  const Sample sample = clumps(1500);
  for (const Count min_members : {1, 2, 8, 20, 5000})
    for_each_backend([&]<class Space>(Space space) {
      INFO(backend_name<Space>() << ", groups of " << min_members);
      check_groups(comm, space, sample, min_members);
    });
}

TEST_CASE("Groups that cross ranks are counted over all of them") {
  const Communicator comm;
  Sample chain;
  for (int i = 0; i < 500; ++i) chain.x.push_back({static_cast<Real>(i) / 100, 0, 0});
  chain.box.upper[0] = 5;
  check_groups(comm, Kokkos::DefaultExecutionSpace{}, chain, 500);
}

TEST_CASE("Groups are shared about evenly between owners, whatever their labels") {
  std::vector<int> owned(7, 0);
  for (GlobalId label = 0; label < 7000; ++label) ++owned[group_owner(label, 7)];
  CHECK(*std::min_element(owned.begin(), owned.end()) > 800);
  CHECK(*std::max_element(owned.begin(), owned.end()) < 1200);
}

}  // namespace
}  // namespace copse::fof::test
