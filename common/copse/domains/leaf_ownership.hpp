#pragma once
/// \file
/// Which rank owns which leaves of a tree, and how several ranks divide a cell's particles.
///
/// Leaf j of d, counted from the left, belongs to rank floor(j P / d) of P. So every rank owns a
/// contiguous block of leaves, blocks are in rank order, and their sizes differ by at most one.
/// With more ranks than leaves some ranks own none.
///
/// While a cell is being cut, its particles are divided among the ranks from the owner of its first
/// leaf to the owner of its last, in contiguous chunks proportional to the leaves that each owns in
/// it. A rank thus holds about as many particles during the build as at the end.

#include <copse/backend/types.hpp>
#include <copse/tree/orb_tree.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace copse {

/// The contiguous leaves of a cell.
struct LeafRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t end() const { return first + count; }
};

/// Ranks [first, last].
struct RankRange {
  int first = 0;
  int last = 0;
  bool contains(int rank) const { return first <= rank && rank <= last; }
  bool operator==(const RankRange&) const = default;
};

struct LeafOwnership {
  std::uint32_t leaves = 1;  ///< d
  int ranks = 1;             ///< P

  int owner(std::uint32_t leaf) const {
    return static_cast<int>(Count{leaf} * static_cast<Count>(ranks) / leaves);
  }

  /// The first leaf owned by a rank >= `rank`; d if there is none.
  std::uint32_t first_leaf(int rank) const {
    const Count p = static_cast<Count>(ranks);
    return static_cast<std::uint32_t>((static_cast<Count>(rank) * leaves + p - 1) / p);
  }

  /// True if every rank's block is one cell of level log2 P: for powers of two with enough leaves.
  bool is_a_cell_each() const {
    const auto p = static_cast<std::uint32_t>(ranks);
    return std::has_single_bit(p) && std::has_single_bit(leaves) && p <= leaves;
  }

  RankRange ranks_of(const LeafRange& cell) const {
    return {owner(cell.first), owner(cell.end() - 1)};
  }

  /// Number of a cell's n particles on ranks below `rank`. Non-decreasing in `rank`; 0 for the
  /// cell's first rank, n beyond its last. Does not overflow.
  Count chunk_begin(const LeafRange& cell, Count n, int rank) const {
    const std::uint32_t leaf = std::clamp(first_leaf(rank), cell.first, cell.end());
    return left_particles(n, leaf - cell.first, cell.count, LeafRule::complete);
  }
};

}  // namespace copse
