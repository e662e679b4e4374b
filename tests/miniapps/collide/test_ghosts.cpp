// Run with 1 to 4 ranks. Lists of ghosts against sets, and damages to ghosts that the comparison
// with the reference must detect.
#include "several_ranks.hpp"

#include <limits>
#include <random>
#include <set>

using namespace copse;
using namespace copse::collide;
using namespace copse::collide::test;

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

TEST_CASE("Ghosts that are never chosen again change the contacts", "[collide]") {
  const World ranks_of_test;
  if (world().size() == 1) SKIP("one rank has no ghosts");
  Request request = request_of(2, "cs267", false, 1.0, 1.0);
  request.skin = 0.2;
  const Start<2> start = gas_of<2>(request, 300);
  CHECK(wrong_steps(request, start, 30) == 0);
  const Sabotage<double, Communicator> sabotage([](double& allowed, const Communicator&) {
    allowed = std::numeric_limits<double>::infinity();
  });
  CHECK(wrong_steps(request, start, 30) > 0);
}

TEST_CASE("Particles that meet ghosts and move before these arrive have other bits", "[collide]") {
  const World ranks_of_test;
  if (world().size() == 1) SKIP("one rank has no ghosts");
  Request request = request_of(2, "cs267", false, 1.0, 2.0);
  request.dt = 1e-4;  // ghosts stay the same for several steps
  const Start<2> start = gas_of<2>(request, 300);
  const Kokkos::DefaultHostExecutionSpace space;
  auto expected = copy_state<Kokkos::HostSpace>(start.state);
  const Physics<2> physics = request.physics(start.region);
  for (int step = 0; step < 7; ++step)
    reference_step(expected, physics, find_reference_contacts(expected, physics));
  const auto equal = [&] {
    auto method = method_over_ranks(space, "cells", request, start);
    method.load(my_share(space, start));
    method.advance(7);
    const auto found = gather_by_id(world(), method.state());
    return world().rank() != 0 || equal_bits(found, expected);
  };
  CHECK(equal());
  using Marks = Kokkos::View<std::uint32_t*, Kokkos::HostSpace>;
  const Sabotage<Marks> sabotage([](Marks& marks) { Kokkos::deep_copy(marks, 0u); });
  const bool found = equal();
  if (world().rank() == 0) CHECK_FALSE(found);
}
