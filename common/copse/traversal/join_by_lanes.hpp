#pragma once
/// \file
/// The walk of a self-join (self_join.hpp) where lanes are threads: every lane tests a different
/// node, so that a step tests up to 32 nodes and not one node 32 times.
///
/// | step | the lanes' nodes |
/// |---|---|
/// | first | the right siblings on the leaf's way to the root |
/// | expansion of a node | its descendants five levels below, or above that the first ones that are
/// a multiple of five levels above the leaves |
///
/// Nodes in between are not tested. The result of a step is a mask, the same in all lanes; its bits
/// are processed from the lowest, which is the order of the tree.
///
/// Invariant: a leaf after the walking leaf is paired with it exactly once, unless the leaf or one
/// of its ancestors is out of reach or joined.

#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/traversal/visitor.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::detail {

/// Bit l is what `question(l)` says to lane l. On a host the calling thread answers for all.
template <class Question>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t ask_lanes(const Question& question, int lane) {
  KOKKOS_IF_ON_DEVICE((return packet_ballot(question(lane));))
  KOKKOS_IF_ON_HOST(((void)lane; std::uint32_t bits = 0;
                     for (int l = 0; l < packet_width; ++l) bits |= (question(l) ? 1u : 0u) << l;
                     return bits;))
}

template <class Visitor>
class JoinByLanes {
 public:
  /// `room` is for the nodes of a walk, shared by the lanes of the packet.
  KOKKOS_FUNCTION JoinByLanes(const Visitor& visitor, Node leaf, int lane, Node* room)
      : visitor_(visitor),
        state_(visitor.template start<OneLane>(leaf, lane)),
        lane_(lane),
        stack_(room) {}

  KOKKOS_FUNCTION void run(Node leaf) {
    std::uint32_t siblings = ask_lanes(SiblingReaches{*this, leaf}, lane_);
    for (; siblings != 0; siblings = without_lowest(siblings))
      meet_below((leaf >> lowest_lane(siblings)) + 1);
  }

 private:
  using State = typename Visitor::template State<OneLane>;
  static constexpr int step = 5;  // levels that a packet has lanes for

  /// Lane l asks about the right sibling of the leaf's ancestor l levels up.
  struct SiblingReaches {
    const JoinByLanes& join;
    Node leaf;
    KOKKOS_FUNCTION bool operator()(int lane) const {
      if (lane >= join.visitor_.tree.levels) return false;
      const Node ancestor = leaf >> lane;
      if (ancestor % 2 != 0) return false;  // a right child: its sibling comes before
      return join.is_wanted(ancestor + 1);
    }
  };
  struct DescendantReaches {
    const JoinByLanes& join;
    Node first;
    int count;
    KOKKOS_FUNCTION bool operator()(int lane) const {
      return lane < count && join.is_wanted(first + static_cast<Node>(lane));
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION bool is_wanted(Node node) const {
    return visitor_.template reaches<OneLane>(state_, node) && !visitor_.seems_joined(state_, node);
  }

  /// Meets the leaves below a node, or the node itself if it is one.
  KOKKOS_FORCEINLINE_FUNCTION void meet_below(Node top) {
    // One candidate, then descendants in steps; a level waits on the stack as its first node and
    // the mask of those still to be looked at.
    Node first = top;
    std::uint32_t wanted = 1;
    while (true) {
      while (wanted != 0) {
        const Node node = first + static_cast<Node>(lowest_lane(wanted));
        wanted = without_lowest(wanted);
        if (visitor_.tree.is_leaf(node)) {
          // Leaves that were met since the lanes asked may have joined it.
          if (!visitor_.template joined<OneLane>(state_, node))
            visitor_.template pair<OneLane>(state_, node);
        } else {
          if (wanted != 0) {
            stack_.push(first);
            stack_.push(wanted);
          }
          const int height = visitor_.tree.levels - visitor_.tree.depth(node);
          const int down = height % step == 0 ? step : height % step;
          first = node << down;
          wanted = ask_lanes(DescendantReaches{*this, first, 1 << down}, lane_);
        }
      }
      if (stack_.is_empty()) return;
      wanted = stack_.pop();
      first = stack_.pop();
    }
  }

  const Visitor& visitor_;
  State state_;
  int lane_;
  PacketStack<OneLane, Node> stack_;
};

}  // namespace copse::detail
