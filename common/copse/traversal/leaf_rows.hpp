#pragma once
/// \file
/// The rows of one leaf on the lanes of a packet, row i of the leaf on lane i.
///
/// Lanes without a row of their own repeat the leaf's last one, so that they read what exists;
/// `valid` leaves them out.

#include <copse/algorithms/segments.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/traversal/packet_lanes.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

template <class L>
struct LeafRows {
  Segment rows;
  typename L::Index row;
  typename L::Mask valid;
  int lane;  ///< the calling thread's, where each lane is a thread; else 0

  /// `rows` are not empty and not more than the packet's lanes.
  KOKKOS_FUNCTION LeafRows(const Segment& leaf, int thread_lane) : rows(leaf), lane(thread_lane) {
    if constexpr (L::width == 1) {
      const Count mine = rows.begin + static_cast<Count>(lane);
      valid = mine < rows.end;
      row = static_cast<LocalIndex>(valid ? mine : rows.end - 1);
    } else {
      for (int l = 0; l < L::width; ++l) {
        const Count mine = rows.begin + static_cast<Count>(l);
        row.set(l, static_cast<LocalIndex>(mine < rows.end ? mine : rows.end - 1));
      }
      const auto size = static_cast<int>(rows.size());
      valid = L::Mask::from_bits(size >= 32 ? ~0u : (1u << size) - 1u);
    }
  }

  /// The rows' elements of a column.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION auto load(const T* column) const {
    if constexpr (L::width == 1) {
      return column[row];
    } else {
      using Values = LaneVector<std::remove_const_t<T>, L::width>;
      if (rows.size() == static_cast<Count>(L::width))
        return load_lanes<std::remove_const_t<T>, L::width>(column + rows.begin);
      return Values(gather(column, row));
    }
  }

  /// The rows' points.
  template <int Dim, class PointSet>
  KOKKOS_FORCEINLINE_FUNCTION LanePoint<L, Dim> load_points(const PointSet& points) const {
    LanePoint<L, Dim> x;
    for (int a = 0; a < Dim; ++a) x[a] = load(points.data() + points.stride(1) * a);
    return x;
  }
};

}  // namespace copse
