#pragma once
/// \file
/// DecisionTree: finds the cell of a particle by descending from the root of a partly or fully cut
/// tree. A particle at or below a cut goes left.
///
/// Invariants: node 0 is the root; the children of an inner node are adjacent; the nodes without
/// children are the *frontier*, numbered from left to right.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace copse {

struct DecisionNode {
  std::uint32_t slot = 1;    ///< heap slot of the cell
  std::int32_t left = -1;    ///< left child, the right one follows; -1: frontier
  std::int32_t axis = 0;     ///< cut_axis of the cell
  Real cut = Real{0};        ///< inner nodes only
  std::int32_t wanted = -1;  ///< index among the cells to be cut next; -1: not cut
  std::uint32_t number = 0;  ///< index in the frontier
};

/// A node in team scratch memory: one 16-byte load gives the column to read, the cut and the
/// children. A frontier node is its own left child, and its cut is infinite.
struct alignas(16) TeamDecisionNode {
  const Real* column;
  Real cut;
  std::int32_t left;
};

struct DecisionTree {
  const DecisionNode* nodes = nullptr;
  std::int32_t size = 0;  ///< number of nodes
  int depth = 0;          ///< of the deepest node
  const Real* column[3] = {};
  Count rows = 0;

  KOKKOS_FORCEINLINE_FUNCTION Real value(int axis, Count row) const {
    const Real* const from = axis == 0 ? column[0] : axis == 1 ? column[1] : column[2];
    return from[row];
  }

  /// The frontier node of a particle.
  KOKKOS_FORCEINLINE_FUNCTION const DecisionNode& find(Count row) const {
    std::int32_t node = 0;
    while (nodes[node].left >= 0)
      node = nodes[node].left + (value(nodes[node].axis, row) > nodes[node].cut);
    return nodes[node];
  }

  KOKKOS_FORCEINLINE_FUNCTION TeamDecisionNode team_node(std::int32_t k) const {
    const DecisionNode& from = nodes[k];
    const Real* const values = from.axis == 0 ? column[0] : from.axis == 1 ? column[1] : column[2];
    if (from.left < 0) return {values, Kokkos::Experimental::infinity_v<Real>, k};
    return {values, from.cut, from.left};
  }

  /// node[r] = the frontier node of particle begin + offset[r], with the nodes in scratch memory.
  /// All particles take one step before any takes the next, so their loads are in flight together.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void find(const TeamDecisionNode* team_nodes, Count begin,
                                        const std::uint32_t (&offset)[Rows],
                                        std::int32_t (&node)[Rows]) const {
    COPSE_UNROLL
    for (int r = 0; r < Rows; ++r) node[r] = 0;
    for (int level = 0; level < depth; ++level) {
      Real value[Rows];
      COPSE_UNROLL
      for (int r = 0; r < Rows; ++r) value[r] = team_nodes[node[r]].column[begin + offset[r]];
      COPSE_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const TeamDecisionNode at = team_nodes[node[r]];
        node[r] = at.left + (value[r] > at.cut);
      }
    }
  }
};

/// The nodes above and at a frontier of heap slots, given from left to right; cuts are not set.
/// `wanted` [frontier] marks the cells to be cut next; empty: none.
inline std::vector<DecisionNode> decision_nodes(const std::vector<std::uint32_t>& frontier,
                                                const std::vector<std::uint8_t>& wanted = {}) {
  std::vector<DecisionNode> nodes(1);
  std::vector<std::uint32_t> end{static_cast<std::uint32_t>(frontier.size())};
  std::int32_t next_wanted = 0;
  // Children are appended, so a node comes after its parent. `number` is initially that of the
  // leftmost frontier node below.
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const std::uint32_t slot = nodes[k].slot;
    const std::uint32_t first = nodes[k].number;
    if (frontier[first] == slot) continue;
    const auto in_left = [&](std::uint32_t below) {
      return below >> (heap_level(below) - heap_level(2 * slot)) == 2 * slot;
    };
    const auto border = static_cast<std::uint32_t>(
        std::partition_point(frontier.begin() + first, frontier.begin() + end[k], in_left) -
        frontier.begin());
    nodes[k].left = static_cast<std::int32_t>(nodes.size());
    const std::uint32_t last = end[k];
    nodes.push_back({.slot = 2 * slot, .number = first});
    end.push_back(border);
    nodes.push_back({.slot = 2 * slot + 1, .number = border});
    end.push_back(last);
  }
  std::vector<std::int32_t> number_wanted(frontier.size(), -1);
  for (std::size_t f = 0; f < wanted.size(); ++f)
    if (wanted[f]) number_wanted[f] = next_wanted++;
  for (DecisionNode& node : nodes)
    if (node.left < 0) node.wanted = number_wanted[node.number];
  return nodes;
}

namespace detail {
/// Copies the axes and cuts of the cells to their nodes.
template <class Nodes, class Heap>
struct FillDecisions {
  Nodes nodes;
  Heap heap;
  KOKKOS_FUNCTION void operator()(Count k) const {
    DecisionNode& node = nodes(k);
    const OrbCell& cell = heap(node.slot);
    node.axis = cell.cut_axis < 0 ? 0 : cell.cut_axis;
    node.cut = cell.cut;
  }
};
}  // namespace detail

/// Uploads `nodes` to the workspace's array `name`, fills in the axes and cuts of the cells, and
/// sets the tree's columns to `points`.
template <class ExecutionSpace>
DecisionTree make_decision_tree(
    const ExecutionSpace& space, const std::vector<DecisionNode>& nodes,
    const Kokkos::View<OrbCell*, typename ExecutionSpace::memory_space>& heap,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    Workspace<typename ExecutionSpace::memory_space>& workspace, const std::string& name) {
  const auto device_nodes = upload(space, nodes, workspace, name);
  Kokkos::parallel_for("copse::tree::fill_decisions",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, device_nodes.extent(0)),
                       detail::FillDecisions<decltype(device_nodes), std::decay_t<decltype(heap)>>{
                           device_nodes, heap});
  DecisionTree tree;
  tree.nodes = device_nodes.data();
  tree.size = static_cast<std::int32_t>(nodes.size());
  for (const DecisionNode& node : nodes) tree.depth = std::max(tree.depth, heap_level(node.slot));
  for (int a = 0; a < 3; ++a) tree.column[a] = points.data() + points.stride(1) * a;
  tree.rows = points.extent(0);
  return tree;
}

/// Team size of kernels that descend a decision tree.
inline constexpr int decision_threads = 256;

/// Copies the nodes to team scratch memory, with a barrier.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION void load_decisions(const Team& team, const DecisionTree& tree,
                                                TeamDecisionNode* nodes) {
  for (std::int32_t k = team.team_rank(); k < tree.size; k += decision_threads)
    nodes[k] = tree.team_node(k);
  team.team_barrier();
}

/// Offsets of a thread's particles relative to its first, in a range with n particles from there
/// on; past the end, the offset of its first particle.
template <int Rows>
KOKKOS_FORCEINLINE_FUNCTION void decision_offsets(std::uint32_t n, std::uint32_t (&offset)[Rows]) {
  COPSE_UNROLL
  for (int r = 0; r < Rows; ++r) {
    const auto wide = static_cast<std::uint32_t>(r * decision_threads);
    offset[r] = wide < n ? wide : 0;
  }
}

/// Launches a kernel that has a team version for devices and, for hosts, one thread per tile.
template <class ExecutionSpace, class Kernel>
void for_each_tile(const std::string& label, const ExecutionSpace& space, Count tiles,
                   const Kernel& kernel) {
  if (tiles == 0) return;
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles), kernel);
  } else {
    typename Kernel::Policy policy(space, static_cast<int>(tiles), decision_threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes()));
    Kokkos::parallel_for(label, policy, kernel);
  }
}

}  // namespace copse
