#pragma once
/// \file
/// Bytes that builds of a tree take, whatever way they take it: the cells, and the arrays of a
/// level. Engines, searches and movers say what they need beside (`workspace_bytes`); together they
/// are what
/// `--dry-run` prints, to a few percent for random keys.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/tree/orb_tree.hpp>

#include <cstdint>

namespace copse {

/// Bytes of the finished tree.
constexpr Count orb_tree_bytes(std::uint32_t leaves) {
  return (Count{2} << orb_depth(leaves)) * sizeof(OrbCell);
}

/// Bytes of a point and its row number.
inline constexpr Count point_row_bytes = 3 * sizeof(Real) + sizeof(LocalIndex);

/// The most cells of a level that are cut in a tree of so many levels.
constexpr Count most_cells_cut(int levels) {
  return levels > 0 ? Count{1} << (levels - 1) : 0;
}

/// Bytes of the workspace that bisect() itself takes for that many levels.
constexpr Count level_arrays_bytes(int levels) {
  return (Count{2} << levels) * sizeof(std::uint32_t) +
         most_cells_cut(levels) * (sizeof(Segment) + sizeof(Count) + sizeof(OrderedKey<Real>));
}

}  // namespace copse
