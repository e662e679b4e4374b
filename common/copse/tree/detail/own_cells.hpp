#pragma once
/// \file
/// Cells that have come down to one rank, set aside until all have, and finished there with the
/// builder of one rank.

#include <copse/tree/detail/distributed_rows.hpp>
#include <copse/tree/detail/own_builders.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_Core.hpp>

namespace copse::detail {

/// A cell and its particles, all of them.
template <class MemorySpace, class Row>
struct OwnCell {
  LocalCell cell;
  RowSet<MemorySpace, Row> rows;
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

/// What the builder made of a cell's particles, put where it belongs among all of the rank's.
template <class MemorySpace, class Row>
struct PlaceFinished {
  Points<3, MemorySpace> points;
  Kokkos::View<LocalIndex*, MemorySpace> permutation;
  Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace> row;
  RowSet<MemorySpace, Row> to;
  Count to_begin;
  KOKKOS_FUNCTION void operator()(Count i) const {
    for (int a = 0; a < 3; ++a) to.points(to_begin + i, a) = points(i, a);
    to.row(to_begin + i) = row(permutation(i));
  }
};

template <class MemorySpace>
struct ReadWeights {
  Kokkos::View<WeightedId*, Kokkos::LayoutLeft, MemorySpace> row;
  IntegerWeights<MemorySpace> weights;
  KOKKOS_FUNCTION void operator()(Count i) const { weights(i) = row(i).weight; }
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
/// the particles, in tree order, into `to` from `to_begin` on.
template <class ExecutionSpace, class Row>
void finish_cell(const ExecutionSpace& space,
                 const OwnCell<typename ExecutionSpace::memory_space, Row>& own,
                 OwnBuilders<ExecutionSpace>& builders,
                 const Kokkos::View<OrbCell*, typename ExecutionSpace::memory_space>& heap,
                 const OrbPolicy& policy,
                 Workspace<typename ExecutionSpace::memory_space>& workspace,
                 const RowSet<typename ExecutionSpace::memory_space, Row>& to, Count to_begin) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  const Count n = own.rows.size();
  const auto cell = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{},
                                                        Kokkos::subview(heap, own.cell.slot));
  OrbOptions options{.leaves = own.cell.leaves.count,
                     .rule = policy.rule,
                     .axis_rule = policy.axis_rule,
                     .first_axis = policy.axis_in_turn(own.cell.slot)};
  options.box = cell().box();
  if (builders.points.extent(0) != n) {
    builders.points = {};
    builders.points = Points<3, MemorySpace>(
        Kokkos::view_alloc("copse::distributed::own_points", Kokkos::WithoutInitializing), n);
  }
  Kokkos::deep_copy(space, builders.points, own.rows.points);
  OrbTree<MemorySpace> tree;
  if constexpr (std::is_same_v<Row, WeightedId>) {
    const auto weights = workspace.template get<std::uint32_t>("distributed::own_weights", n);
    Kokkos::parallel_for("copse::distributed::weights", Range(space, 0, n),
                         ReadWeights<MemorySpace>{own.rows.row, weights});
    tree = builders.by_weight.build(builders.points, builders.permutation, weights, options);
  } else {
    tree = builders.by_number.build(builders.points, builders.permutation, options);
  }
  Kokkos::parallel_for("copse::distributed::place", Range(space, 0, n),
                       PlaceFinished<MemorySpace, Row>{builders.points, builders.permutation,
                                                       own.rows.row, to, to_begin});
  Kokkos::parallel_for("copse::distributed::graft", Range(space, 1, tree.cells.extent(0)),
                       GraftCells<MemorySpace>{tree.cells, heap, own.cell.slot, cell().begin});
  space.fence("copse::distributed::finish_cell");
}

}  // namespace copse::detail
