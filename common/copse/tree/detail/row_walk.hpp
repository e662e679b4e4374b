#pragma once
/// \file
/// The cells that ranks have cut so far without moving rows, as a small decision tree: where in it
/// a row is, is found by walking down from the root.
///
/// Invariants: node 0 is the root; the children of an inner node are neighbours; the nodes without
/// children are the *frontier*, numbered from left to right, and tile the rows.

#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace copse::detail {

struct WalkNode {
  std::uint32_t slot = 1;    ///< of the cell in the heap
  std::int32_t left = -1;    ///< node of the left child, the right one follows; -1: frontier
  std::int32_t axis = 0;     ///< cut_axis of the cell
  Real cut = Real{0};        ///< of an inner node
  std::int32_t wanted = -1;  ///< number among the cells to be cut next; -1: none of them
  std::uint32_t number = 0;  ///< in the frontier
};

/// Copies what the heap knows by now of the nodes' cells.
template <class MemorySpace>
struct FillWalk {
  Kokkos::View<WalkNode*, Kokkos::LayoutLeft, MemorySpace> nodes;
  Kokkos::View<OrbCell*, MemorySpace> heap;
  KOKKOS_FUNCTION void operator()(Count k) const {
    const OrbCell& cell = heap(nodes(k).slot);
    nodes(k).axis = cell.cut_axis < 0 ? 0 : cell.cut_axis;
    nodes(k).cut = cell.cut;
  }
};

/// A node as a team of a device holds it in scratch memory: one load says which coordinate is asked
/// for and where a row goes. A node of the frontier sends every row to itself.
struct alignas(16) TeamWalkNode {
  const Real* column;
  Real cut;
  std::int32_t left;
};

/// Walks rows of `points` down to the frontier.
struct RowWalk {
  const WalkNode* nodes = nullptr;
  std::int32_t size = 0;  ///< number of nodes
  int depth = 0;          ///< of the frontier's deepest node
  const Real* column[3] = {};
  Count rows = 0;

  KOKKOS_FORCEINLINE_FUNCTION Real value(int axis, Count row) const {
    const Real* const from = axis == 0 ? column[0] : axis == 1 ? column[1] : column[2];
    return from[row];
  }

  /// The frontier node of a row.
  KOKKOS_FORCEINLINE_FUNCTION std::int32_t find(Count row) const {
    std::int32_t node = 0;
    while (nodes[node].left >= 0)
      node = nodes[node].left + (value(nodes[node].axis, row) > nodes[node].cut);
    return node;
  }

  /// Node k for a team's scratch memory.
  KOKKOS_FORCEINLINE_FUNCTION TeamWalkNode team_node(std::int32_t k) const {
    const WalkNode& from = nodes[k];
    const Real* const values = from.axis == 0 ? column[0] : from.axis == 1 ? column[1] : column[2];
    if (from.left < 0) return {values, Kokkos::Experimental::infinity_v<Real>, k};
    return {values, from.cut, from.left};
  }

  /// node[r] = the frontier node of row begin + offset[r], with the nodes in scratch memory. All
  /// rows load their coordinate before any takes its step, and take it before any takes the next,
  /// so that as many loads are under way as there are rows.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void find(const TeamWalkNode* team_nodes, Count begin,
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
        const TeamWalkNode at = team_nodes[node[r]];
        node[r] = at.left + (value[r] > at.cut);
      }
    }
  }
};

/// The decision tree on the host: its shape, which all ranks know.
class WalkShape {
 public:
  const std::vector<WalkNode>& nodes() const { return nodes_; }
  const std::vector<std::int32_t>& frontier() const { return frontier_; }
  int depth() const { return depth_; }
  std::size_t frontier_size() const { return frontier_.size(); }

  /// Numbers those cells of the frontier that `flags` marks, as cells to be cut next.
  void want(const std::vector<std::uint8_t>& flags) {
    std::int32_t wanted = 0;
    for (std::size_t f = 0; f < frontier_.size(); ++f)
      nodes_[static_cast<std::size_t>(frontier_[f])].wanted = flags[f] ? wanted++ : -1;
  }

  /// Gives the wanted cells of the frontier their children.
  void grow() {
    std::vector<std::int32_t> next;
    bool grew = false;
    for (const std::int32_t k : frontier_) {
      WalkNode parent = nodes_[static_cast<std::size_t>(k)];
      if (parent.wanted < 0) {
        next.push_back(k);
        continue;
      }
      grew = true;
      parent.left = static_cast<std::int32_t>(nodes_.size());
      parent.wanted = -1;
      nodes_[static_cast<std::size_t>(k)] = parent;
      for (const std::uint32_t side : {0u, 1u}) {
        next.push_back(static_cast<std::int32_t>(nodes_.size()));
        nodes_.push_back({.slot = 2 * parent.slot + side});
      }
    }
    frontier_ = std::move(next);
    depth_ += grew;
    for (std::size_t f = 0; f < frontier_.size(); ++f)
      nodes_[static_cast<std::size_t>(frontier_[f])].number = static_cast<std::uint32_t>(f);
  }

 private:
  std::vector<WalkNode> nodes_{WalkNode{}};
  std::vector<std::int32_t> frontier_{0};
  int depth_ = 0;
};

}  // namespace copse::detail
