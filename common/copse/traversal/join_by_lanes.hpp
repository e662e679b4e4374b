#pragma once
/// \file
/// The self-join walk (self_join.hpp) for GPU warps: each lane tests a different node, so one step
/// tests up to 32 nodes.
///
/// | step | nodes tested by the lanes |
/// |---|---|
/// | first | the right siblings of the leaf and its ancestors |
/// | expand a node | its descendants five levels down, or fewer (see below) |
///
/// An expansion ends at a height that is a multiple of five; levels in between are not tested. The
/// result of a step is a mask, identical in all lanes. Its bits are processed from the lowest,
/// which is tree order.
///
/// Invariant: each later leaf is paired with the walking leaf exactly once, unless that leaf or one
/// of its ancestors is out of reach or already joined.

#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/traversal/visitor.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::detail {

/// Ballot: bit l is `question(l)` evaluated by lane l. On a host the calling thread evaluates all
/// 32.
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
  /// `room` holds the stack, shared by the lanes of the packet.
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
  static constexpr int step = 5;  // 2^5 nodes fill the lanes of a packet

  /// Lane l tests the right sibling of the leaf's ancestor l levels up.
  struct SiblingReaches {
    const JoinByLanes& join;
    Node leaf;
    KOKKOS_FUNCTION bool operator()(int lane) const {
      if (lane >= join.visitor_.tree.levels) return false;
      const Node ancestor = leaf >> lane;
      if (ancestor % 2 != 0) return false;  // a right child: its sibling precedes the leaf
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

  /// Pairs the leaf with the wanted leaves below `top`, or with `top` if it is a leaf.
  KOKKOS_FORCEINLINE_FUNCTION void meet_below(Node top) {
    // Each stack entry is a level: its first node and the mask of nodes still to process.
    Node first = top;
    std::uint32_t wanted = 1;
    while (true) {
      while (wanted != 0) {
        const Node node = first + static_cast<Node>(lowest_lane(wanted));
        wanted = without_lowest(wanted);
        if (visitor_.tree.is_leaf(node)) {
          // Leaves paired since the ballot may have joined this one.
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
