// Run with 1 to 4 ranks. Oracle: the reference of collide over all particles, on every rank; and
// positions and contacts placed by hand.
#include "several_ranks.hpp"

#include <cmath>
#include <random>
#include <set>

using namespace copse;
using namespace copse::collide;
using namespace copse::collide::test;

TEST_CASE(
    "Any number of ranks finds the contacts of every step and gives the bits of the reference",
    "[collide]") {
  const World ranks_of_test;
  for (const bool periodic : {false, true}) {
    compare_gas<2>(request_of(2, "cs267", periodic, 1.0, 2.0), 300, 7);
    compare_gas<2>(request_of(2, "cs267", periodic, 4.0, 0.1), 200, 7);
    compare_gas<3>(request_of(3, "soft-sphere", periodic, 1.0, 1.0), 300, 7);
    compare_gas<3>(request_of(3, "soft-sphere", periodic, 2.0, 0.3), 200, 7);
  }
  compare_gas<3>(request_of(3, "lennard-jones", true, 1.0, 0.8), 300, 4);
  // Slow particles: ghosts stay the same for several steps, and so do cells and lists.
  for (const bool periodic : {false, true}) {
    Request request = request_of(2, "cs267", periodic, 1.0, 2.0);
    request.dt = 1e-4;
    compare_gas<2>(request, 300, 12);
    request = request_of(3, "soft-sphere", periodic, 2.0, 0.3);
    request.dt = 1e-4;
    compare_gas<3>(request, 200, 12);
  }
}

TEST_CASE("Particles that jump over several domains in a step give the bits of the reference",
          "[collide]") {
  const World ranks_of_test;
  for (const bool periodic : {false, true}) {
    Request request = request_of(2, "soft-sphere", periodic, 1.0, 1.0);
    request.temperature = 1.0;
    request.dt = 0.05;  // speeds of 10 in a region of side 0.17
    compare_gas<2>(request, 300, 7);
  }
}

TEST_CASE(
    "Fewer particles than ranks, and domains thinner than the reach, give the bits of the "
    "reference",
    "[collide]") {
  const World ranks_of_test;
  for (const Count particles : {1, 2, 3, 5}) {
    compare_gas<2>(request_of(2, "cs267", false, 1.0, 2.0), particles, 9);
    compare_gas<3>(request_of(3, "soft-sphere", false, 1.0, 2.0), particles, 9);
  }
  // The region is 2.2 reaches wide, a domain of four ranks 1.1 or 0.55.
  compare_gas<2>(request_of(2, "cs267", true, 1.0, 2.0), 10, 9);
}

TEST_CASE("Particles that are all in one place or in one corner give the bits of the reference",
          "[collide]") {
  const World ranks_of_test;
  Request request = request_of(2, "cs267", false, 1.0, 0.2);
  Start<2> start = gas_of<2>(request, 60);
  for (const double width : {0.0, 0.01}) {
    for (Count i = 0; i < start.state.rows(); ++i)
      for (int a = 0; a < 2; ++a)
        start.state.position(i, a) =
            0.25 * start.region.side[a] +
            width * static_cast<double>((i * (a == 0 ? 1 : 7)) % 60) / 60.0;
    compare_all<2>(request, start, 5);
  }
}

TEST_CASE("Half kicks over ranks give the bits of one rank", "[collide]") {
  const World ranks_of_test;
  Request request = request_of(2, "soft-sphere", true, 1.0, 1.0);
  const Start<2> start = gas_of<2>(request, 300);
  const Kokkos::DefaultHostExecutionSpace space;
  auto method = method_over_ranks(space, "cells", request, start);
  method.load(my_share(space, start));
  const auto alone = make_method<2>("cells", space, request.physics(start.region), request);
  alone->load(copy_state<Kokkos::HostSpace>(start.state));
  for (int step = 0; step < 3; ++step) {
    for (const double time : {-0.1, 0.2}) {
      method.kick(time);
      alone->kick(time);
    }
    method.advance(1);
    alone->advance(1);
  }
  const auto found = gather_by_id(world(), method.state());
  if (world().rank() == 0) CHECK(equal_bits(found, by_id(alone->state())));
}

TEST_CASE(
    "Every position has one owner, and particles in contact are ghosts of each other's owners",
    "[collide]") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (const bool periodic : {false, true})
    for (const int ranks : {1, 2, 5, 6, 12}) {
      CAPTURE(periodic, ranks);
      const Region<2> region{{0.3, 0.1}, periodic};
      const auto domains = grid_domains(region, ranks);
      REQUIRE(domains.boxes.size() == static_cast<std::size_t>(ranks));
      const Owner<2, Kokkos::HostSpace> owner{
          Kokkos::View<const DomainCut*, Kokkos::LayoutLeft, Kokkos::HostSpace>(
              domains.cuts.data(), domains.cuts.size())};
      const double reach = 0.02;
      const WithinReach<2> needs(region, reach);
      std::vector<Vector<2>> points;
      std::set<int> owners;
      for (int i = 0; i < 400; ++i)
        points.push_back({0.3 * uniform(random), 0.1 * uniform(random)});
      points.push_back({0.0, 0.0});
      points.push_back({0.3, 0.1});
      const auto point_box = [](const Vector<2>& x) {
        BoxBound<3> box{};
        for (int a = 0; a < 2; ++a) box.lower[a] = box.upper[a] = static_cast<Real>(x[a]);
        return box;
      };
      for (const auto& x : points) {
        const int home = owner(x);
        REQUIRE(home >= 0);
        REQUIRE(home < ranks);
        owners.insert(home);
        const auto& box = domains.boxes[static_cast<std::size_t>(home)];
        for (int a = 0; a < 2; ++a) {
          CHECK(static_cast<Real>(x[a]) >= box.lower[a]);
          CHECK(static_cast<Real>(x[a]) <= box.upper[a]);
        }
        for (const auto& y : points) {
          double r2 = 0.0;
          for (int a = 0; a < 2; ++a) r2 += std::pow(region.displacement(x[a], y[a], a), 2);
          if (r2 <= reach * reach) CHECK(needs(box, point_box(y)));
        }
      }
      CHECK(owners.size() == static_cast<std::size_t>(ranks));
    }
}

TEST_CASE("A process grid has factors near the root", "[collide]") {
  const auto same = [](auto grid, std::initializer_list<int> wanted) {
    return std::equal(wanted.begin(), wanted.end(), grid.data());
  };
  CHECK(same(process_grid<2>(1), {1, 1}));
  CHECK(same(process_grid<2>(6), {2, 3}));
  CHECK(same(process_grid<2>(7), {1, 7}));
  CHECK(same(process_grid<2>(24), {4, 6}));
  CHECK(same(process_grid<3>(12), {2, 2, 3}));
  CHECK(same(process_grid<3>(64), {4, 4, 4}));
}

TEST_CASE(
    "ORB domains hold equal numbers of clustered particles, and again after they moved if they "
    "are cut again",
    "[collide]") {
  const World ranks_of_test;
  if (world().size() == 1) SKIP("one rank has nothing to balance");
  Request request = request_of(2, "cs267", false, 1.0, 0.2);
  Start<2> start = gas_of<2>(request, 1000);
  for (Count i = 0; i < start.state.rows(); ++i)
    for (int a = 0; a < 2; ++a) {
      start.state.position(i, a) *= 0.2;  // a corner, from which all fly away
      start.state.velocity(i, a) = 400.0 * start.state.position(i, a) * (a == 0 ? 1.0 : 0.1);
    }
  const auto imbalance = [&](const char* domains, Count rebalance) {
    request.domains = domains;
    request.rebalance = rebalance;
    const Kokkos::DefaultHostExecutionSpace space;
    auto method = method_over_ranks(space, "cells", request, start);
    method.load(my_share(space, start));
    const auto most = [&](Count particles) {
      return static_cast<double>(world().allreduce(particles, Reduction::max)) * world().size() /
             1000.0;
    };
    const double before = most(method.cost().first_particles);
    method.advance(20);
    return std::pair(before, most(method.cost().last_particles));
  };
  const auto grid = imbalance("grid", 0), once = imbalance("orb", 0), often = imbalance("orb", 5);
  CAPTURE(grid.first, grid.second, once.first, once.second, often.first, often.second);
  CHECK(grid.first > 1.8);
  CHECK(once.first < 1.05);
  CHECK(often.first < 1.05);
  CHECK(once.second > 1.2);
  CHECK(often.second < 1.05);
}
