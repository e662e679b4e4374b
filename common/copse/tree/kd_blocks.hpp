#pragma once
/// \file
/// Small kd-trees, all at once: blocks of up to 2048 consecutive rows, each brought into the order
/// of a kd-tree by one team with its scratch memory.
///
/// Above the blocks the tree is what the rows were sorted by before, a space-filling curve for
/// instance, which a radix sort does in a few passes over memory; below, where nearly all nodes are
/// and walks spend their time, boxes are as compact as a kd-tree's. One pass over the points
/// replaces the lowest levels of a build that passes over them level by level.
///
/// | per row | bytes read | written |
/// |---|---|---|
/// | points and permutation | 4 Dim + 4 | 4 Dim + 4 |
/// | coordinates by level | in cache | - |
///
/// A level gives every row the key (its segment, its coordinate along the segment's longest side,
/// its number) and sorts: the first half of a segment is the left child. Keys differ, so the
/// outcome is the same on every backend: a device sorts them by bitonic networks (Batcher 1968), a
/// host only selects the middle one. Coordinates count as floats, whatever Real is; that changes
/// which of two close rows is left, not whether boxes bound them.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/backends.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/balanced_heap.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace copse {

namespace detail {

/// A row's place in the order of a level; `row` is its number in the block.
struct BlockKey {
  static constexpr int row_bits = 16, coordinate_bits = 32;
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t of(std::uint32_t segment, Real coordinate,
                                                      std::uint32_t row) {
    const std::uint64_t ordered = ordered_key(static_cast<float>(coordinate));
    return (static_cast<std::uint64_t>(segment) << (row_bits + coordinate_bits)) |
           (ordered << row_bits) | row;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t row(std::uint64_t key) {
    return static_cast<std::uint32_t>(key) & ((1u << row_bits) - 1u);
  }
  KOKKOS_FORCEINLINE_FUNCTION static float coordinate(std::uint64_t key) {
    return from_ordered_key<float>(static_cast<std::uint32_t>(key >> row_bits));
  }
};

/// What is known of the extent of a segment: its box at the top, narrowed by every cut.
template <int Dim>
struct BlockCell {
  float lower[Dim];
  float upper[Dim];

  KOKKOS_FUNCTION int longest_side() const {
    int axis = 0;
    for (int a = 1; a < Dim; ++a)
      if (upper[a] - lower[a] > upper[axis] - lower[axis]) axis = a;
    return axis;
  }
};

}  // namespace detail

/// What all blocks have in common.
struct KdBlocks {
  static constexpr std::uint32_t most_rows = 2048;
  static constexpr int most_levels = 7;

  BalancedHeap shape;
  int levels = 0;  ///< of a block; 0: nothing to do

  explicit KdBlocks(const BalancedHeap& heap) : shape(heap) {
    while (levels < std::min(most_levels, heap.levels) &&
           (Count{heap.bucket_size} << (levels + 1)) <= most_rows)
      ++levels;
  }
  KOKKOS_FUNCTION std::uint32_t rows_in_block() const { return shape.bucket_size << levels; }
  KOKKOS_FUNCTION Count blocks() const {
    return (shape.rows + rows_in_block() - 1) / rows_in_block();
  }
  KOKKOS_FUNCTION std::uint32_t segment_rows(int level) const {
    return shape.bucket_size << (levels - level);
  }
};

namespace detail {

template <int Dim, class MemorySpace>
struct OrderKdBlocks {
  using PointSet = Points<Dim, MemorySpace>;
  using Permutation = Kokkos::View<LocalIndex*, MemorySpace>;
  using Cell = BlockCell<Dim>;
  static constexpr int most_cells = 1 << KdBlocks::most_levels;

  KdBlocks blocks;
  PointSet from;
  Permutation from_permutation;
  PointSet to;
  Permutation to_permutation;

  KOKKOS_FUNCTION Count first_row(Count block) const { return block * blocks.rows_in_block(); }
  KOKKOS_FUNCTION std::uint32_t size(Count block) const {
    const Count left = blocks.shape.rows - first_row(block);
    const Count room = blocks.rows_in_block();
    return static_cast<std::uint32_t>(left < room ? left : room);
  }
  KOKKOS_FORCEINLINE_FUNCTION Real coordinate(Count row, int axis) const {
    return from.data()[from.stride(1) * axis + row];
  }
  KOKKOS_FORCEINLINE_FUNCTION void move(Count first, std::uint32_t place, std::uint64_t key) const {
    const Count row = first + BlockKey::row(key);
    for (int a = 0; a < Dim; ++a) to.data()[to.stride(1) * a + first + place] = coordinate(row, a);
    to_permutation(first + place) = from_permutation(row);
  }
  /// The children of a cell whose left half ends with the key before `middle`.
  KOKKOS_FORCEINLINE_FUNCTION static void split(const Cell& cell, float left_max, float right_min,
                                                bool both, Cell& left, Cell& right) {
    const int axis = cell.longest_side();
    left = right = cell;
    if (both) {
      left.upper[axis] = left_max;
      right.lower[axis] = right_min;
    }
  }
};

/// A block by one thread of a host.
template <int Dim, class MemorySpace>
struct KdBlockOnHost : OrderKdBlocks<Dim, MemorySpace> {
  using Base = OrderKdBlocks<Dim, MemorySpace>;
  using typename Base::Cell;

  KOKKOS_FUNCTION void operator()(const Count block) const { KOKKOS_IF_ON_HOST((order(block);)) }

  void order(const Count block) const {
    const KdBlocks& kd = this->blocks;
    const Count first = this->first_row(block);
    const std::uint32_t m = this->size(block);
    std::uint64_t keys[KdBlocks::most_rows];
    Cell cells[2 * Base::most_cells];
    for (std::uint32_t p = 0; p < m; ++p) keys[p] = p;
    for (int a = 0; a < Dim; ++a) {
      float lower = static_cast<float>(this->coordinate(first, a)), upper = lower;
      for (std::uint32_t p = 1; p < m; ++p) {
        lower = std::min(lower, static_cast<float>(this->coordinate(first + p, a)));
        upper = std::max(upper, static_cast<float>(this->coordinate(first + p, a)));
      }
      cells[1].lower[a] = lower;
      cells[1].upper[a] = upper;
    }
    for (int level = 0; level < kd.levels; ++level) {
      const std::uint32_t rows = kd.segment_rows(level);
      for (std::uint32_t segment = 0; segment * rows < m; ++segment) {
        const Cell& cell = cells[(1u << level) + segment];
        std::uint64_t* const begin = keys + segment * rows;
        std::uint64_t* const end = keys + std::min((segment + 1) * rows, m);
        const int axis = cell.longest_side();
        for (std::uint64_t* key = begin; key < end; ++key) {
          const std::uint32_t row = BlockKey::row(*key);
          *key = BlockKey::of(segment, this->coordinate(first + row, axis), row);
        }
        std::uint64_t* const middle = begin + rows / 2;
        const bool both = middle < end;
        float left_max = 0, right_min = 0;
        if (both) {
          std::nth_element(begin, middle, end);
          left_max = BlockKey::coordinate(*std::max_element(begin, middle));
          right_min = BlockKey::coordinate(*middle);
        }
        // Leaves come out sorted, as they do on a device.
        if (level + 1 == kd.levels) std::sort(begin, end);
        Cell* const child = cells + ((2u << level) + 2 * segment);
        Base::split(Cell(cell), left_max, right_min, both, child[0], child[1]);
      }
    }
    for (std::uint32_t p = 0; p < m; ++p) this->move(first, p, keys[p]);
  }
};

/// A block by a team of a device.
template <class ExecutionSpace, int Dim>
struct KdBlockOnTeam : OrderKdBlocks<Dim, typename ExecutionSpace::memory_space> {
  using Base = OrderKdBlocks<Dim, typename ExecutionSpace::memory_space>;
  using typename Base::Cell;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int team_size = 512;
  static constexpr std::size_t scratch_bytes =
      KdBlocks::most_rows * sizeof(std::uint64_t) + 2 * Base::most_cells * sizeof(Cell);

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const KdBlocks& kd = this->blocks;
    const Count first = this->first_row(static_cast<Count>(team.league_rank()));
    const std::uint32_t m = this->size(static_cast<Count>(team.league_rank()));
    const std::size_t bytes = scratch_bytes;  // get_shmem takes a reference
    auto* const keys = static_cast<std::uint64_t*>(team.team_shmem().get_shmem(bytes));
    auto* const cells = reinterpret_cast<Cell*>(keys + KdBlocks::most_rows);
    std::uint32_t padded = 1;
    while (padded < kd.rows_in_block()) padded *= 2;
    const auto each = Kokkos::TeamThreadRange(team, padded);
    Kokkos::parallel_for(each, [&](const std::uint32_t p) { keys[p] = p < m ? p : ~0ull; });
    for (int a = 0; a < Dim; ++a) {
      float lower, upper;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, m),
          [&](const std::uint32_t p, float& least) {
            const auto x = static_cast<float>(this->coordinate(first + p, a));
            if (x < least) least = x;
          },
          Kokkos::Min<float>(lower));
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, m),
          [&](const std::uint32_t p, float& most) {
            const auto x = static_cast<float>(this->coordinate(first + p, a));
            if (x > most) most = x;
          },
          Kokkos::Max<float>(upper));
      Kokkos::single(Kokkos::PerTeam(team), [&]() {
        cells[1].lower[a] = lower;
        cells[1].upper[a] = upper;
      });
    }
    team.team_barrier();
    // Segments of a power of two of rows are sorted on their own.
    const bool aligned = padded == kd.rows_in_block();
    for (int level = 0; level < kd.levels; ++level) {
      const std::uint32_t rows = kd.segment_rows(level);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, m), [&](const std::uint32_t p) {
        const std::uint32_t segment = p / rows;
        const std::uint32_t row = BlockKey::row(keys[p]);
        const int axis = cells[(1u << level) + segment].longest_side();
        keys[p] = BlockKey::of(segment, this->coordinate(first + row, axis), row);
      });
      team.team_barrier();
      sort(team, keys, padded, aligned ? rows : padded);
      Kokkos::parallel_for(
          Kokkos::TeamThreadRange(team, 1u << level), [&](const std::uint32_t segment) {
            const std::uint32_t middle = segment * rows + rows / 2;
            const bool both = middle < m;
            Cell* const child = cells + ((2u << level) + 2 * segment);
            Base::split(cells[(1u << level) + segment],
                        both ? BlockKey::coordinate(keys[middle - 1]) : 0.0f,
                        both ? BlockKey::coordinate(keys[middle]) : 0.0f, both, child[0], child[1]);
          });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, m),
                         [&](const std::uint32_t p) { this->move(first, p, keys[p]); });
  }

 private:
  /// Sorts every `rows` of `padded` keys, both powers of two, rows > 1.
  KOKKOS_FUNCTION void sort(const Member& team, std::uint64_t* keys, std::uint32_t padded,
                            std::uint32_t rows) const {
    for (std::uint32_t run = 2; run <= rows; run *= 2) {
      for (std::uint32_t step = run / 2; step > 0; step /= 2) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, padded / 2),
                             [&](const std::uint32_t pair) {
                               const std::uint32_t i = 2 * pair - (pair & (step - 1));
                               const bool falling = run < rows && (i & run) != 0;
                               const std::uint64_t a = keys[i], b = keys[i + step];
                               if ((b < a) != falling) {
                                 keys[i] = b;
                                 keys[i + step] = a;
                               }
                             });
        team.team_barrier();
      }
    }
  }
};

}  // namespace detail

/// Brings the rows of every block of `shape`, as they lie in `from`, into the order of a kd-tree
/// and writes them to `to`, which must not overlap. O(n). No synchronisation.
template <class ExecutionSpace, int Dim>
void order_kd_blocks(
    const ExecutionSpace& space, const BalancedHeap& shape,
    const Points<Dim, typename ExecutionSpace::memory_space>& from,
    const Kokkos::View<LocalIndex*, typename ExecutionSpace::memory_space>& from_permutation,
    const Points<Dim, typename ExecutionSpace::memory_space>& to,
    const Kokkos::View<LocalIndex*, typename ExecutionSpace::memory_space>& to_permutation) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const KdBlocks blocks(shape);
  const Count count = blocks.blocks();
  if (count == 0) return;
  const detail::OrderKdBlocks<Dim, MemorySpace> order{blocks, from, from_permutation, to,
                                                      to_permutation};
  if constexpr (runs_on_host<ExecutionSpace>) {
    using Dynamic = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
    Kokkos::parallel_for("copse::tree::kd_blocks", Dynamic(space, 0, count),
                         detail::KdBlockOnHost<Dim, MemorySpace>{order});
  } else {
    using Team = detail::KdBlockOnTeam<ExecutionSpace, Dim>;
    Kokkos::parallel_for(
        "copse::tree::kd_blocks",
        Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(count), Team::team_size)
            .set_scratch_size(0, Kokkos::PerTeam(Team::scratch_bytes)),
        Team{order});
  }
}

}  // namespace copse
