// Run with 1 to 4 ranks. Oracle: the reference of collide over all particles, on every rank; and
// positions and contacts placed by hand.
#include "collide/distributed/gather.hpp"
#include "collide/distributed/over_ranks.hpp"
#include "collide/reference.hpp"
#include "collide/start.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

using namespace copse;
using namespace copse::collide;

namespace {

/// The ranks of a test case.
class World {
 public:
  World() { current = &comm_; }
  ~World() { current = nullptr; }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  static inline const Communicator* current = nullptr;

 private:
  Communicator comm_;
};

const Communicator& world() {
  return *World::current;
}

Request request_of(int dimensions, const std::string& force, bool periodic, double spread,
                   double density) {
  Request request;
  request.dimensions = dimensions;
  request.force_name = force;
  request.periodic = periodic;
  request.radius_spread = spread;
  request.density = density;
  return request;
}

template <int D>
Start<D> gas_of(Request& request, Count particles) {
  app::CommonOptions common;
  common.particles = particles;
  common.generate = "gas";
  common.backend = "serial";
  request.settle(common);
  Start<D> start = gas_start<D>(request, particles, 7);
  add_sizes(request, 7, start.state);
  return start;
}

template <int D>
bool equal_bits(const State<D, Kokkos::HostSpace>& a, const State<D, Kokkos::HostSpace>& b) {
  if (a.rows() != b.rows()) return false;
  for (Count i = 0; i < a.rows(); ++i)
    for (int axis = 0; axis < D; ++axis) {
      const double mine[] = {a.position(i, axis), a.velocity(i, axis)};
      const double theirs[] = {b.position(i, axis), b.velocity(i, axis)};
      if (std::memcmp(mine, theirs, sizeof mine) != 0) return false;
    }
  return true;
}

template <int D, class ExecutionSpace>
OverRanks<D, ExecutionSpace> method_over_ranks(const ExecutionSpace& space, const std::string& name,
                                               const Request& request, const Start<D>& start) {
  const Physics<D> physics = request.physics(start.region);
  return {world(), space, make_method<D>(name, space, physics, request), physics, request};
}

/// The share of this rank in the memory of an execution space; all on the last rank if `lopsided`.
template <int D, class ExecutionSpace>
auto my_share(const ExecutionSpace&, const Start<D>& start, bool lopsided = false) {
  const int rank = world().rank(), ranks = world().size();
  auto mine = share_of(start.state, rank, ranks);
  if (lopsided && rank == ranks - 1) {
    mine = start.state;
  } else if (lopsided) {
    mine = allocate_state<D, Kokkos::HostSpace>(0, start.state.size.extent(0) > 0);
    mine.largest_size = start.state.largest_size;
  }
  return copy_state<typename ExecutionSpace::memory_space>(mine);
}

/// Compares the contacts of every step and all bits at the end with the reference.
template <int D, class ExecutionSpace>
void compare_with_reference(const ExecutionSpace& space, const std::string& name,
                            const Request& request, const Start<D>& start, int steps) {
  CAPTURE(D, name, request.force_name, request.periodic, request.radius_spread, request.domains);
  CAPTURE(request.ghosts, request.rebalance, std::string(backend_name<ExecutionSpace>()));
  CAPTURE(start.state.rows(), world().size());
  const Physics<D> physics = request.physics(start.region);
  auto method = method_over_ranks(space, name, request, start);
  auto expected = copy_state<Kokkos::HostSpace>(start.state);
  method.load(my_share(space, start, request.ghosts == "delta"));
  for (int step = 0; step < steps; ++step) {
    CAPTURE(step);
    const auto contacts = find_reference_contacts(expected, physics);
    const ContactSums wanted = reference_sums(expected, physics, contacts);
    const ContactSums found = method.contacts();
    REQUIRE(found.contacts == wanted.contacts);
    REQUIRE(found.fingerprint == wanted.fingerprint);
    REQUIRE(found.least_ratio == wanted.least_ratio);
    reference_step(expected, physics, contacts);
    method.advance(1);
  }
  const auto moved = gather_by_id(world(), method.state());
  if (world().rank() == 0) CHECK(equal_bits(moved, expected));
  method.load(my_share(space, start));
  method.advance(static_cast<Count>(steps));
  const auto again = gather_by_id(world(), method.state());
  if (world().rank() == 0) CHECK(equal_bits(again, expected));
}

template <int D>
void compare_all(Request request, const Start<D>& start, int steps) {
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    for (const MethodInfo& info : methods()) {
      if (!info.takes_ghosts || !runs_on(info, std::string(backend_name<Space>()))) continue;
      if (!info.takes_sizes && request.radius_spread > 1.0) continue;
      for (const char* domains : {"orb", "grid"})
        for (const char* ghosts : {"all", "delta"}) {
          request.domains = domains;
          request.ghosts = ghosts;
          request.rebalance = request.domains == "orb" ? 5 : 0;
          // Ghosts are chosen after every step, after some, or after many.
          request.skin = {};
          if (request.domains == "grid") request.skin = request.ghosts == "all" ? 0.0 : 0.2;
          compare_with_reference<D>(space, info.name, request, start, steps);
        }
    }
  });
}

template <int D>
void compare_gas(Request request, Count particles, int steps) {
  const Start<D> start = gas_of<D>(request, particles);
  compare_all<D>(request, start, steps);
}

/// Contacts of every step over ranks that differ from those of the reference.
template <int D>
int wrong_steps(const Request& request, const Start<D>& start, int steps) {
  const Kokkos::DefaultHostExecutionSpace space;
  const Physics<D> physics = request.physics(start.region);
  auto method = method_over_ranks(space, "cells", request, start);
  auto expected = copy_state<Kokkos::HostSpace>(start.state);
  method.load(my_share(space, start));
  int wrong = 0;
  for (int step = 0; step < steps; ++step) {
    const auto contacts = find_reference_contacts(expected, physics);
    const ContactSums wanted = reference_sums(expected, physics, contacts);
    wrong += method.contacts().fingerprint == wanted.fingerprint ? 0 : 1;
    reference_step(expected, physics, contacts);
    method.advance(1);
  }
  return wrong;
}

/// Puts a corruption at its place while alive.
template <class Result, class... Context>
struct Sabotage {
  using Corruption = void (*)(Result&, const Context&...);
  explicit Sabotage(Corruption corruption) { app::corrupt<Result, Context...> = corruption; }
  ~Sabotage() { app::corrupt<Result, Context...> = nullptr; }
};

}  // namespace

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

TEST_CASE("Applied changes turn one list of ghosts into the other", "[collide]") {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    const auto draw = [&] {
      std::set<Tag> ids;
      for (std::uint32_t k = random() % 20; k > 0; --k) ids.insert(random() % 30);
      return std::vector<Tag>(ids.begin(), ids.end());
    };
    const auto before = draw(), after = draw();
    const GhostChanges changes = changes_between(before, after);
    std::vector<Tag> added;
    for (const LocalIndex place : changes.added) added.push_back(after[place]);
    auto list = before;
    const GhostChanges applied = apply_changes(list, changes.deleted, added);
    CHECK(list == after);
    CHECK(applied.moved == changes.moved);
    CHECK(applied.added == changes.added);
  }
}

TEST_CASE("A missing corner ghost changes the contacts", "[collide]") {
  const World ranks_of_test;
  if (world().size() != 4) SKIP("needs the four domains of a 2 x 2 grid");
  Request request = request_of(2, "cs267", false, 1.0, 0.2);
  request.domains = "grid";
  Start<2> start = gas_of<2>(request, 2);
  for (int a = 0; a < 2; ++a) {
    start.region.side[a] = 0.1;
    start.state.position(0, a) = 0.048;
    start.state.position(1, a) = 0.052;
    start.state.velocity(0, a) = start.state.velocity(1, a) = 0.0;
  }
  CHECK(wrong_steps(request, start, 2) == 0);
  // Removes the neighbours whose boxes share no side with the rank's own.
  const Sabotage<std::vector<Neighbour>, std::vector<BoxBound<3>>, Communicator> sabotage(
      [](std::vector<Neighbour>& neighbours, const std::vector<BoxBound<3>>& boxes,
         const Communicator& comm) {
        const auto& mine = boxes[static_cast<std::size_t>(comm.rank())];
        std::erase_if(neighbours, [&](const Neighbour& other) {
          return other.domain.lower[0] != mine.lower[0] && other.domain.lower[1] != mine.lower[1];
        });
      });
  CHECK(wrong_steps(request, start, 2) > 0);
}

TEST_CASE("A lost entry of the list of deleted ghosts changes the contacts", "[collide]") {
  const World ranks_of_test;
  if (world().size() == 1) SKIP("one rank has no ghosts");
  Request request = request_of(2, "cs267", false, 1.0, 2.0);
  request.ghosts = "delta";
  request.skin = 0.0;  // new lists after every step
  const Start<2> start = gas_of<2>(request, 300);
  CHECK(wrong_steps(request, start, 15) == 0);
  const Sabotage<DeletedGhosts, Communicator> sabotage(
      [](DeletedGhosts& deleted, const Communicator&) {
        for (auto& places : deleted.of_rank)
          if (!places.empty()) places.pop_back();
      });
  CHECK(wrong_steps(request, start, 15) > 0);
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
