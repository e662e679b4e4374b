#pragma once
/// \file
/// Cells that have come down to one rank, set aside until all have, and finished there with the
/// builder of one rank.

#include <copse/algorithms/interleaved_rows.hpp>
#include <copse/backend/backends.hpp>
#include <copse/domains/detail/distributed_rows.hpp>
#include <copse/domains/detail/own_builders.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_Core.hpp>

namespace copse::detail {

/// A cell and its particles, all of them: the rows `where` of `rows`.
template <class MemorySpace, class Row>
struct OwnCell {
  LocalCell cell;
  RowSet<MemorySpace, Row> rows;
  Segment where;
  bool is_all() const { return where.size() == rows.size(); }
};

/// Room for the points of a cell where the builders want them.
template <class ExecutionSpace>
void resize_own_points(OwnBuilders<ExecutionSpace>& builders, Count n) {
  if (builders.points.extent(0) == n) return;
  builders.points = {};
  builders.points = Points<3, typename ExecutionSpace::memory_space>(
      Kokkos::view_alloc("copse::distributed::own_points", Kokkos::WithoutInitializing), n);
}

template <class MemorySpace>
struct CopyPoints {
  Points<3, MemorySpace> from;
  Points<3, MemorySpace> to;
  Count from_begin;
  KOKKOS_FUNCTION void operator()(Count i) const {
    for (int a = 0; a < 3; ++a) to(i, a) = from(from_begin + i, a);
  }
};

/// to(to_begin + i) = from(from_begin + i)
template <class MemorySpace, class Row>
struct CopyRows {
  RowSet<MemorySpace, Row> from;
  RowSet<MemorySpace, Row> to;
  Count from_begin;
  Count to_begin;
  KOKKOS_FUNCTION void operator()(Count i) const {
    for (int a = 0; a < 3; ++a) to.points(to_begin + i, a) = from.points(from_begin + i, a);
    to.row(to_begin + i) = from.row(from_begin + i);
  }
};

template <class ExecutionSpace, class Row>
void copy_rows(const ExecutionSpace& space, const Segment& rows,
               const RowSet<typename ExecutionSpace::memory_space, Row>& from,
               const RowSet<typename ExecutionSpace::memory_space, Row>& to, Count to_begin) {
  Kokkos::parallel_for(
      "copse::distributed::copy", Kokkos::RangePolicy<ExecutionSpace>(space, 0, rows.size()),
      CopyRows<typename ExecutionSpace::memory_space, Row>{from, to, rows.begin, to_begin});
}

/// What the builder made of a cell's particles, put where it belongs among all of the rank's; the
/// points only if `points_to` is there.
template <class MemorySpace, class Row>
struct PlaceFinished {
  Points<3, MemorySpace> points;
  Kokkos::View<LocalIndex*, MemorySpace> permutation;
  Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace> row;
  Count row_begin;
  Points<3, MemorySpace> points_to;
  Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace> row_to;
  Count to_begin;
  InterleavedRows order;
  KOKKOS_FUNCTION void operator()(Count k) const {
    const Count i = order(k);
    if (points_to.extent(0) > 0)
      for (int a = 0; a < 3; ++a) points_to(to_begin + i, a) = points(i, a);
    row_to(to_begin + i) = row(row_begin + permutation(i));
  }
};

template <class MemorySpace>
struct ReadWeights {
  Kokkos::View<WeightedId*, Kokkos::LayoutLeft, MemorySpace> row;
  IntegerWeights<MemorySpace> weights;
  Count row_begin;
  KOKKOS_FUNCTION void operator()(Count i) const { weights(i) = row(row_begin + i).weight; }
};

/// The slot in the whole heap of slot k of a heap whose root is the whole heap's `root`.
KOKKOS_INLINE_FUNCTION std::uint32_t grafted_slot(std::uint32_t root, std::uint32_t k) {
  const int level = heap_level(k);
  return (root << level) + (k - (std::uint32_t{1} << level));
}

/// Copies a tree's cells below a cell of the whole heap; their rows begin with that cell's.
template <class MemorySpace>
struct GraftCells {
  Kokkos::View<OrbCell*, MemorySpace> from;
  Kokkos::View<OrbCell*, MemorySpace> to;
  std::uint32_t root;
  Count begin;
  KOKKOS_FUNCTION void operator()(Count k) const {
    OrbCell cell = from(k);
    if (cell.leaves == 0) return;
    cell.begin += begin;
    cell.end += begin;
    to(grafted_slot(root, static_cast<std::uint32_t>(k))) = cell;
  }
};

/// Cuts the particles of a cell of at least two leaves and puts the cells below it into `heap`, and
/// the rows, in tree order, into `row_to` from `to_begin` on. The points go to `points_to`, or if
/// that is empty stay in `builders.points`; they may come from there.
///
/// `rows_are_here()` is called before anything but the points is looked at: the rest may still be
/// on its way while the points are cut.
template <class ExecutionSpace, class Row, class RowsAreHere>
void finish_cell(
    const ExecutionSpace& space, const OwnCell<typename ExecutionSpace::memory_space, Row>& own,
    OwnBuilders<ExecutionSpace>& builders,
    const Kokkos::View<OrbCell*, typename ExecutionSpace::memory_space>& heap,
    const OrbPolicy& policy, Workspace<typename ExecutionSpace::memory_space>& workspace,
    const Points<3, typename ExecutionSpace::memory_space>& points_to,
    const Kokkos::View<Row*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& row_to,
    Count to_begin, RowsAreHere&& rows_are_here) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  const Count n = own.where.size();
  // Fences of this execution space alone, so that copies between devices go on.
  OrbCell cell;
  const Kokkos::View<OrbCell, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host_cell(&cell);
  Kokkos::deep_copy(space, host_cell, Kokkos::subview(heap, own.cell.slot));
  space.fence("copse::distributed::own_cell");
  OrbOptions options{.leaves = own.cell.leaves.count,
                     .rule = policy.rule,
                     .axis_rule = policy.axis_rule,
                     .first_axis = policy.axis_in_turn(own.cell.slot)};
  options.box = cell.box();
  if (own.rows.points.data() != builders.points.data()) {
    resize_own_points(builders, n);
    Kokkos::parallel_for(
        "copse::distributed::copy_points", Range(space, 0, n),
        CopyPoints<MemorySpace>{own.rows.points, builders.points, own.where.begin});
  }
  OrbTree<MemorySpace> tree;
  if constexpr (std::is_same_v<Row, WeightedId>) {
    rows_are_here();
    const auto weights = workspace.template get<std::uint32_t>("distributed::own_weights", n);
    Kokkos::parallel_for("copse::distributed::weights", Range(space, 0, n),
                         ReadWeights<MemorySpace>{own.rows.row, weights, own.where.begin});
    tree = builders.by_weight.build(builders.points, builders.permutation, weights, options);
  } else {
    tree = builders.by_number.build(builders.points, builders.permutation, options);
    rows_are_here();
  }
  // A host's thread has a run of rows to itself, and its own cache.
  const InterleavedRows order(n, runs_on_host<ExecutionSpace> ? 1 : own.cell.leaves.count);
  Kokkos::parallel_for(
      "copse::distributed::place", Range(space, 0, n),
      PlaceFinished<MemorySpace, Row>{builders.points, builders.permutation, own.rows.row,
                                      own.where.begin, points_to, row_to, to_begin, order});
  Kokkos::parallel_for("copse::distributed::graft", Range(space, 1, tree.cells.extent(0)),
                       GraftCells<MemorySpace>{tree.cells, heap, own.cell.slot, cell.begin});
  space.fence("copse::distributed::finish_cell");
}

}  // namespace copse::detail
