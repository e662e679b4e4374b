#pragma once
/// \file
/// The particles of one rank while a distributed tree is built: positions, and what travels along.

#include <copse/algorithms/segmented_histogram.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/types.hpp>
#include <copse/domains/leaf_ownership.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/integer_weights.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace copse::detail {

/// A global row number and a weight in 12 bytes; an aligned 64-bit member would make it 16, which
/// is a seventh of what goes over the wire.
struct WeightedId {
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t weight;
};

/// What travels with a point of a tree by count, or by weight.
template <bool Weighted>
using Traveller = std::conditional_t<Weighted, WeightedId, GlobalId>;

/// A cell whose particles, or some of them, are on this rank.
struct LocalCell {
  std::uint32_t slot = 1;  ///< in the heap
  LeafRange leaves;
  Count particles = 0;  ///< over all ranks
  Segment rows;         ///< this rank's part; may be empty
};

/// Invariant: the rows of the cells follow each other, and within a cell rows are in the order of
/// the input, on this rank and from rank to rank.
template <class MemorySpace, class Row>
struct RowSet {
  Points<3, MemorySpace> points;
  Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace> row;
  static constexpr int borrowed = -1;
  int set = 0;  ///< which of the workspace's two; `borrowed`: the caller's, not to be written
  static constexpr std::size_t row_bytes = 3 * sizeof(Real) + sizeof(Row);
  Count size() const { return row.extent(0); }
};

/// Room for the points or the rest of n rows in the workspace, in the first or second of two sets.
/// What the set held before is lost.
template <class MemorySpace>
Points<3, MemorySpace> point_room(Workspace<MemorySpace>& workspace, int set, Count n) {
  const auto points =
      workspace.template get<Real>("distributed::" + std::to_string(set) + "::points", 3 * n);
  return Points<3, MemorySpace>(points.data(), n);
}
template <class MemorySpace, class Row>
auto row_room(Workspace<MemorySpace>& workspace, int set, Count n) {
  return workspace.template get<Row>("distributed::" + std::to_string(set) + "::row", n);
}
template <class MemorySpace, class Row>
RowSet<MemorySpace, Row> room_for_rows(Workspace<MemorySpace>& workspace, int set, Count n) {
  return {point_room(workspace, set, n), row_room<MemorySpace, Row>(workspace, set, n), set};
}

/// One of the two sets, and not that one.
constexpr int set_beside(int set) {
  return set == 0 ? 1 : 0;
}

template <class MemorySpace>
struct PackWeights {
  Kokkos::View<const GlobalId*, MemorySpace> id;
  Kokkos::View<const std::uint32_t*, MemorySpace> weight;
  Kokkos::View<WeightedId*, Kokkos::LayoutLeft, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(Count i) const {
    to(i) = WeightedId{static_cast<std::uint32_t>(id(i)), static_cast<std::uint32_t>(id(i) >> 32),
                       weight(i)};
  }
};

template <class MemorySpace>
struct UnpackWeights {
  Kokkos::View<WeightedId*, Kokkos::LayoutLeft, MemorySpace> from;
  Kokkos::View<GlobalId*, MemorySpace> id;
  Kokkos::View<std::uint32_t*, MemorySpace> weight;
  KOKKOS_FUNCTION void operator()(Count i) const {
    id(i) = GlobalId{from(i).high} << 32 | from(i).low;
    weight(i) = from(i).weight;
  }
};

/// Reads the weights of the rows in their present order.
inline UnitWeight weights_of(const GlobalId*) {
  return UnitWeight{};
}
inline IntegerWeight weights_of(const WeightedId* rows) {
  return IntegerWeight{rows ? &rows->weight : nullptr, sizeof(WeightedId) / sizeof(std::uint32_t)};
}

}  // namespace copse::detail
