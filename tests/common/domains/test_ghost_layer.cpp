// Run with 1 to 5 ranks. Oracle: the input itself; every rank has a copy.
#include "clustered_points.hpp"
#include "periodic_reach.hpp"
#include <copse/backend/backends.hpp>
#include <copse/domains/ghosts.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>

namespace copse::test {
namespace {

/// The id of particle k of a rank.
GlobalId id_of(int rank, Count k) {
  return static_cast<GlobalId>(rank) * 1000000 + k;
}

/// Coordinate of particle k of a rank in a step; each rank has one slab along x.
Real coordinate(const Sample& sample, int rank, int ranks, Count k, int axis, int step) {
  const Real x = sample.x[k][static_cast<std::size_t>(axis)];
  const Real here = axis == 0 ? (x + static_cast<Real>(rank)) / static_cast<Real>(ranks) : x;
  return here + static_cast<Real>(step) / 8;
}

/// Ghosts carry the columns of their owners, and a new exchange updates them.
void check_layer(GhostSides sides) {
  const Communicator comm;
  const Sample sample = clustered(700, 8, false, false);
  const Count n = sample.x.size();
  const auto reach = reach_in(unit_box<3>(true), 0.05);
  for_each_backend([&]<class Space>(Space space) {
    INFO("on " << backend_name<Space>());
    using Memory = typename Space::memory_space;
    const Points<3, Memory> position("copse::test::position", n);
    const Kokkos::View<GlobalId*, Kokkos::LayoutLeft, Memory> id("copse::test::id", n);
    const auto host_x = Kokkos::create_mirror_view(position);
    const auto host_id = Kokkos::create_mirror_view(id);
    const auto set = [&](int step) {
      for (Count k = 0; k < n; ++k) {
        host_id(k) = id_of(comm.rank(), k);
        for (int a = 0; a < 3; ++a)
          host_x(k, a) = coordinate(sample, comm.rank(), comm.size(), k, a, step);
      }
      Kokkos::deep_copy(position, host_x);
      Kokkos::deep_copy(id, host_id);
    };
    set(0);
    CountedMessages messages(comm);
    GhostLayer<Space> layer(space);
    layer.choose(position, sides, reach, messages);
    const Points<3, Memory> ghosts("copse::test::ghosts", layer.size());
    const Kokkos::View<GlobalId*, Kokkos::LayoutLeft, Memory> ids("copse::test::ids", layer.size());
    CHECK((comm.size() > 1) == (comm.allreduce(layer.size(), Reduction::sum) > 0));
    for (const int step : {0, 1}) {
      set(step);
      messages.take_traffic();
      layer.exchange(messages, GhostColumn{position, ghosts}, GhostColumn{id, ids});
      const Traffic traffic = messages.take_traffic();
      CHECK(traffic.exchanges == 1);
      CHECK(traffic.bytes == layer.plan().send.total() * (3 * sizeof(Real) + sizeof(GlobalId)));
      const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, ghosts);
      const auto from = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, ids);
      int wrong = 0;
      std::set<int> sources;
      for (Count i = 0; i < layer.size(); ++i) {
        const auto rank = static_cast<int>(from(i) / 1000000);
        sources.insert(rank);
        for (int a = 0; a < 3; ++a)
          wrong += x(i, a) != coordinate(sample, rank, comm.size(), from(i) % 1000000, a, step);
      }
      CHECK(wrong == 0);
      for (const int rank : sources)
        CHECK((sides == GhostSides::both ? rank != comm.rank() : gets_ghosts(comm.rank(), rank)));
    }
  });
}

TEST_CASE("Ghosts have their owners' columns, and are refreshed without a new selection") {
  check_layer(GhostSides::one);
  check_layer(GhostSides::both);
}

TEST_CASE("Two-sided ghosts go both ways across a border") {
  const Communicator comm;
  const Kokkos::Serial space;
  const Points<3, Kokkos::HostSpace> position("copse::test::position", 1);
  position(0, 0) = static_cast<Real>(comm.rank());
  CountedMessages messages(comm);
  GhostLayer<Kokkos::Serial> layer(space);
  // The ranks form a line: the first and the last have one neighbour, the others two.
  layer.choose(position, GhostSides::both, reach_in(unit_box<3>(false), 1.5), messages);
  const int neighbours = (comm.rank() > 0 ? 1 : 0) + (comm.rank() + 1 < comm.size() ? 1 : 0);
  CHECK(layer.size() == static_cast<Count>(neighbours));
  CHECK(layer.plan().send.total() == static_cast<Count>(neighbours));
}

}  // namespace
}  // namespace copse::test
