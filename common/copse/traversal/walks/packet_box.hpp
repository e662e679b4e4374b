#pragma once
/// \file
/// The group walk of visitors that search a neighbourhood: the packet walks as its bounding box,
/// and each lane tests a different node, or a different point of a leaf, against that box.
///
/// In the other walks all lanes test the same node. Here one packet instruction tests 32 nodes.
/// Only points within reach of the box are compared with the queries, in batches (NearRows). Nodes
/// and points within reach of the whole box are counted without comparison.
///
/// Results equal those of the other walks bit for bit. The distance to a box uses the same
/// operations as the distance to a point, and these round monotonically (tree/bounds.hpp). So a
/// point out of the box's reach is out of reach of every query in it.
///
/// The walk is efficient only if the queries of a packet are close together. If they are far apart,
/// the box is the whole domain and the packet is compared with every point.
///
/// In addition to the walk protocol (visitor.hpp) the visitor has a tree with boxes, queries `x` in
/// its State, and
///
///     template <class L> Real reach2(const State<L>&) const;  // squared, of the whole packet
///     template <class L> void add_near(State<L>&, const NearBatch<L, Dim>&) const;
///     // Optional: adds a number of points that are within reach of all lanes.
///     template <class L> void add_inside(State<L>&, std::uint32_t rows) const;
///
/// `reach2` must be the same on every lane and may shrink after each batch. If the visitor has
/// `own_leaf`, the packet begins with the leaves that contain its queries, or, if one of them is
/// not known to be a point of the tree, with the points inside its box.

#include <copse/backend/lanes.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/traversal/packet_points.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/traversal/walks/lane_boxes.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>

namespace copse {

/// Visitors whose packets can walk as one box.
template <class Visitor>
concept BoxSearchVisitor = requires {
  typename decltype(Visitor::tree)::Bound;
  requires std::same_as<typename decltype(Visitor::tree)::Bound,
                        BoxBound<decltype(Visitor::tree)::dimension>>;
}
&&requires(const Visitor& v, typename Visitor::template State<OneLane>& state) {
  v.template reach2<OneLane>(state);
};

/// Maximum number of waiting nodes in a tree of `levels` levels.
template <class L>
KOKKOS_FUNCTION constexpr int packet_box_stack_size(int levels) {
  return packet_lanes<L> / 2 * (levels + 1);
}

/// The walk of one packet. `rows` and `nodes` are its memory; `nodes` has room for
/// packet_box_stack_size.
///
/// Inner nodes within reach wait on a stack, deeper ones on top. A round pops up to W / 2 nodes (W
/// lanes) and tests their children, or deeper descendants, one per lane. After a round at most 1 +
/// d W / 2 nodes of depth d or less wait: a round that pops nodes of depth d - 1 has popped all of
/// depth d and adds at most W / 2; a round that descends two levels or more has popped all nodes
/// and leaves at most W.
template <class L, class Visitor, class Counters>
class PacketBox {
 public:
  using Tree = decltype(Visitor::tree);
  using State = typename Visitor::template State<L>;
  using Real = copse::Real;
  using LaneReal = typename L::Real;
  using Index = typename L::Index;
  using Mask = typename L::Mask;
  static constexpr int dim = Tree::dimension;
  static constexpr int lanes = packet_lanes<L>;
  static constexpr std::uint32_t all_lanes = ~0u >> (32 - lanes);
  static constexpr bool adds_inside = requires(const Visitor& v, State& s) {
    v.template add_inside<L>(s, 0u);
  };

  KOKKOS_FORCEINLINE_FUNCTION PacketBox(const Visitor& visitor, State& state,
                                        const PacketId& packet, NearRowsRoom<L, dim>& rows,
                                        Node* nodes, Counters& counters)
      : visitor_(visitor),
        state_(state),
        counters_(counters),
        box_(packet_box<L, dim>(state.x)),
        rows_(rows, packet.lane),
        nodes_(nodes),
        packet_(packet),
        lane_(packet.lane) {
    reach2_ = visitor_.template reach2<L>(state_);
    // If the reach is less than half the box diagonal, no point is within reach of the whole box.
    // The ballot keeps compilers from repeating this computation for every leaf.
    Real diameter2 = 0;
    for (int a = 0; a < dim; ++a) {
      const Real width = box_.upper[a] - box_.lower[a];
      diameter2 += width * width;
    }
    may_be_inside_ = packet_bits(Mask(4 * reach2_ >= diameter2)) != 0;
  }

  /// Walks from `top` down, or, with `FromOwnLeaves`, from the leaves of the queries or near them.
  /// Invalid lanes duplicate the query of a valid one.
  template <bool FromOwnLeaves>
  KOKKOS_FORCEINLINE_FUNCTION void walk(Index query, Mask valid, Node top) {
    Index node(0u);
    LaneReal least(Real(0));
    std::uint32_t leaves;
    if constexpr (FromOwnLeaves) {
      static_assert(!PartialVisitor<Visitor>, "a search that begins at leaves needs a whole tree");
      static_assert(!adds_inside, "nodes inside the reach would be counted twice");
      leaves = begin_at_own_leaves(query, valid, node);
    } else {
      leaves = begin_at(top, node);
    }
    // Each round searches the leaves found by the previous round, then tests the next nodes.
    bool first = true, more = true;
    while (more) {
      search_near(node, least, leaves, first);
      int count = 0;
      if (above_ > 0) {
        node = next_beside(count);
      } else if (waiting_ > 0) {
        node = next_below(count);
      } else {
        more = false;
      }
      if ((first || !more) && rows_.waiting() > 0) add_batch();
      first = false;
      if (more) {
        leaves = look_at(node, count, least);
      } else if (in_box_) {
        leaves = begin_outside(node);
        first = more = true;
      }
    }
  }

 private:
  /// Finds the leaves of the queries. The walk continues with the siblings of one of them and of
  /// its ancestors. If not all queries are known to be points of the tree, it begins with the
  /// points inside the packet's box, which bound the reach of the points outside. \returns the
  /// lanes of `node` that hold a leaf to search
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin_at_own_leaves(Index query, Mask valid,
                                                                Index& node) {
    own_ = visitor_.template own_leaf<L>(query);
    if (packet_bits(own_ == Index(0u)) != 0) {
      own_ = Index(0u);
      in_box_ = true;
      reach2_ = 0;
      return begin_at(1, node);
    }
    node = own_;
    std::uint32_t leaves = 0, todo = packet_bits(valid);
    while (todo != 0) {
      const int lane = lowest_lane(todo);
      leaf_ = packet_value(own_, lane);
      leaves |= 1u << lane;
      todo &= ~packet_bits(own_ == Index(leaf_));
    }
    above_ = visitor_.tree.levels;
    return leaves;
  }

  /// The points inside the box have been added. Continues with the points outside, first those of a
  /// leaf that overlaps the box or is near it.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin_outside(Index& node) {
    in_box_ = false;
    beyond2_ = 0;
    reach2_ = visitor_.template reach2<L>(state_);
    if (leaf_ == 0) leaf_ = leaf_near_box();
    node = Index(leaf_);
    above_ = visitor_.tree.levels;
    return 1u;
  }

  /// Each step tests nodes of a deeper level, after the first step one per lane, and goes to the
  /// nearest.
  KOKKOS_FORCEINLINE_FUNCTION Node leaf_near_box() {
    constexpr int most_levels = Kokkos::countr_zero(static_cast<unsigned>(lanes));
    Node nearest = 1;
    for (int left = visitor_.tree.levels; left > 0;) {
      const int levels = (left - 1) % most_levels + 1;
      const Node nodes = Node{1} << levels;
      const Index node = for_lanes(
          [&](int lane) { return (nearest << levels) + (static_cast<Node>(lane) & (nodes - 1)); });
      counters_.visit(lanes, nodes);
      const LaneReal distance2 = LaneBoxes<L, dim>(visitor_.tree.bounds, node).min_distance2(box_);
      nearest = packet_value(
          node, lowest_lane(packet_bits(distance2 <= LaneReal(packet_min(distance2)))));
      left -= levels;
    }
    return nearest;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin_at(Node top, Index& node) {
    counters_.visit(lanes);
    if (stops_at_missing(visitor_, packet_, top, all_lanes)) return 0;
    if (visitor_.tree.is_leaf(top)) {
      node = Index(top);
      return 1u;
    }
    if (L::width > 1 || lane_ == 0) nodes_[0] = top;
    waiting_ = 1;
    return 0;
  }

  /// The siblings of a leaf and of its ancestors cover the rest of the tree; the nearest come last.
  KOKKOS_FORCEINLINE_FUNCTION Index next_beside(int& count) {
    const int above = above_;
    count = above < lanes ? above : lanes;
    above_ -= count;
    return for_lanes([&](int lane) {
      const int height = above - 1 - lane;
      return (leaf_ >> (height > 0 ? height : 0)) ^ 1u;
    });
  }

  /// The children of the nodes on top of the stack. If too few nodes wait to fill the lanes, their
  /// descendants further down.
  KOKKOS_FORCEINLINE_FUNCTION Index next_below(int& count) {
    const int taken = waiting_ < lanes / 2 ? waiting_ : lanes / 2;
    packet_sync();  // make pushed nodes visible
    const int to_leaves = visitor_.tree.levels - Tree::depth(nodes_[waiting_ - 1]);
    int levels = 1;
    if constexpr (!PartialVisitor<Visitor>)  // intermediate nodes may be missing
      while (levels < to_leaves && taken << (levels + 1) <= lanes) ++levels;
    waiting_ -= taken;
    count = taken << levels;
    const Index node = for_lanes([&](int lane) {
      const int place = lane >> levels;
      const Node above = nodes_[waiting_ + (place < taken ? place : 0)];
      return (above << levels) + static_cast<Node>(lane & ((1 << levels) - 1));
    });
    packet_sync();  // all lanes read before the memory is reused
    return node;
  }

  /// `node(lane)` in each lane.
  template <class Function>
  KOKKOS_FORCEINLINE_FUNCTION Index for_lanes(const Function& node) const {
    if constexpr (L::width == 1) {
      return node(lane_);
    } else {
      return Index::of(node);
    }
  }

  /// The first `count` lanes test one node each and push inner nodes within reach.
  /// \returns the lanes that hold leaves within reach
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t look_at(Index node, int count, LaneReal& least) {
    counters_.visit(lanes, static_cast<Count>(count));
    const LaneBoxes<L, dim> boxes(visitor_.tree.bounds, node);
    least = boxes.min_distance2(box_);
    const Mask exists = lane_numbers<L>(lane_) < Index(static_cast<std::uint32_t>(count));
    Mask near = exists & (least <= LaneReal(reach2_));
    if constexpr (adds_inside) {
      if (may_be_inside_) {
        const Mask inside = near & (boxes.max_distance2(box_) <= LaneReal(reach2_));
        if (packet_bits(inside) != 0)
          visitor_.template add_inside<L>(state_, rows_in(visitor_.tree, node, inside));
        near = near & !inside;
      }
    }
    if constexpr (PartialVisitor<Visitor>) near = near & !note_missing(node, near);
    const Mask leaf = node >= Index(visitor_.tree.leaf_slots());
    const Mask inner = near & !leaf;
    const std::uint32_t inner_bits = packet_bits(inner);
    scatter(nodes_ + waiting_, lane_ranks<L>(inner_bits, lane_), node, inner);
    waiting_ += static_cast<int>(lanes_in(inner_bits));
    return packet_bits(near & leaf);
  }

  /// The lanes of `near` whose nodes are missing; records these nodes for the whole packet.
  KOKKOS_FORCEINLINE_FUNCTION Mask note_missing(Index node, Mask near) const {
    if constexpr (L::width == 1) {
      if (!near || !visitor_.is_missing(node)) return false;
      visitor_.missing(packet_.number, node, all_lanes);
      return true;
    } else {
      std::uint32_t missing = 0;
      for (std::uint32_t bits = packet_bits(near); bits != 0; bits = without_lowest(bits))
        if (stops_at_missing(visitor_, packet_, node[lowest_lane(bits)], all_lanes))
          missing |= 1u << lowest_lane(bits);
      return Mask::from_bits(missing);
    }
  }

  /// Searches the leaves in the lanes of `leaves`.
  KOKKOS_FORCEINLINE_FUNCTION void search_near(Index node, const LaneReal& least,
                                               std::uint32_t leaves, bool first) {
    while (leaves != 0) {
      const Node next = packet_value(node, lowest_lane(leaves));
      leaves = without_lowest(leaves);
      if (in_box_) leaf_ = next;
      if constexpr (Visitor::guided) {
        // Skip leaves that no query opens: the reach of the box is that of its farthest-reaching
        // query.
        const std::uint32_t wanting =
            packet_bits(visitor_.template classify<L>(state_, next, Mask(true)).open);
        if (wanting == 0 || (!first && is_done(next))) continue;
      }
      const bool added = search(next);
      if constexpr (Visitor::guided) {
        if (added) leaves &= packet_bits(least <= LaneReal(reach2_));
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_done(Node leaf) const {
    if constexpr (OwnLeafVisitor<Visitor>) {
      return packet_bits(own_ == Index(leaf)) != 0;
    } else {
      return false;
    }
  }

  /// Tests the points of a leaf, one per lane. \returns whether a batch was added
  KOKKOS_FORCEINLINE_FUNCTION bool search(Node leaf) {
    bool added = false;
    constexpr auto at_once = static_cast<std::uint32_t>(lanes);
    const LeafSpan rows = visitor_.tree.rows_of_leaf(leaf);
    counters_.search(visitor_.tree, leaf, 0);
    for (std::uint32_t done = 0; done < rows.size; done += at_once) {
      const LeafRows<L> mine({rows.begin + done, Kokkos::min(rows.size - done, at_once)}, lane_);
      const LanePoint<L, dim> y = mine.template load_points<dim>(visitor_.tree.points);
      const LaneReal distance2 = box_.template min_distance2<L>(y);
      Mask near = mine.valid & (distance2 <= LaneReal(reach2_));
      if constexpr (OwnLeafVisitor<Visitor>) near = near & (distance2 > LaneReal(beyond2_));
      if constexpr (adds_inside) {
        if (may_be_inside_) {
          const Mask inside = near & (box_.template max_distance2<L>(y) <= LaneReal(reach2_));
          visitor_.template add_inside<L>(state_, lanes_in(packet_bits(inside)));
          near = near & !inside;
        }
      }
      rows_.append(y, mine.row, near, packet_bits(near));
      if (rows_.has_batch()) {
        add_batch();
        added = true;
      }
    }
    return added;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_batch() {
    counters_.compare(static_cast<Count>(lanes) *
                      static_cast<Count>(rows_.waiting() < lanes ? rows_.waiting() : lanes));
    visitor_.template add_near<L>(state_, rows_.take());
    packet_sync();  // all lanes read before the memory is reused
    if (!in_box_) reach2_ = visitor_.template reach2<L>(state_);
  }

  const Visitor& visitor_;
  State& state_;
  Counters& counters_;
  BoxBound<dim> box_;
  NearRows<L, dim> rows_;
  Node* nodes_;
  PacketId packet_;
  int lane_;
  int waiting_ = 0;  ///< nodes on the stack
  int above_ = 0;    ///< ancestors of leaf_ whose siblings are not yet tested
  Node leaf_ = 0;
  bool in_box_ = false;  ///< only points inside the box are added, and reach2_ is 0
  Real beyond2_ = -1;    ///< points at most this squared distance from the box have been added
  Real reach2_;
  bool may_be_inside_;
  Index own_{};
};

}  // namespace copse
