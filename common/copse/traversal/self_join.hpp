#pragma once
/// \file
/// Walks of leaves instead of queries: the points of a leaf walk the tree as one packet and are
/// paired with all near points, each pair of leaves once.
///
/// The walk of a leaf costs as much as that of one query. Nodes are tested box against box, and two
/// near leaves form a dense tile of up to W x W pairs. A leaf is paired only with leaves after it
/// in tree order: it starts from the right siblings of itself and its ancestors, so earlier nodes
/// are never tested. Where lanes are threads, each tests a different node (join_by_lanes.hpp).
///
/// The *pair visitor* does the work:
///
///     struct PairVisitor {
///       Tree tree;                       // balanced, leaves of at most W rows
///       template <class L> struct State; // per-leaf state of the walk
///
///       template <class L> State<L> start(Node leaf, int lane) const;
///       // May the node be near the leaf? Without communication between lanes.
///       template <class L> bool reaches(const State<L>&, Node) const;
///       // Is no work left between the leaf and the node?
///       template <class L> bool joined(State<L>&, Node) const;
///       // As `joined`, without communication; may be false where `joined` is true.
///       bool seems_joined(const State<OneLane>&, Node) const;
///       // Pairs the points of the leaf with those of another leaf.
///       template <class L> void pair(State<L>&, Node other) const;
///     };
///
/// The members are templated on the lane type as in visitor.hpp. Leaves run concurrently and in any
/// order; their effect on shared data must not depend on the order.

#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>
#include <copse/traversal/join_by_lanes.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/traversal/visitor.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse {

/// Maximum number of points in a leaf on this backend: one per lane.
template <class ExecutionSpace>
inline constexpr std::uint32_t packet_rows =
    runs_on_host<ExecutionSpace> ? VectorLanes::width : packet_width;

namespace detail {

/// Pairs one leaf with all leaves after it.
template <class L, class Visitor>
KOKKOS_FUNCTION void join_leaf(const Visitor& visitor, Node leaf, int lane, Node* room) {
  auto state = visitor.template start<L>(leaf, lane);
  PacketStack<L, Node> stack(room);
  for (Node ancestor = leaf; ancestor > 1; ancestor /= 2) {
    if (ancestor % 2 != 0) continue;  // a right child: its sibling precedes the leaf
    if (visitor.template reaches<L>(state, ancestor + 1)) stack.push(ancestor + 1);
    while (!stack.is_empty()) {
      const Node node = stack.pop();
      if (visitor.template joined<L>(state, node)) continue;
      if (visitor.tree.is_leaf(node)) {
        visitor.template pair<L>(state, node);
        continue;
      }
      const Node first = visitor.tree.first_child(node);
      const bool opens_first = visitor.template reaches<L>(state, first);
      if (visitor.template reaches<L>(state, first + 1)) stack.push(first + 1);
      if (opens_first) stack.push(first);
    }
  }
}

/// Calls `body.run<L>(leaf, lane, stack)` for each leaf, on a host.
template <class Tree, class Body>
struct LeavesOnVectors {
  Tree tree;
  Body body;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    KOKKOS_IF_ON_HOST((Node stack[Tree::stack_size]; body.template run<VectorLanes>(
        static_cast<Node>(tree.leaf_slots() + i), 0, stack);))
  }
};

/// Calls `body.run<L>(leaf, lane, stack)` for each leaf on a device, one warp per leaf.
template <class ExecutionSpace, class Tree, class Body>
struct LeavesOnWarps {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int packets_per_team = 4;
  static constexpr std::size_t scratch_bytes = sizeof(Node) * Tree::stack_size * packets_per_team;

  Tree tree;
  Body body;
  Count leaves;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int lane = team.team_rank() % packet_width;
    const int in_team = team.team_rank() / packet_width;
    const Count i =
        static_cast<Count>(team.league_rank()) * packets_per_team + static_cast<Count>(in_team);
    if (i >= leaves) return;                  // uniform over the packet
    const std::size_t bytes = scratch_bytes;  // get_shmem takes a reference
    auto* const stack =
        static_cast<Node*>(team.team_shmem().get_shmem(bytes)) + Tree::stack_size * in_team;
    body.template run<OneLane>(static_cast<Node>(tree.leaf_slots() + i), lane, stack);
  }
};

template <class Visitor>
struct JoinLeaf {
  Visitor visitor;
  template <class L>
  KOKKOS_FUNCTION void run(Node leaf, int lane, Node* stack) const {
    if constexpr (L::width == 1) {
      JoinByLanes<Visitor>(visitor, leaf, lane, stack).run(leaf);
    } else {
      join_leaf<L>(visitor, leaf, lane, stack);
    }
  }
};

}  // namespace detail

/// Calls `body.run<L>(Node leaf, int lane, Node* stack)` for every non-empty leaf, one packet per
/// leaf. `lane` is the calling thread's lane on a device, 0 on a host; `stack` has room for
/// tree.stack_size nodes. No synchronisation.
/// \throws InputError if leaves hold more points than a packet has lanes
template <class ExecutionSpace, class Tree, class Body>
void for_each_leaf(const std::string& label, const ExecutionSpace& space, const Tree& tree,
                   const Body& body) {
  if (tree.bucket_size > packet_rows<ExecutionSpace>)
    throw InputError("leaves of " + std::to_string(tree.bucket_size) +
                     " rows do not fit into packets of " +
                     std::to_string(packet_rows<ExecutionSpace>));
  const Count leaves = tree.leaves();
  if (leaves == 0) return;
  if constexpr (runs_on_host<ExecutionSpace>) {
    using Dynamic = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
    Kokkos::parallel_for(label, Dynamic(space, 0, leaves).set_chunk_size(64),
                         detail::LeavesOnVectors<Tree, Body>{tree, body});
  } else {
    using Warps = detail::LeavesOnWarps<ExecutionSpace, Tree, Body>;
    const Count teams = (leaves + Warps::packets_per_team - 1) / Warps::packets_per_team;
    Kokkos::parallel_for(label,
                         Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(teams),
                                                            packet_width * Warps::packets_per_team)
                             .set_scratch_size(0, Kokkos::PerTeam(Warps::scratch_bytes)),
                         Warps{tree, body, leaves});
  }
}

/// Pairs every leaf of the visitor's tree with the later leaves that the visitor opens. O(n log n)
/// node tests if each leaf has few near leaves. No synchronisation.
/// \throws InputError as for_each_leaf
template <class ExecutionSpace, class Visitor>
void self_join(const std::string& label, const ExecutionSpace& space, const Visitor& visitor) {
  for_each_leaf(label, space, visitor.tree, detail::JoinLeaf<Visitor>{visitor});
}

}  // namespace copse
