#pragma once
/// \file
/// The two kernels of the leaf-pair method: linking within leaves and linking between leaves.
///
/// | step | work | writes |
/// |---|---|---|
/// | within | W distances per particle, none in cliques | parents, plain stores: own leaf only |
/// | between | one tree walk per leaf, tiles of near leaves | parents, by compare-and-swap |
///
/// A *clique* is a node whose bounding box has a diameter below the linking length: all its
/// particles are friends without any test. In halo cores, where a particle has thousands of
/// friends, whole subtrees are cliques. Their particles are joined by plain stores, and once two
/// cliques are in one set, no pair between them is tested again. (The dense boxes of FDBSCAN,
/// Prokopenko et al. 2023, do the same with a grid.)
///
/// In 6-D the boxes of positions are not sufficient: only pairs of leaves that are already in one
/// set are skipped.

#include "near_pairs.hpp"
#include <copse/backend/packet_reduction.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::fof {

/// Data shared by both kernels.
template <class MemorySpace>
struct LinkedTree {
  BoxTree<3, MemorySpace> tree;
  TreePoints<MemorySpace> points;
  Friendship rule;
  TreeSets<MemorySpace> sets;  ///< of particles in tree order
  /// [leaf slots]: 1 if all particles of the leaf are in one set
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> whole;

  KOKKOS_FORCEINLINE_FUNCTION bool is_clique(Node node) const {
    return rule.diameter2(tree.bounds(node)) < rule.reach2;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint8_t& leaf_is_whole(Node leaf) const {
    return whole(leaf - tree.leaf_slots());
  }
  /// True if all particles of a node are known to be in one set.
  template <bool Cliques>
  KOKKOS_FORCEINLINE_FUNCTION bool is_one_set(Node node) const {
    return tree.is_leaf(node) ? leaf_is_whole(node) != 0 : Cliques && is_clique(node);
  }
  KOKKOS_FORCEINLINE_FUNCTION LocalIndex first_row(Node node) const {
    return static_cast<LocalIndex>(tree.rows_of(node).begin);
  }
};

namespace detail {

/// One thread per lane: the lowest lane that this thread's particle is linked to through the lanes
/// of its packet. Bit j of `friends` is set if lane j is a friend; of two friends one is enough to
/// have the other's bit. Sets are found one after the other, each by adding the friends of all its
/// lanes until it stops growing. All lanes call it together.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION LocalIndex lowest_linked(std::uint32_t friends, int lane) {
  const std::uint32_t self = 1u << lane;
  auto label = static_cast<LocalIndex>(lane);
  for (std::uint32_t left = packet_bits(friends != 0); left != 0;) {
    std::uint32_t set = 1u << lowest_lane(left);
    for (std::uint32_t before = 0; set != before;) {
      before = set;
      set |= packet_or((set & self) != 0 ? friends : 0u) | packet_bits((friends & before) != 0);
    }
    if ((set & self) != 0) label = static_cast<LocalIndex>(lowest_lane(set));
    left &= ~set;
  }
  return label;
}

/// The same for the lanes of a vector; friends[j] has the bits of lane j < size. Sets are found one
/// after the other, each from its lowest lane. Lanes from `size` on get 0.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION typename L::Index lowest_linked(
    const Kokkos::Array<std::uint32_t, L::width>& friends, int size) {
  typename L::Index label(0u);
  for (std::uint32_t left = (1u << size) - 1u; left != 0;) {
    const int lowest = lowest_lane(left);
    std::uint32_t seen = 1u << lowest;
    std::uint32_t set = friends[lowest] | seen;
    for (std::uint32_t next = set & ~seen; next != 0 && set != left; next = set & ~seen) {
      const int lane = lowest_lane(next);
      set |= friends[lane];
      seen |= 1u << lane;
    }
    label = select(L::Mask::from_bits(set), static_cast<LocalIndex>(lowest), label);
    left &= ~set;
  }
  return label;
}

}  // namespace detail

/// Joins the particles of each leaf, or of the largest clique that contains it.
template <class MemorySpace, bool Velocities>
struct LinkWithinLeaves : LinkedTree<MemorySpace> {
  using LinkedTree<MemorySpace>::tree, LinkedTree<MemorySpace>::points,
      LinkedTree<MemorySpace>::rule, LinkedTree<MemorySpace>::sets;

  template <class L>
  KOKKOS_FUNCTION void run(Node leaf, int lane, Node*) const {
    using Index = typename L::Index;
    const LeafSpan rows = tree.rows_of_leaf(leaf);
    if constexpr (!Velocities) {
      if (this->is_clique(leaf)) {
        Node clique = leaf;
        while (clique > 1 && this->is_clique(clique / 2)) clique /= 2;
        const LeafRows<L> mine(rows, lane);
        const auto first = static_cast<LocalIndex>(tree.rows_of(clique).begin);
        scatter(sets.parent.data(), mine.row, Index(first), mine.valid);
        this->leaf_is_whole(leaf) = 1;
        return;
      }
    }
    const LeafPoints<L, Velocities> mine(rows, lane, points);
    const BoxBound<3> box = tree.bounds(leaf);
    const Index label = rule.own_images(box, box) ? lowest_friends<Images::own>(mine)
                                                  : lowest_friends<Images::nearest>(mine);
    scatter(sets.parent.data(), mine.rows.row, label + Index(rows.begin), mine.rows.valid);
    this->leaf_is_whole(leaf) = packet_bits(mine.rows.valid & (label > Index(0u))) == 0 ? 1 : 0;
  }

 private:
  /// For each lane, the lowest lane it is linked to through particles of this leaf.
  template <Images images, class L>
  KOKKOS_FUNCTION typename L::Index lowest_friends(const LeafPoints<L, Velocities>& mine) const {
    if constexpr (L::width == 1) {
      // Each pair of lanes is tested once: lane i tests the half of the lanes after it, in a
      // circle.
      const int lane = mine.rows.lane;
      LeafPoints<L, Velocities> valid = mine;
      if (!mine.rows.valid) valid.x[0] = Kokkos::Experimental::quiet_NaN_v<Real>;
      std::uint32_t friends = 0;
      for (int step = 1; step <= packet_width / 2; ++step) {
        const int other = (lane + step) & (packet_width - 1);
        if (valid.template is_friend_of_lane<images>(valid, other, rule)) friends |= 1u << other;
      }
      return detail::lowest_linked<L>(friends, lane);
    } else {
      const int size = static_cast<int>(mine.rows.rows.size);
      Kokkos::Array<std::uint32_t, L::width> friends;
      for (int j = 0; j < size; ++j) {
        const LocalIndex row = mine.rows.rows.begin + static_cast<LocalIndex>(j);
        friends[j] = packet_bits(mine.template friends_of<images>(row, points, rule));
      }
      return detail::lowest_linked<L>(friends, size);
    }
  }
};

/// Pair visitor that links each leaf to the leaves after it (traversal/self_join.hpp).
template <class MemorySpace, bool Velocities>
struct LinkBetweenLeaves : LinkedTree<MemorySpace> {
  using LinkedTree<MemorySpace>::tree, LinkedTree<MemorySpace>::points,
      LinkedTree<MemorySpace>::rule, LinkedTree<MemorySpace>::sets;

  template <class L>
  struct State {
    LeafPoints<L, Velocities> mine;
    BoxBound<3> box;
    typename L::Index set;  ///< for each lane, a particle of its set, near the root
    bool whole;             ///< true if all particles are in one set
  };

  template <class L>
  KOKKOS_FUNCTION State<L> start(Node leaf, int lane) const {
    const LeafPoints<L, Velocities> mine(tree.rows_of_leaf(leaf), lane, points);
    return State<L>{mine, tree.bounds(leaf), rows_above(mine.rows.row),
                    this->leaf_is_whole(leaf) != 0};
  }

  // [begin reaches]
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION bool reaches(const State<L>& state, Node node) const {
    return rule.least_distance2(state.box, tree.bounds(node)) < rule.reach2;
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION bool joined(State<L>& state, Node node) const {
    if (!state.whole || !this->template is_one_set<!Velocities>(node)) return false;
    const auto roots =
        roots_of<L>(sets, packet_value(state.set, 0), this->first_row(node), state.mine.rows.lane);
    state.set = typename L::Index(roots.first);
    return roots.first == roots.second;
  }
  // [end reaches]

  /// The same for one lane with its own node. Does not compress paths, because many lanes share
  /// them.
  KOKKOS_FORCEINLINE_FUNCTION bool seems_joined(const State<OneLane>& state, Node node) const {
    if (!state.whole || !this->template is_one_set<!Velocities>(node)) return false;
    return sets.root_by_now(state.set) == sets.root_by_now(this->first_row(node));
  }

  template <class L>
  KOKKOS_FUNCTION void pair(State<L>& state, Node other) const {
    if (rule.own_images(state.box, tree.bounds(other))) {
      meet<Images::own>(state, other);
    } else {
      meet<Images::nearest>(state, other);
    }
  }

 private:
  template <Images images, class L>
  KOKKOS_FORCEINLINE_FUNCTION void meet(State<L>& state, Node other) const {
    using LaneReal = typename L::Real;
    const LaneReal reach2(rule.reach2);
    const typename L::Mask near_them =
        state.mine.rows.valid &
        (rule.template least_distance2<L, images>(tree.bounds(other), state.mine.x) < reach2);
    if (packet_bits(near_them) == 0) return;
    const LeafRows<L> theirs(tree.rows_of_leaf(other), state.mine.rows.lane);
    const LanePoint<L, 3> y = theirs.template load_points<3>(points.position);
    const typename L::Mask near_us =
        theirs.valid & (rule.template least_distance2<L, images>(state.box, y) < reach2);
    const bool they_are_whole = this->leaf_is_whole(other) != 0;
    if constexpr (L::width == 1) {
      if (packet_bits(near_us) != 0)
        meet_by_lanes<images>(state, {theirs, y, points}, near_them, near_us, they_are_whole);
    } else {
      for (std::uint32_t bits = packet_bits(near_us); bits != 0; bits = without_lowest(bits)) {
        const LocalIndex row = theirs.rows.begin + static_cast<LocalIndex>(lowest_lane(bits));
        const std::uint32_t found =
            packet_bits(state.mine.template friends_of<images>(row, points, rule));
        if (found == 0) continue;
        // If the whole leaf is one set, one lane is enough.
        const std::uint32_t joining = state.whole ? found & ~without_lowest(found) : found;
        unite_lanes(sets, state.set, packet_mask<L>(joining, 0), row);
        if (state.whole && they_are_whole) return;
      }
    }
  }

  /// One thread per lane: the near particles of the leaf that has fewer of them are passed to the
  /// threads one by one and tested against the near particles of the other leaf.
  template <Images images>
  KOKKOS_FORCEINLINE_FUNCTION void meet_by_lanes(State<OneLane>& state,
                                                 const LeafPoints<OneLane, Velocities>& theirs,
                                                 bool near_them, bool near_us,
                                                 bool they_are_whole) const {
    const std::uint32_t mine_near = packet_bits(near_them);
    const std::uint32_t theirs_near = packet_bits(near_us);
    const bool all_whole = state.whole && they_are_whole;
    LocalIndex of_theirs = theirs.rows.row;
    // Two calls, because a choice of the coordinates would be repeated for each particle.
    if (Kokkos::popcount(mine_near) < Kokkos::popcount(theirs_near)) {
      pass<images>(state.mine, mine_near, state.set, theirs, near_us, of_theirs, they_are_whole,
                   all_whole);
    } else {
      pass<images>(theirs, theirs_near, of_theirs, state.mine, near_them, state.set, state.whole,
                   all_whole);
    }
  }

  /// Passes the particles of the lanes `passing` to the threads with a near particle of another
  /// leaf, which is one set if `one_set`. The first join ends it if both leaves are (`all_whole`).
  template <Images images>
  KOKKOS_FORCEINLINE_FUNCTION void pass(const LeafPoints<OneLane, Velocities>& passed,
                                        std::uint32_t passing, LocalIndex& of_passed,
                                        LeafPoints<OneLane, Velocities> tested, bool is_near,
                                        LocalIndex& of_tested, bool one_set, bool all_whole) const {
    const int lane = tested.rows.lane;
    if (!is_near) tested.x[0] = Kokkos::Experimental::quiet_NaN_v<Real>;  // nobody's friend
    JoinedSets joined(sets, of_tested, of_passed);
    for (; passing != 0; passing = without_lowest(passing)) {
      const int here = lowest_lane(passing);
      const std::uint32_t found =
          packet_bits(tested.template is_friend_of_lane<images>(passed, here, rule));
      if (found == 0) continue;
      // If the whole leaf is one set, one lane is enough.
      const std::uint32_t joining = one_set ? found & ~without_lowest(found) : found;
      joined.unite(packet_mask<OneLane>(joining, lane), here, lane);
      if (all_whole) return;
    }
  }

  /// An ancestor near the root for each lane's particle; other leaves join sets concurrently.
  KOKKOS_FORCEINLINE_FUNCTION LocalIndex rows_above(LocalIndex row) const {
    return sets.above(row);
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION LaneVector<LocalIndex, W> rows_above(
      LaneVector<LocalIndex, W> row) const {
    return LaneVector<LocalIndex, W>::of([&](int l) { return sets.above(row[l]); });
  }
};

}  // namespace copse::fof
