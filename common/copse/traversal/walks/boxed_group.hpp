#pragma once
/// \file
/// The packet's walk as one, for visitors that look for what is within reach: nodes and rows are
/// held against the box around the packet's queries, as many at a time as it has lanes.
///
/// In the other walks of packets one node is held against all queries. Here every lane holds
/// another node, or another row of a leaf, against the one box: a packet's instruction tests 32
/// nodes and not one. Only rows within reach of the box are met by the queries, in batches
/// (near_rows.hpp). What is wholly within reach of the whole box is counted, and looked at by none.
///
/// Results are those of the other walks, bit by bit: the distance to a box is computed by the
/// operations of the distance to a point, which round monotonically (tree/bounds.hpp), so what is
/// out of the box's reach is out of reach of every query in it.
///
/// For packets whose queries lie together. The box of others is the whole domain, and they meet
/// everything.
///
/// A visitor of this walk has, beside what every visitor has, a tree with boxes, queries `x` in its
/// State, and
///
///     static constexpr bool counts_wholes;  // is it enough to know that a point is within reach?
///     template <class L> Real reach2(const State<L>&) const;  // squared, of the whole packet
///     template <class L> void whole(State<L>&, std::uint32_t rows) const;  // if it counts them
///     template <class L> void meet(State<L>&, const NearBatch<L, Dim>&) const;
///
/// where `reach2` must be the same on every lane and may shrink whenever a batch was met. It may
/// also have
///
///     template <class L> State<L> start_from_root(typename L::Index query) const;
///     template <class L> typename L::Index own_leaf(typename L::Index query) const;  // 0: none
///
/// Then the packet begins with the leaves that its queries lie in.

#include <copse/traversal/leaf_rows.hpp>
#include <copse/traversal/near_rows.hpp>
#include <copse/traversal/packet_lanes.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>

namespace copse {

/// Can a visitor's packets walk as one box?
template <class Visitor>
concept BoxedVisitor = requires {
  typename decltype(Visitor::tree)::Bound;
  requires std::same_as<typename decltype(Visitor::tree)::Bound,
                        BoxBound<decltype(Visitor::tree)::dimension>>;
  Visitor::counts_wholes;
};

namespace detail {

/// The box around the lanes' points, the same in every lane.
template <class L, int Dim>
KOKKOS_FUNCTION BoxBound<Dim> packet_box(const LanePoint<L, Dim>& x) {
  BoxBound<Dim> box;
  for (int a = 0; a < Dim; ++a) {
    box.lower[a] = packet_min(x[a]);
    box.upper[a] = packet_max(x[a]);
  }
  return box;
}

/// A box in each lane, and how far it is from the packet's: see BoxBound.
template <class L, int Dim>
struct LaneBoxes {
  LanePoint<L, Dim> lower, upper;

  template <class Bounds>
  KOKKOS_FORCEINLINE_FUNCTION LaneBoxes(const Bounds& bounds, typename L::Index node) {
    if constexpr (L::width == 1) {
      const BoxBound<Dim>& box = bounds(node);
      for (int a = 0; a < Dim; ++a) lower[a] = box.lower[a], upper[a] = box.upper[a];
    } else {
      for (int l = 0; l < L::width; ++l) {
        const BoxBound<Dim>& box = bounds(node[l]);
        for (int a = 0; a < Dim; ++a) lower[a].set(l, box.lower[a]), upper[a].set(l, box.upper[a]);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION typename L::Real min_distance2(const BoxBound<Dim>& box) const {
    using LaneReal = typename L::Real;
    LaneReal sum(Real(0));
    for (int a = 0; a < Dim; ++a)
      sum = add_square<LaneReal>(
          sum,
          lane_max(lane_max(lower[a] - LaneReal(box.upper[a]), LaneReal(box.lower[a]) - upper[a]),
                   LaneReal(0)),
          a);
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real max_distance2(const BoxBound<Dim>& box) const {
    using LaneReal = typename L::Real;
    LaneReal sum(Real(0));
    for (int a = 0; a < Dim; ++a)
      sum = add_square<LaneReal>(
          sum, lane_max(upper[a] - LaneReal(box.lower[a]), LaneReal(box.upper[a]) - lower[a]), a);
    return sum;
  }
};

/// Rows of the lanes' nodes where `mask`, added up.
template <class Tree>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rows_in(const Tree& tree, Node node, bool mask) {
  return packet_sum(mask ? static_cast<std::uint32_t>(tree.rows_of(node).size()) : 0u);
}
template <class Tree, int W>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rows_in(const Tree& tree, LaneVector<Node, W> node,
                                                  LaneMask<W> mask) {
  std::uint32_t sum = 0;
  for (std::uint32_t bits = mask.bits(); bits != 0; bits = without_lowest(bits))
    sum += static_cast<std::uint32_t>(tree.rows_of(node[lowest_lane(bits)]).size());
  return sum;
}

}  // namespace detail

/// One packet on its way.
///
/// Inner nodes within reach wait on a stack, those of deeper levels above. A round takes up to half
/// as many as there are lanes, W / 2, from its top and tests what is below them, one in each lane.
/// So after a round no more than 1 + d W / 2 nodes of depth d and less wait: where it takes nodes
/// of depth d - 1 it has taken all of depth d, and adds at most W / 2 to what was there of less
/// depth; and where it goes down two levels or more it has taken all there were, and leaves at most
/// W.
template <class L, class Visitor, class Counters>
class BoxedGroup {
 public:
  using Tree = decltype(Visitor::tree);
  using State = typename Visitor::template State<L>;
  using Real = copse::Real;
  using LaneReal = typename L::Real;
  using Index = typename L::Index;
  using Mask = typename L::Mask;
  static constexpr int dim = Tree::dimension;
  static constexpr int lanes = packet_lanes<L>;
  static constexpr bool has_own_leaf = requires(const Visitor& v, Index query) {
    v.template own_leaf<L>(query);
  };

  /// Nodes that wait at most in a tree of so many levels.
  KOKKOS_FUNCTION static constexpr int stack_size(int levels) { return lanes / 2 * (levels + 1); }
  /// Bytes of scratch memory for a packet, a multiple of 16.
  static constexpr std::size_t room_bytes(int levels) {
    return sizeof(NearRowsRoom<L, dim>) +
           sizeof(Node) * static_cast<std::size_t>(stack_size(levels));
  }

  KOKKOS_FORCEINLINE_FUNCTION BoxedGroup(const Visitor& visitor, State& state, int lane,
                                         NearRowsRoom<L, dim>& rows, Node* nodes,
                                         Counters& counters)
      : visitor_(visitor),
        state_(state),
        counters_(counters),
        box_(detail::packet_box<L, dim>(state.x)),
        rows_(rows, lane),
        nodes_(nodes),
        lane_(lane) {
    reach2_ = visitor_.template reach2<L>(state_);
    // Nothing is within reach of a whole box that reaches not half as far as the box is wide.
    Real diameter2 = 0;
    for (int a = 0; a < dim; ++a) {
      const Real width = box_.upper[a] - box_.lower[a];
      diameter2 += width * width;
    }
    wholes_ = 4 * reach2_ >= diameter2;
  }

  KOKKOS_FORCEINLINE_FUNCTION void walk(Index query, Mask valid) {
    Index node(0u);
    LaneReal least(Real(0));
    std::uint32_t leaves = begin(query, valid, node);
    // Round by round: leaves that the round before has found, then the next nodes.
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
      if ((first || !more) && rows_.waiting() > 0) meet();
      if (more) leaves = look_at(node, count, least);
      first = false;
    }
  }

 private:
  /// The leaves that the queries lie in, as lanes of `node`, if they are known; then the walk goes
  /// on beside one of them, else from the root.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin(Index query, Mask valid, Index& node) {
    std::uint32_t leaves = 0;
    if constexpr (has_own_leaf) {
      own_ = node = visitor_.template own_leaf<L>(query);
      std::uint32_t todo = packet_bits(valid & !(own_ == Index(0u)));
      while (todo != 0) {
        const int lane = lowest_lane(todo);
        leaf_ = packet_value(own_, lane);
        leaves |= 1u << lane;
        todo &= ~packet_bits(own_ == Index(leaf_));
      }
      above_ = leaves != 0 ? visitor_.tree.levels : 0;
    }
    if (leaves == 0) {
      const Node root = visitor_.tree.root();
      counters_.visit(lanes);
      if (visitor_.tree.is_leaf(root)) {
        node = Index(root);
        return 1u;
      }
      if (L::width > 1 || lane_ == 0) nodes_[0] = root;
      waiting_ = 1;
    }
    return leaves;
  }

  /// What lies beside a leaf and beside all nodes above it is the rest of the tree, and the last
  /// of it is the nearest.
  KOKKOS_FORCEINLINE_FUNCTION Index next_beside(int& count) {
    const int above = above_;
    count = above < lanes ? above : lanes;
    above_ -= count;
    return for_lanes([&](int lane) {
      const int height = above - 1 - lane;
      return (leaf_ >> (height > 0 ? height : 0)) ^ 1u;
    });
  }

  /// What lies below the nodes on top of the stack: their children, or where so few wait that
  /// lanes would have nothing to do, those some levels further down.
  KOKKOS_FORCEINLINE_FUNCTION Index next_below(int& count) {
    const int taken = waiting_ < lanes / 2 ? waiting_ : lanes / 2;
    packet_sync();  // the nodes are there
    const int to_leaves = visitor_.tree.levels - Tree::depth(nodes_[waiting_ - 1]);
    int levels = 1;
    while (levels < to_leaves && taken << (levels + 1) <= lanes) ++levels;
    waiting_ -= taken;
    count = taken << levels;
    const Index node = for_lanes([&](int lane) {
      const int place = lane >> levels;
      const Node above = nodes_[waiting_ + (place < taken ? place : 0)];
      return (above << levels) + static_cast<Node>(lane & ((1 << levels) - 1));
    });
    packet_sync();  // all have read before one writes there
    return node;
  }

  /// `node(lane)` in each lane.
  template <class Function>
  KOKKOS_FORCEINLINE_FUNCTION Index for_lanes(const Function& node) const {
    if constexpr (L::width == 1) {
      return node(lane_);
    } else {
      Index nodes;
      for (int l = 0; l < lanes; ++l) nodes.set(l, node(l));
      return nodes;
    }
  }

  /// The first `count` lanes look at a node each: inner nodes within reach will be looked below.
  /// \returns the lanes that hold leaves within reach
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t look_at(Index node, int count, LaneReal& least) {
    counters_.visit(lanes, static_cast<Count>(count));
    const detail::LaneBoxes<L, dim> boxes(visitor_.tree.bounds, node);
    least = boxes.min_distance2(box_);
    const Mask exists = lane_numbers<L>(lane_) < Index(static_cast<std::uint32_t>(count));
    Mask near = exists & (least <= LaneReal(reach2_));
    if constexpr (Visitor::counts_wholes) {
      if (wholes_) {
        const Mask whole = near & (boxes.max_distance2(box_) <= LaneReal(reach2_));
        if (packet_bits(whole) != 0)
          visitor_.template whole<L>(state_, detail::rows_in(visitor_.tree, node, whole));
        near = near & !whole;
      }
    }
    const Mask leaf = node >= Index(visitor_.tree.leaf_slots());
    const Mask inner = near & !leaf;
    const std::uint32_t inner_bits = packet_bits(inner);
    scatter(nodes_ + waiting_, lane_ranks<L>(inner_bits, lane_), node, inner);
    waiting_ += static_cast<int>(lanes_in(inner_bits));
    return packet_bits(near & leaf);
  }

  /// Searches the leaves that lanes hold whose bits are set.
  KOKKOS_FORCEINLINE_FUNCTION void search_near(Index node, const LaneReal& least,
                                               std::uint32_t leaves, bool first) {
    while (leaves != 0) {
      const Node next = packet_value(node, lowest_lane(leaves));
      leaves = without_lowest(leaves);
      if constexpr (Visitor::guided) {
        // Where one query reaches much farther than the others, its reach from the box says little.
        const std::uint32_t wanting =
            packet_bits(visitor_.template open<L>(state_, next, Mask(true)));
        const bool done = is_done(next) || wanting == 0;
        if (!first && done) continue;
      }
      const bool met = search(next);
      if constexpr (Visitor::guided) {
        if (met) leaves &= packet_bits(least <= LaneReal(reach2_));
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_done(Node leaf) const {
    if constexpr (has_own_leaf) {
      return packet_bits(own_ == Index(leaf)) != 0;
    } else {
      return false;
    }
  }

  /// The rows of a leaf, one in each lane. Did the queries meet some, of this leaf or others?
  KOKKOS_FORCEINLINE_FUNCTION bool search(Node leaf) {
    bool met = false;
    const Segment rows = visitor_.tree.rows_of_leaf(leaf);
    counters_.search(visitor_.tree, leaf, 0);
    for (Count first = rows.begin; first < rows.end; first += lanes) {
      const Count end = first + lanes;
      const LeafRows<L> mine(Segment{first, end < rows.end ? end : rows.end}, lane_);
      const LanePoint<L, dim> y = mine.template load_points<dim>(visitor_.tree.points);
      Mask near = mine.valid & (box_.template min_distance2<L>(y) <= LaneReal(reach2_));
      if constexpr (Visitor::counts_wholes) {
        if (wholes_) {
          const Mask whole = near & (box_.template max_distance2<L>(y) <= LaneReal(reach2_));
          visitor_.template whole<L>(state_, lanes_in(packet_bits(whole)));
          near = near & !whole;
        }
      }
      rows_.append(y, mine.row, near, packet_bits(near));
      if (rows_.has_batch()) {
        meet();
        met = true;
      }
    }
    return met;
  }

  KOKKOS_FORCEINLINE_FUNCTION void meet() {
    counters_.compare(static_cast<Count>(lanes) *
                      static_cast<Count>(rows_.waiting() < lanes ? rows_.waiting() : lanes));
    visitor_.template meet<L>(state_, rows_.take());
    packet_sync();  // all have read before one writes there
    reach2_ = visitor_.template reach2<L>(state_);
  }

  const Visitor& visitor_;
  State& state_;
  Counters& counters_;
  BoxBound<dim> box_;
  NearRows<L, dim> rows_;
  Node* nodes_;
  int lane_;
  int waiting_ = 0;  ///< nodes
  int above_ = 0;    ///< levels above leaf_ that the walk has still to look beside
  Node leaf_ = 0;
  Real reach2_;
  bool wholes_;
  Index own_{};
};

/// One packet's whole traversal. `rows` and `nodes` are the packet's, with room for
/// BoxedGroup::stack_size nodes; `lane` is the calling thread's, 0 on hosts. Lanes that are not
/// valid repeat the query of one that is.
template <class L, class Visitor, class Counters>
KOKKOS_FUNCTION void walk_boxed_group(const Visitor& visitor, typename L::Index query,
                                      typename L::Mask valid, int lane,
                                      NearRowsRoom<L, decltype(Visitor::tree)::dimension>& rows,
                                      Node* nodes, Counters& counters) {
  using Group = BoxedGroup<L, Visitor, Counters>;
  typename Group::State state;
  if constexpr (Group::has_own_leaf) {
    state = visitor.template start_from_root<L>(query);
  } else {
    state = visitor.template start<L>(query);
  }
  Group(visitor, state, lane, rows, nodes, counters).walk(query, valid);
  visitor.template finish<L>(query, state, valid);
}

}  // namespace copse
