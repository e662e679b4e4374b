#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/weighted_orb.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <miniapps/orb/orb_inputs.hpp>
#include <miniapps/orb/reference_weighted_orb.hpp>

namespace copse::test {
namespace {

IntegerWeights<Kokkos::HostSpace> host_weights(const std::vector<std::uint32_t>& weights) {
  IntegerWeights<Kokkos::HostSpace> view("copse::test::weights", weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) view(i) = weights[i];
  return view;
}

/// Number of cells and particles that differ from an expected tree.
template <class Space>
int differences(const Space& space, const HostParticles& particles,
                const std::vector<std::uint32_t>& weights, std::uint32_t leaves, LeafRule rule,
                const ReferenceOrb& expected) {
  using Memory = typename Space::memory_space;
  auto points = copy_particles<Memory>(particles).position;
  const auto on_device = Kokkos::create_mirror_view_and_copy(Memory{}, host_weights(weights));
  WeightedOrbBuilder<Space> builder(space);
  typename WeightedOrbBuilder<Space>::Permutation permutation;
  const auto tree = builder.build(points, permutation, on_device,
                                  {.leaves = leaves, .rule = rule, .box = particles.box});
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree.cells);
  const auto order = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, permutation);
  int differing = 0;
  for (std::size_t i = 1; i < found.extent(0); ++i) {
    const OrbCell &a = found(i), &b = expected.tree.cells(i);
    differing += a.begin != b.begin || a.end != b.end || a.leaves != b.leaves || a.cut != b.cut ||
                 a.cut_axis != b.cut_axis;
  }
  for (Count i = 0; i < order.extent(0); ++i) differing += order(i) != expected.permutation(i);
  return differing;
}

std::vector<std::uint32_t> some_weights(const std::string& kind, Count n) {
  std::mt19937 bits(7);
  std::vector<std::uint32_t> weights(n);
  for (auto& w : weights) {
    if (kind == "small") w = 1 + bits() % 5;
    if (kind == "huge") w = bits() | 1u;
    if (kind == "one giant") w = 1;
  }
  if (kind == "one giant" && n > 0) weights[n / 2] = ~std::uint32_t{0};
  return weights;
}

TEST_CASE("Cuts by weight equal those from summing weights in key order, bit by bit") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& name : input_names())
      for (const char* kind : {"small", "huge", "one giant"})
        for (Count n : {1, 2, 100, 2000})
          for (std::uint32_t leaves : {2u, 13u, 64u})
            for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
              INFO(backend_name<Space>() << ", " << name << ", " << kind << " weights, n = " << n
                                         << ", " << leaves << ", rule " << static_cast<int>(rule));
              const auto particles = named_input(name, n);
              const auto weights = some_weights(kind, n);
              CHECK(differences(space, particles, weights, leaves, rule,
                                reference_weighted_orb(particles.position, weights, particles.box,
                                                       leaves, rule)) == 0);
            }
  });
}

TEST_CASE("Unit weights give the tree without weights, including ties") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& name : input_names())
      for (Count n : {0, 1, 3, 50, 5000})
        for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
          INFO(backend_name<Space>() << ", " << name << ", n = " << n);
          const auto particles = named_input(name, n);
          CHECK(differences(space, particles, std::vector<std::uint32_t>(n, 1), 13, rule,
                            reference_orb(particles.position, particles.box, 13, rule)) == 0);
        }
  });
}

TEST_CASE("Equation 6 on ten unit weights and two leaves sends five left, not four") {
  const auto particles = particles_from(10, unit_box<3>(), [](Count i) {
    return std::array{static_cast<Real>(i) / 10, Real(0), Real(0)};
  });
  WeightedOrbBuilder<Kokkos::Serial> builder;
  auto points = copy_particles<Kokkos::HostSpace>(particles).position;
  WeightedOrbBuilder<Kokkos::Serial>::Permutation permutation;
  const auto weights = host_weights(std::vector<std::uint32_t>(10, 1));
  const auto tree = builder.build(points, permutation, weights, {.leaves = 2});
  CHECK(tree.cells(2).end == 5);
}

RealWeights<Kokkos::HostSpace> real_weights(const std::vector<double>& values) {
  RealWeights<Kokkos::HostSpace> view("copse::test::weights", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) view(i) = static_cast<Real>(values[i]);
  return view;
}

std::vector<std::uint32_t> made_integers(const std::vector<double>& values, Count particles) {
  const Kokkos::Serial space;
  const auto weights = real_weights(values);
  const auto integers = integer_weights(space, weights, weight_range(space, weights), particles);
  return std::vector<std::uint32_t>(integers.data(), integers.data() + integers.extent(0));
}

TEST_CASE("Whole weights stay as they are, others become units of the largest") {
  CHECK(made_integers({1, 1, 1}, 3) == std::vector<std::uint32_t>{1, 1, 1});
  CHECK(made_integers({3, 1, 70000}, 3) == std::vector<std::uint32_t>{3, 1, 70000});
  const auto scaled = made_integers({0.5, 0.25, 0, 1e-30}, 4);
  CHECK(scaled[0] == ~std::uint32_t{0});
  CHECK(scaled[1] == ~std::uint32_t{0} / 2);
  CHECK(scaled[2] == 1);
  CHECK(scaled[3] == 1);
  // One weight of 0 among whole numbers: all weights are scaled, so that one unit is negligible.
  CHECK(made_integers({0, 2}, 2) == std::vector<std::uint32_t>{1, ~std::uint32_t{0}});
}

TEST_CASE("The sum of the largest integers fits 64 bits for any number of particles") {
  for (int log2 = 0; log2 <= 48; ++log2)
    for (Count n : {Count{1} << log2, (Count{1} << log2) + 1}) {
      const double most = std::ldexp(1.0, weight_bits(n)) - 1;
      CHECK(most * static_cast<double>(n) < std::ldexp(1.0, 63));
      CHECK(weight_bits(n) <= 32);
    }
}

TEST_CASE("Weights that are negative, infinite, NaN or all 0 are refused") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double bad : {-1.0, infinity, nan})
    CHECK_THROWS_AS(made_integers({1.0, bad}, 2), InputError);
  CHECK_THROWS_AS(made_integers({0.0, 0.0}, 2), InputError);
  CHECK(made_integers({}, 0).empty());
}

}  // namespace
}  // namespace copse::test
