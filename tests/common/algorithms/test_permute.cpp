#include "on_each_backend.hpp"
#include <copse/algorithms/permute.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>
#include <random>

namespace copse::test {
namespace {

TEST_CASE("One permutation moves every existing column") {
  const Count n = 1000;
  auto host = allocate_particles<Kokkos::HostSpace>(n, {true, true, true, true, true});
  for (Count i = 0; i < n; ++i) {
    for (int a = 0; a < 3; ++a) {
      host.position(i, a) = static_cast<Real>(i + 10000 * a);
      host.velocity(i, a) = -host.position(i, a);
    }
    host.mass(i) = static_cast<Real>(2 * i);
    host.id(i) = (GlobalId{1} << 40) + i;
    host.weight(i) = static_cast<Real>(3 * i + 1);
    host.species(i) = static_cast<Species>(i % 3);
  }
  std::vector<LocalIndex> order(n);
  std::iota(order.begin(), order.end(), LocalIndex{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(5));

  for_each_backend([&]<class Space>(Space space) {
    auto particles = copy_particles<typename Space::memory_space>(host);
    permute_particles(space, particles, to_backend<Space>(order));
    const auto moved = copy_particles<Kokkos::HostSpace>(particles);
    int wrong = 0;
    for (Count i = 0; i < n; ++i) {
      const LocalIndex from = order[i];
      for (int a = 0; a < 3; ++a)
        wrong += moved.position(i, a) != static_cast<Real>(from + 10000 * a) ||
                 moved.velocity(i, a) != -static_cast<Real>(from + 10000 * a);
      wrong += moved.mass(i) != static_cast<Real>(2 * from) ||
               moved.id(i) != (GlobalId{1} << 40) + from ||
               moved.weight(i) != static_cast<Real>(3 * from + 1) ||
               moved.species(i) != static_cast<Species>(from % 3);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("Permuting an empty table keeps it empty") {
  for_each_backend([]<class Space>(Space space) {
    Particles<typename Space::memory_space> none;
    permute_particles(space, none, to_backend<Space>(std::vector<LocalIndex>{}));
    CHECK(none.size() == 0);
  });
}

}  // namespace
}  // namespace copse::test
