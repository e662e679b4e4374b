#pragma once
/// \file
/// Points in the lanes of a packet: their bounding box, the points of a leaf, and the ring that
/// collects points near the packet over several leaves.

#include <copse/backend/lanes.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/tree/balanced_tree.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The bounding box of the lanes' points, the same in every lane.
template <class L, int Dim>
KOKKOS_FUNCTION BoxBound<Dim> packet_box(const LanePoint<L, Dim>& x) {
  BoxBound<Dim> box;
  for (int a = 0; a < Dim; ++a) {
    box.lower[a] = packet_min(x[a]);
    box.upper[a] = packet_max(x[a]);
  }
  return box;
}

/// Calls `use(row, d2)` for each point of a leaf with its squared distances to the lanes' queries.
template <class L, class Tree, class Use>
KOKKOS_FORCEINLINE_FUNCTION void for_each_distance2(const Tree& tree, Node leaf,
                                                    const LanePoint<L, Tree::dimension>& x,
                                                    const Use& use) {
  using Point = PointAt<Tree::dimension, typename Tree::memory_space>;
  const LeafSpan rows = tree.rows_of_leaf(leaf);
  const Count end = Count{rows.begin} + rows.size;
  for (Count row = rows.begin; row < end; ++row)
    use(static_cast<LocalIndex>(row),
        squared_distance<L, Tree::dimension>(x, Point{tree.points, row}));
}

/// The leaves of a balanced tree that contain the lanes' rows.
template <class Tree>
KOKKOS_FORCEINLINE_FUNCTION Node lane_leaves(const Tree& tree, LocalIndex row) {
  return tree.leaf_slots() + row / tree.bucket_size;
}
template <class Tree, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<Node, W> lane_leaves(const Tree& tree,
                                                            LaneVector<LocalIndex, W> row) {
  return LaneVector<Node, W>::of([&](int l) { return lane_leaves(tree, row[l]); });
}

/// The points of one leaf in the lanes of a packet, point i of the leaf in lane i. Lanes past the
/// end repeat the last point to read valid memory; `valid` excludes them.
template <class L>
struct LeafRows {
  LeafSpan rows;
  typename L::Index row;
  typename L::Mask valid;
  int lane;  ///< the calling thread's lane, 0 on hosts

  /// `leaf` must hold at least one row and at most one per lane.
  KOKKOS_FORCEINLINE_FUNCTION LeafRows(const LeafSpan& leaf, int thread_lane)
      : rows(leaf), lane(thread_lane) {
    using Index = typename L::Index;
    const Index number = lane_numbers<L>(lane);
    if constexpr (L::width == 1) {
      valid = number < rows.size;
    } else {
      valid = L::Mask::from_bits(rows.size >= 32 ? ~0u : (1u << rows.size) - 1u);
    }
    row = Index(rows.begin) + select(valid, number, Index(rows.size - 1));
  }

  /// The points' coordinates.
  template <int Dim, class PointSet>
  KOKKOS_FORCEINLINE_FUNCTION LanePoint<L, Dim> load_points(const PointSet& points) const {
    LanePoint<L, Dim> x;
    for (int a = 0; a < Dim; ++a) x[a] = load(points.data() + points.stride(1) * a);
    return x;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real load(const Real* column) const {
    if constexpr (L::width == 1) {
      return column[row];
    } else {
      if (rows.size == static_cast<std::uint32_t>(L::width))
        return load_lanes<Real, L::width>(column + rows.begin);
      return gather(column, row);
    }
  }
};

/// Memory of the ring; in scratch memory on a device.
template <class L, int Dim>
struct alignas(16) NearRowsRoom {
  static constexpr int batch = packet_lanes<L>;
  Real x[Dim][2 * batch];
  LocalIndex row[2 * batch];
};

/// Four values that are loaded and stored together; for floats in one instruction.
template <class T>
struct alignas(4 * sizeof(T)) Four {
  T v[4];
};

/// A batch of near points. `size` is constant; padding slots hold NaN coordinates, so every
/// comparison with their distance is false.
template <class L, int Dim>
struct NearBatch {
  static constexpr int size = packet_lanes<L>;
  static constexpr int at_once = 4;

  const NearRowsRoom<L, Dim>& room;
  int first;

  /// Coordinates of points i to i + 3; i must be a multiple of 4.
  KOKKOS_FORCEINLINE_FUNCTION Four<Real> coordinates(int axis, int i) const {
    return *reinterpret_cast<const Four<Real>*>(&room.x[axis][first + i]);
  }
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<Real, Dim> point(int i) const {
    Kokkos::Array<Real, Dim> x;
    for (int a = 0; a < Dim; ++a) x[a] = room.x[a][first + i];
    return x;
  }
  KOKKOS_FORCEINLINE_FUNCTION LocalIndex row(int i) const { return room.row[first + i]; }

  /// Calls `use(i, d2)` for each point of the batch with its squared distances to the lanes'
  /// queries.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_distance2(const LanePoint<L, Dim>& x,
                                                      const Use& use) const {
    COPSE_UNROLL
    for (int i = 0; i < size; i += at_once) {
      Four<Real> y[Dim];
      COPSE_UNROLL
      for (int a = 0; a < Dim; ++a) y[a] = coordinates(a, i);
      COPSE_UNROLL
      for (int j = 0; j < at_once; ++j) {
        typename L::Real d2(Real(0));
        COPSE_UNROLL
        for (int a = 0; a < Dim; ++a)
          d2 = add_square<typename L::Real>(d2, x[a] - typename L::Real(y[a].v[j]), a);
        use(i + j, d2);
      }
    }
  }

  /// For each lane the number of points within squared distance `reach2` of its query.
  KOKKOS_FORCEINLINE_FUNCTION typename L::Index count_within(const LanePoint<L, Dim>& x,
                                                             Real reach2) const {
    using Index = typename L::Index;
    if constexpr (L::width == 1 && sizeof(Real) == 4) {
      // Non-negative floats compare like their bit patterns. A GPU adds a sign bit in one
      // instruction; a select of the incremented count takes two.
      using LaneReal = typename L::Real;
      const auto most = Kokkos::bit_cast<std::int32_t>(LaneReal(reach2));
      std::uint32_t beyond = 0;
      for_each_distance2(x, [&](int, LaneReal d2) {
        beyond += static_cast<std::uint32_t>(most - Kokkos::bit_cast<std::int32_t>(d2)) >> 31;
      });
      return size - beyond;
    } else {
      Index count(0u);
      for_each_distance2(x, [&](int, const typename L::Real& d2) {
        count = select(d2 <= typename L::Real(reach2), count + Index(1u), count);
      });
      return count;
    }
  }
};

/// The ring collects points near the packet from several leaves. When it holds a full batch, one
/// point per lane, these points are compared with all queries. About a third of a leaf is near.
/// Processed in place, near points would be found by mask bits and loaded one by one; from the
/// array in scratch memory they are loaded four at a time in a loop of constant length.
///
/// Invariants
///  - The ring holds two batches. Waiting points are contiguous (modulo the ring) from `first_`,
///    which is 0 or a batch, so the oldest batch is always a contiguous array.
///  - All lanes of the packet call every member together.
template <class L, int Dim>
class NearRows {
 public:
  using Room = NearRowsRoom<L, Dim>;
  static constexpr int batch = Room::batch;

  KOKKOS_FORCEINLINE_FUNCTION NearRows(Room& room, int lane) : room_(room), lane_(lane) {}

  KOKKOS_FORCEINLINE_FUNCTION int waiting() const { return waiting_; }
  KOKKOS_FORCEINLINE_FUNCTION bool has_batch() const { return waiting_ >= batch; }

  /// Appends the points of the lanes in `near`, whose bits are `bits`. Fewer than a batch may be
  /// waiting.
  KOKKOS_FORCEINLINE_FUNCTION void append(const LanePoint<L, Dim>& y, typename L::Index row,
                                          typename L::Mask near, std::uint32_t bits) {
    using Index = typename L::Index;
    constexpr auto ring = static_cast<std::uint32_t>(2 * batch);
    const Index place =
        Index(static_cast<std::uint32_t>(first_ + waiting_)) + lane_ranks<L>(bits, lane_);
    const Index at = select(place >= Index(ring), place - Index(ring), place);
    for (int a = 0; a < Dim; ++a) scatter(room_.x[a], at, y[a], near);
    scatter(room_.row, at, row, near);
    waiting_ += static_cast<int>(lanes_in(bits));
  }

  /// Removes the oldest batch, padded with NaN if fewer points wait. The batch stays valid until
  /// the next `append`.
  KOKKOS_FORCEINLINE_FUNCTION NearBatch<L, Dim> take() {
    using Index = typename L::Index;
    if (waiting_ < batch) {
      const Index number = lane_numbers<L>(lane_);
      const typename L::Mask padding = number >= Index(static_cast<std::uint32_t>(waiting_));
      const Index at = number + Index(static_cast<std::uint32_t>(first_));
      const typename L::Real nan(Kokkos::Experimental::quiet_NaN_v<Real>);
      for (int a = 0; a < Dim; ++a) scatter(room_.x[a], at, nan, padding);
      waiting_ = batch;
    }
    packet_sync();  // make all points visible
    const int first = first_;
    first_ = batch - first_;
    waiting_ -= batch;
    return {room_, first};
  }

 private:
  Room& room_;
  int lane_;
  int first_ = 0;
  int waiting_ = 0;
};

}  // namespace copse
