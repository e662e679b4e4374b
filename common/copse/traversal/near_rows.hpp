#pragma once
/// \file
/// The points near a packet that its queries have still to meet, collected from leaf after leaf
/// until there is a batch of as many as the packet has lanes.
///
/// A packet that walks as one finds near rows with a row a lane (walks/boxed_group.hpp), and about
/// a third of a leaf is near. If the queries met these where they lie, each would be looked for
/// in the bits of a mask and loaded by an address of its own; standing in a row in scratch memory
/// they are met in a loop of constant length, four to a load.
///
/// Invariants
///  - A ring of two batches. The points that wait follow each other from `first_` on, which is 0 or
///    a batch; so the oldest batch is always an array.
///  - All lanes of the packet call everything together.

#include <copse/backend/lanes.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/traversal/packet_lanes.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// What the ring lies in: scratch memory on a device.
template <class L, int Dim>
struct alignas(16) NearRowsRoom {
  static constexpr int batch = packet_lanes<L>;
  Real x[Dim][2 * batch];
  LocalIndex row[2 * batch];
};

/// A batch, as the queries meet it. `size` is the same for all; places without a point have
/// coordinates that are no numbers, at a distance that is less than none.
template <class L, int Dim>
struct NearBatch {
  static constexpr int size = packet_lanes<L>;
  static constexpr int at_once = 4;
  struct alignas(at_once * sizeof(Real)) Four {
    Real v[at_once];
  };

  const NearRowsRoom<L, Dim>& room;
  int first;

  /// Coordinates of points i to i + 3; i must be a multiple of 4.
  KOKKOS_FORCEINLINE_FUNCTION Four coordinates(int axis, int i) const {
    return *reinterpret_cast<const Four*>(&room.x[axis][first + i]);
  }
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<Real, Dim> point(int i) const {
    Kokkos::Array<Real, Dim> x;
    for (int a = 0; a < Dim; ++a) x[a] = room.x[a][first + i];
    return x;
  }
  KOKKOS_FORCEINLINE_FUNCTION LocalIndex row(int i) const { return room.row[first + i]; }

  /// Calls `meet(i, d2)` for each point of the batch with the squared distances of the lanes'
  /// queries to it.
  template <class Meet>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_distance2(const LanePoint<L, Dim>& x,
                                                      const Meet& meet) const {
    COPSE_UNROLL
    for (int i = 0; i < size; i += at_once) {
      Four y[Dim];
      COPSE_UNROLL
      for (int a = 0; a < Dim; ++a) y[a] = coordinates(a, i);
      COPSE_UNROLL
      for (int j = 0; j < at_once; ++j) {
        typename L::Real d2(Real(0));
        COPSE_UNROLL
        for (int a = 0; a < Dim; ++a)
          d2 = add_square<typename L::Real>(d2, x[a] - typename L::Real(y[a].v[j]), a);
        meet(i + j, d2);
      }
    }
  }
};

template <class L, int Dim>
class NearRows {
 public:
  using Room = NearRowsRoom<L, Dim>;
  static constexpr int batch = Room::batch;

  KOKKOS_FORCEINLINE_FUNCTION NearRows(Room& room, int lane) : room_(room), lane_(lane) {}

  KOKKOS_FORCEINLINE_FUNCTION int waiting() const { return waiting_; }
  KOKKOS_FORCEINLINE_FUNCTION bool has_batch() const { return waiting_ >= batch; }

  /// Adds the lanes' points where `near`, whose bits are `bits`. There must be less than a batch.
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

  /// The oldest batch, filled up with points that are nowhere if fewer wait. It is gone from the
  /// ring, but stays as it is until the next `append`.
  KOKKOS_FORCEINLINE_FUNCTION NearBatch<L, Dim> take() {
    using Index = typename L::Index;
    if (waiting_ < batch) {
      const Index number = lane_numbers<L>(lane_);
      const typename L::Mask nowhere = number >= Index(static_cast<std::uint32_t>(waiting_));
      const Index at = number + Index(static_cast<std::uint32_t>(first_));
      const typename L::Real no_number(Kokkos::Experimental::quiet_NaN_v<Real>);
      for (int a = 0; a < Dim; ++a) scatter(room_.x[a], at, no_number, nowhere);
      waiting_ = batch;
    }
    packet_sync();  // all points are there
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
