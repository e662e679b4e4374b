#pragma once
/// \file
/// Finishes cells owned by one rank with the single-rank builder.

#include <copse/algorithms/interleaved_rows.hpp>
#include <copse/backend/backends.hpp>
#include <copse/domains/detail/distributed_state.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <type_traits>

namespace copse::detail {

/// Resizes the builders' array for the points of a cell.
template <class ExecutionSpace>
void resize_own_points(OwnBuilders<ExecutionSpace>& builders, Count n) {
  if (builders.points.extent(0) == n) return;
  builders.points = {};
  builders.points = Points<3, typename ExecutionSpace::memory_space>(
      Kokkos::view_alloc("copse::distributed::own_points", Kokkos::WithoutInitializing), n);
}

/// Copies particles `rows` of `from`, points and records, to `to` from `to_begin` on. Asynchronous.
template <class ExecutionSpace, class Rows>
void copy_rows(const ExecutionSpace& space, const Segment& rows, const Rows& from, const Rows& to,
               Count to_begin) {
  const Count from_begin = rows.begin;
  Kokkos::parallel_for(
      "copse::distributed::copy", CountRange<ExecutionSpace>(space, 0, rows.size()),
      KOKKOS_LAMBDA(const Count i) {
        for (int a = 0; a < 3; ++a) to.points(to_begin + i, a) = from.points(from_begin + i, a);
        to.row(to_begin + i) = from.row(from_begin + i);
      });
}

/// Copies the weights of n particles from `begin` on to a separate array.
template <class State>
IntegerWeights<typename State::MemorySpace> read_weights(
    State& s, const RowSet<typename State::MemorySpace, WeightedId>& rows, Count begin, Count n) {
  const auto weights = s.workspace.template get<std::uint32_t>("distributed::own_weights", n);
  const auto row = rows.row;
  Kokkos::parallel_for(
      "copse::distributed::weights", typename State::Range(s.space, 0, n),
      KOKKOS_LAMBDA(const Count i) { weights(i) = row(begin + i).weight; });
  return weights;
}

/// Writes the points and records of a cell in tree order. Points stay where they are if
/// `points_to` is empty.
template <class MemorySpace, class Row>
struct PlaceOwnRows {
  /// Records that a host requests before it reads them in random order. Without requests a core of
  /// a Zen 4 needs 59 ms for 5 10^6 records, with them 25 ms.
  static constexpr Count ahead = 32;

  InterleavedRows order;
  Kokkos::View<const LocalIndex*, MemorySpace> permutation;
  Points<3, MemorySpace> points, points_to;
  Kokkos::View<const Row*, Kokkos::LayoutLeft, MemorySpace> row;
  Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace> row_to;
  Count row_begin, to_begin;

  KOKKOS_FUNCTION void operator()(const Count k) const {
    const Count i = order(k);
    KOKKOS_IF_ON_HOST((if (i + ahead < permutation.extent(0))
                           __builtin_prefetch(&row(row_begin + permutation(i + ahead)));))
    if (points_to.extent(0) > 0)
      for (int a = 0; a < 3; ++a) points_to(to_begin + i, a) = points(i, a);
    row_to(to_begin + i) = row(row_begin + permutation(i));
  }
};

/// Maps slot k of a subtree's heap to the whole heap, in which the subtree's root has slot `root`.
KOKKOS_INLINE_FUNCTION std::uint32_t grafted_slot(std::uint32_t root, std::uint32_t k) {
  const int level = heap_level(k);
  return (root << level) + (k - (std::uint32_t{1} << level));
}

/// Cuts the particles of a cell of at least two leaves, inserts the cells below it into the tree,
/// and writes its records, in tree order, to `row_to` from `to_begin` on. The points go to
/// `points_to`, or stay in `builders.points` if `points_to` is empty; they may already be there.
/// The records may be in flight until the points are cut.
template <class State>
void finish_cell(State& s, const OwnCell<typename State::MemorySpace, typename State::Row>& own,
                 const Points<3, typename State::MemorySpace>& points_to,
                 const Kokkos::View<typename State::Row*, Kokkos::LayoutLeft,
                                    typename State::MemorySpace>& row_to,
                 Count to_begin) {
  using Range = typename State::Range;
  auto& builders = s.builders;
  const Count n = own.where.size();
  const Count row_begin = own.where.begin;
  const auto heap = s.tree.cells;
  const std::uint32_t root = own.cell.slot;
  // Fences this execution space only, so that copies between devices continue.
  OrbCell cell;
  const Kokkos::View<OrbCell, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host_cell(&cell);
  Kokkos::deep_copy(s.space, host_cell, Kokkos::subview(heap, root));
  s.space.fence("copse::distributed::own_cell");
  OrbOptions options{.leaves = own.cell.leaves.count,
                     .rule = s.policy.rule,
                     .axis_rule = s.policy.axis_rule,
                     .first_axis = axis_in_turn<3>(root, s.policy.first_axis)};
  options.box = cell.box();
  if (own.rows.points.data() != builders.points.data()) {
    resize_own_points(builders, n);
    const auto from = own.rows.points;
    const auto to = builders.points;
    Kokkos::parallel_for(
        "copse::distributed::copy_points", Range(s.space, 0, n), KOKKOS_LAMBDA(const Count i) {
          for (int a = 0; a < 3; ++a) to(i, a) = from(row_begin + i, a);
        });
  }
  OrbTree<typename State::MemorySpace> tree;
  if constexpr (State::weighted) {
    s.rows_are_here();
    tree = builders.by_weight.build(builders.points, builders.permutation,
                                    read_weights(s, own.rows, row_begin, n), options);
  } else {
    tree = builders.by_number.build(builders.points, builders.permutation, options);
    s.rows_are_here();
  }
  // Each host thread gets a contiguous range, for its own cache.
  const InterleavedRows order(
      n, runs_on_host<typename State::ExecutionSpace> ? 1 : own.cell.leaves.count);
  using Place = PlaceOwnRows<typename State::MemorySpace, typename State::Row>;
  Kokkos::parallel_for("copse::distributed::place", Range(s.space, 0, n),
                       Place{order, builders.permutation, builders.points, points_to, own.rows.row,
                             row_to, row_begin, to_begin});
  const auto cells = tree.cells;
  const Count cell_begin = cell.begin;
  Kokkos::parallel_for(
      "copse::distributed::graft", Range(s.space, 1, cells.extent(0)),
      KOKKOS_LAMBDA(const Count k) {
        OrbCell grafted = cells(k);
        if (grafted.leaves == 0) return;
        grafted.begin += cell_begin;
        grafted.end += cell_begin;
        heap(grafted_slot(root, static_cast<std::uint32_t>(k))) = grafted;
      });
  s.space.fence("copse::distributed::finish_cell");
}

}  // namespace copse::detail
