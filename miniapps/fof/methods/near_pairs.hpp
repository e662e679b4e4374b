#pragma once
/// \file
/// Friendship tests between the particles of a leaf and single particles, on the lanes of a packet.

#include "../friendship.hpp"
#include "tree_points.hpp"
#include <copse/traversal/packet.hpp>
#include <copse/traversal/packet_points.hpp>

namespace copse::fof {

/// The particles of a leaf, with their positions and, in 6-D, velocities.
template <class L, bool Velocities>
struct LeafPoints {
  LeafRows<L> rows;
  LanePoint<L, 3> x;
  LanePoint<L, 3> v;  ///< only with Velocities

  template <class MemorySpace>
  KOKKOS_FORCEINLINE_FUNCTION LeafPoints(const LeafSpan& leaf, int lane,
                                         const TreePoints<MemorySpace>& points)
      : rows(leaf, lane), x(rows.template load_points<3>(points.position)) {
    if constexpr (Velocities) v = rows.template load_points<3>(points.velocity);
  }
  /// For positions that were already loaded.
  template <class MemorySpace>
  KOKKOS_FORCEINLINE_FUNCTION LeafPoints(const LeafRows<L>& leaf, const LanePoint<L, 3>& positions,
                                         const TreePoints<MemorySpace>& points)
      : rows(leaf), x(positions) {
    if constexpr (Velocities) v = rows.template load_points<3>(points.velocity);
  }

  /// The mask of leaf particles that are friends of particle `other`.
  template <Images images = Images::nearest, class MemorySpace>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask friends_of(Count other,
                                                          const TreePoints<MemorySpace>& points,
                                                          const Friendship& rule) const {
    using LaneReal = typename L::Real;
    const LaneReal sum = points.template pair_distance2<L, Velocities, images>(rule, x, v, other);
    return rows.valid & (sum < LaneReal(rule.reach2));
  }

  /// One thread per lane: true if this thread's particle is a friend of the particle of lane `lane`
  /// of `other`, whose thread passes its coordinates on. Does not test whether the lanes are valid.
  /// All threads of the packet call it together.
  template <Images images>
  KOKKOS_FORCEINLINE_FUNCTION bool is_friend_of_lane(const LeafPoints& other, int lane,
                                                     const Friendship& rule) const {
    static_assert(L::width == 1);
    Real sum = rule.template distance2<L, images>(
        x, [&](int a) { return packet_value(other.x[a], lane); });
    if constexpr (Velocities)
      sum = rule.template with_velocity2<L>(sum, v,
                                            [&](int a) { return packet_value(other.v[a], lane); });
    return sum < rule.reach2;
  }
};

/// Joins the set of particle `other` with those of the lanes in `mask`; `set` names one particle of
/// each lane's set. Threads of a packet may call it independently.
KOKKOS_FORCEINLINE_FUNCTION void unite_lanes(const auto& sets, LocalIndex set, bool mask,
                                             LocalIndex other) {
  if (mask) sets.unite(set, other);
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION void unite_lanes(const auto& sets, LaneVector<LocalIndex, W> set,
                                             LaneMask<W> mask, LocalIndex other) {
  LocalIndex last = other;  // neighbouring lanes often have the same set
  for (std::uint32_t bits = mask.bits(); bits != 0; bits = without_lowest(bits)) {
    const LocalIndex mine = set[lowest_lane(bits)];
    if (mine != last) sets.unite(mine, other);
    last = mine;
  }
}

/// The roots of two particles that are the same in all lanes of a packet. One thread searches for
/// each: path splitting is atomic, and 32 threads would repeat it serially.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::pair<LocalIndex, LocalIndex> roots_of(const auto& sets,
                                                                          LocalIndex a,
                                                                          LocalIndex b, int lane) {
  if constexpr (L::width == 1) {
    const LocalIndex root = lane < 2 ? sets.find(lane == 0 ? a : b) : 0;
    return {packet_value(root, 0), packet_value(root, 1)};
  } else {
    return {sets.find(a), sets.find(b)};
  }
}

/// Joins the sets of the particles of two near leaves, friend by friend. One thread per lane: each
/// has a particle of both leaves and names their sets. The first join finds the roots of all names
/// at once; later joins only rename, so most pairs of friends need no access to memory.
template <class Sets>
class JoinedSets {
 public:
  /// A row of the set of each thread's particle in either leaf. Both move towards the root.
  KOKKOS_FORCEINLINE_FUNCTION JoinedSets(const Sets& sets, LocalIndex& of_lanes,
                                         LocalIndex& of_others)
      : sets_(sets), of_lanes_(of_lanes), of_others_(of_others) {}

  /// Joins the sets of the threads with `joins` with that of particle `other` of the other leaf.
  /// All threads of the packet call it together; `lane` is the calling thread's.
  // [begin names]
  KOKKOS_FORCEINLINE_FUNCTION void unite(bool joins, int other, int lane) {
    if (!climbed_) sets_.climb(of_lanes_, of_others_);
    climbed_ = true;
    LocalIndex target = packet_value(of_others_, other);
    for (std::uint32_t left = packet_bits(joins && of_lanes_ != target); left != 0;
         left = packet_bits(joins && of_lanes_ != target)) {
      const LocalIndex from = packet_value(of_lanes_, lowest_lane(left));
      LocalIndex joined = from;
      LocalIndex with = target;
      if (lane == 0) sets_.unite_roots(joined, with);
      joined = packet_value(joined, 0);
      if (of_lanes_ == from || of_lanes_ == target) of_lanes_ = joined;
      if (of_others_ == from || of_others_ == target) of_others_ = joined;
      target = joined;
    }
  }
  // [end names]

 private:
  const Sets& sets_;
  LocalIndex& of_lanes_;
  LocalIndex& of_others_;
  bool climbed_ = false;
};

}  // namespace copse::fof
