#pragma once
/// \file
/// What the tests of several ranks share: starts, methods over ranks, and their comparison with the
/// reference.

#include "collide/distributed/gather.hpp"
#include "collide/distributed/over_ranks.hpp"
#include "moved_reference.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>

namespace copse::collide::test {

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

inline const Communicator& world() {
  return *World::current;
}

inline Request request_of(int dimensions, const std::string& force, bool periodic, double spread,
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
                            const Request& request, const Start<D>& start,
                            const Moved<D>& expected) {
  CAPTURE(D, name, request.force_name, request.periodic, request.radius_spread, request.domains);
  CAPTURE(request.ghosts, request.rebalance, std::string(backend_name<ExecutionSpace>()));
  CAPTURE(start.state.rows(), world().size());
  auto method = method_over_ranks(space, name, request, start);
  method.load(my_share(space, start, request.ghosts == "delta"));
  for (std::size_t step = 0; step < expected.sums.size(); ++step) {
    CAPTURE(step);
    const ContactSums& wanted = expected.sums[step];
    const ContactSums found = method.contacts();
    REQUIRE(found.contacts == wanted.contacts);
    REQUIRE(found.fingerprint == wanted.fingerprint);
    REQUIRE(found.least_ratio == wanted.least_ratio);
    method.advance(1);
  }
  const auto moved = gather_by_id(world(), method.state());
  if (world().rank() == 0) CHECK(equal_bits(moved, expected.end));
  method.load(my_share(space, start));
  method.advance(static_cast<Count>(expected.sums.size()));
  const auto again = gather_by_id(world(), method.state());
  if (world().rank() == 0) CHECK(equal_bits(again, expected.end));
}

template <int D>
void compare_all(Request request, const Start<D>& start, int steps) {
  const Moved<D> expected = reference_of(request, start, steps);
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    for (const MethodInfo& info : methods()) {
      if (!runs_on(info, std::string(backend_name<Space>()))) continue;
      if (!info.takes_sizes && request.radius_spread > 1.0) continue;
      for (const char* domains : {"orb", "grid"})
        for (const char* ghosts : {"all", "delta"}) {
          request.domains = domains;
          request.ghosts = ghosts;
          request.rebalance = request.domains == "orb" ? 5 : 0;
          // Ghosts are chosen after every step, after some, or after many.
          request.skin = {};
          if (request.domains == "grid") request.skin = request.ghosts == "all" ? 0.0 : 0.2;
          compare_with_reference<D>(space, info.name, request, start, expected);
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

}  // namespace copse::collide::test
