#pragma once
/// \file
/// Finishes a tree depth first, so that the lower levels of a subtree stay in cache: one thread of
/// a host builds each subtree of at most 2^20 particles, one team of a device each of some 2^16.
///
/// The cuts, the ties and the order are those of bisect(): exact selection, stable partition.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/select_in_cache.hpp>
#include <copse/algorithms/split_rows.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/detail/team_subtree.hpp>
#include <copse/tree/histogram_cuts.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse {

namespace detail {

/// Builds the subtree below one cell. Particles alternate between the points and the spares, and
/// end in the points.
template <int Dim, class Policy, class Row>
class SubtreeBuilder {
 public:
  using Cell = typename Policy::Cell;
  using Value = typename Policy::Value;
  using Key = OrderedKey<Value>;
  using PointSet = Points<Dim, Kokkos::HostSpace>;

  /// Elements of the scratch array of a builder whose largest cell has `most` particles.
  static Count scratch_size(Count most) { return 2 * most + mask_rows; }

  /// `rows` may be null: only the points move. `scratch` has scratch_size(most) elements.
  SubtreeBuilder(const Policy& policy, Cell* cells, const PointSet& points, const PointSet& spare,
                 Row* rows, Row* spare_rows, Count most, Key* scratch)
      : policy_(policy),
        cells_(cells),
        points_{points, spare},
        rows_{rows, spare_rows},
        keys_(scratch),
        candidates_(scratch + most) {}

  /// The cell's particles are on `side`: 0 the points, 1 the spares.
  void build(std::uint32_t slot, int side) {
    Cell& cell = cells_[slot];
    if (!policy_.open(cell)) {
      if (side == 1) copy_back(cell);
      return;
    }
    prepare_cell(policy_, cell, slot, points_[side]);
    Cut<Value> cut{};
    if (cell.begin < cell.end) cut = divide(cell, side);
    make_children(policy_, cell, cut, cells_[2 * slot], cells_[2 * slot + 1]);
    build(2 * slot, 1 - side);
    build(2 * slot + 1, 1 - side);
  }

 private:
  static constexpr int piece = 4096;  ///< rows split at a time; their mask takes 512 bytes

  Cut<Value> divide(const Cell& cell, int side) {
    const Count n = cell.end - cell.begin;
    const auto value = policy_.key(cell, points_[side]);
    for (Count i = 0; i < n; ++i) {
      keys_[i] = ordered_key(value(cell.begin + i));
      // As level_key(): the cut must equal that of the levels above.
      if constexpr (divides_ties<Policy> && sizeof(Key) == 8) keys_[i] &= ~Key{0xffffffffu};
    }
    const Count rank = policy_.rank(cell);
    const Selected<Key> found = select_in_cache(keys_, n, std::max<Count>(rank, 1), candidates_);
    const Key threshold = choose_threshold(policy_, cell, rank, found);
    Cut<Value> cut{};
    cut.left = keys_on_left(threshold, found);
    Count ties_left = found.equal;
    if constexpr (divides_ties<Policy>) {
      cut.left = rank;
      ties_left = rank - found.below;
    }
    const bool divided = ties_left < found.equal && threshold == found.key;
    cut.right = n - cut.left;
    Key left_max = 0, right_min = static_cast<Key>(~Key{0});
    Count left = cell.begin, right = cell.begin + cut.left;
    for (Count first = 0; first < n; first += piece) {
      const int here = static_cast<int>(std::min<Count>(piece, n - first));
      RowMask<piece> goes_left{};
      auto sides = compare_rows<Key, piece>(&keys_[first], here, threshold, goes_left);
      if (divided)
        sides.up_to -= send_ties_right(&keys_[first], here, threshold, ties_left, goes_left);
      left_max = std::max(left_max, sides.left_max);
      right_min = std::min(right_min, sides.right_min);
      for (int a = 0; a < Dim; ++a) {
        const Real* from = points_[side].data() + points_[side].stride(1) * a;
        Real* to = points_[1 - side].data() + points_[1 - side].stride(1) * a;
        split_rows<Real, piece, true>(from + cell.begin + first, here, goes_left, sides.up_to,
                                      to + left, to + right);
      }
      if (rows_[side] != nullptr)
        split_rows<Row, piece, true>(rows_[side] + cell.begin + first, here, goes_left, sides.up_to,
                                     rows_[1 - side] + left, rows_[1 - side] + right);
      left += sides.up_to;
      right += here - sides.up_to;
    }
    if (divided) right_min = threshold;
    if (cut.left > 0) cut.left_max = from_ordered_key<Value>(left_max);
    if (cut.right > 0) cut.right_min = from_ordered_key<Value>(right_min);
    return cut;
  }

  /// Removes all but the first `ties_left` particles with key `tie` from `goes_left`, and
  /// decrements `ties_left` by those that stay. \return the number removed
  static int send_ties_right(const Key* keys, int rows, Key tie, Count& ties_left,
                             RowMask<piece>& goes_left) {
    int taken = 0;
    for (int i = 0; i < rows; ++i) {
      if (keys[i] != tie) continue;
      if (ties_left > 0) {
        --ties_left;
      } else {
        goes_left[i / mask_rows] &= static_cast<std::uint16_t>(~(1u << (i % mask_rows)));
        ++taken;
      }
    }
    return taken;
  }

  void copy_back(const Cell& cell) const {
    const Count n = cell.end - cell.begin;
    for (int a = 0; a < Dim; ++a)
      std::copy_n(points_[1].data() + points_[1].stride(1) * a + cell.begin, n,
                  points_[0].data() + points_[0].stride(1) * a + cell.begin);
    if (rows_[1] != nullptr) std::copy_n(rows_[1] + cell.begin, n, rows_[0] + cell.begin);
  }

  Policy policy_;
  Cell* cells_;
  PointSet points_[2];
  Row* rows_[2];
  Key* keys_;
  Key* candidates_;
};

/// Most particles of a subtree built by one thread. Beyond the caches a subtree still costs less
/// than a level by level build, whose passes read each key three times. The bound limits the keys
/// and scratch memory of a thread to 8 MiB.
inline constexpr Count subtree_rows = Count{1} << 20;
/// Subtrees per thread, for load balance.
inline constexpr Count subtrees_per_thread = 8;

}  // namespace detail

/// As bisect(), on a host: level by level until there are enough subtrees for all threads and each
/// has at most subtree_rows particles, then each subtree depth first.
///
/// O(n levels). Memory traffic per particle: 44 bytes for each level above the subtrees; for all
/// levels within subtrees that fit a cache, together twice the points and the index.
template <class ExecutionSpace, class Policy, class Arrays>
void bisect_depth_first(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int levels, const Arrays& arrays, Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using Row = typename Arrays::Row;
  const Count rows = arrays.points.extent(0);
  const Count wanted = detail::subtrees_per_thread * static_cast<Count>(space.concurrency());
  int together = 0;
  while (together < levels &&
         ((Count{1} << together) < wanted || rows >> together > detail::subtree_rows))
    ++together;
  // With an even number of levels below, the particles end in the right array without a copy.
  if (together < levels && (levels - together) % 2 != 0) ++together;
  bisect(space, policy, cells, together, arrays, workspace);
  if (together == levels) return;
  const std::uint32_t first = std::uint32_t{1} << together;
  auto* const cell = cells.data();
  const auto points = arrays.points, spare_points = arrays.spare_points;
  Row* const moving = arrays.rows();
  Row* const spare_moving = arrays.spare_rows();
  // One scratch array per thread, kept between builds: new pages cost a tenth of a build.
  using Builder = detail::SubtreeBuilder<Arrays::dim, Policy, Row>;
  Count most = 0;
  for (std::uint32_t slot = first; slot < 2 * first; ++slot)
    if (policy.open(cell[slot])) most = std::max<Count>(most, cell[slot].end - cell[slot].begin);
  const Kokkos::Experimental::UniqueToken<ExecutionSpace> threads(space);
  const Count size = Builder::scratch_size(most);
  auto* const scratch = workspace
                            .template get<typename Builder::Key>(
                                "depth_first::scratch", static_cast<Count>(threads.size()) * size)
                            .data();
  Kokkos::parallel_for(
      "copse::bisect::subtrees",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(space, first,
                                                                             2 * first)
          .set_chunk_size(1),
      [=](std::uint32_t slot) {
        if (!policy.open(cell[slot])) return;
        const Kokkos::Experimental::AcquireUniqueToken<ExecutionSpace> thread(threads);
        Builder(policy, cell, points, spare_points, moving, spare_moving, most,
                scratch + static_cast<Count>(thread.value()) * size)
            .build(slot, 0);
      });
  space.fence("copse::bisect::subtrees");
}

/// Most particles of a subtree that a team builds, on average, and the number of subtrees from
/// which on fewer would leave most of a device idle. H200, 4096 leaves, ms: 2^24 particles in
/// subtrees of 2^15, 2^16, 2^17 and 2^18 take 5.1, 4.7, 5.0 and 6.1; 2^20 in subtrees of 2^15, 2^17
/// and 2^19 take 1.2, 1.7 and 5.5. Level by level they take 5.5 and 2.5.
inline constexpr Count team_subtree_rows = Count{1} << 16;
inline constexpr Count enough_team_subtrees = 32;
/// Fewer particles per cell are cut by small teams, of which a device holds more: a cut waits at
/// some 20 barriers, which takes as long as moving 2^13 particles.
inline constexpr Count small_team_rows = Count{1} << 13;

/// Depth from which on teams build the subtrees of a tree with `levels` levels.
constexpr int depth_of_team_subtrees(Count rows, int levels) {
  int depth = 0;
  while (depth < levels &&
         (rows >> depth > team_subtree_rows ||
          (Count{1} << depth < enough_team_subtrees && rows >> depth > small_team_rows)))
    ++depth;
  return depth;
}

/// Builds the subtrees below the cells of depth `above` in a tree of `levels` levels, a team per
/// subtree. Made for devices. No host synchronisation.
///
/// O(n levels). Memory traffic per particle and level: the key twice, the points and the index in
/// and out (40 bytes for three floats and an index), most of it from caches once a cell fits them.
template <class ExecutionSpace, class Policy, class Arrays>
void finish_by_teams(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int above, int levels, const Arrays& arrays) {
  const Count rows = arrays.points.extent(0);
  int small = above;
  while (small < levels && rows >> small >= small_team_rows) ++small;
  // Two teams share a multiprocessor, unless there are too few teams.
  if (space.concurrency() >> above >= 2 * 1024) {
    detail::launch_team_subtrees<1024, 1>(space, policy, cells.data(), above, small - above,
                                          arrays);
  } else {
    detail::launch_team_subtrees<512, 2>(space, policy, cells.data(), above, small - above, arrays);
  }
  detail::launch_team_subtrees<256, 4>(space, policy, cells.data(), small, levels - small, arrays);
}

/// As bisect_frontier(), on a device, for a frontier of all cells of depth `depth` in a tree of
/// `levels` levels: level by level until the cells are small enough for teams.
template <class ExecutionSpace, class Policy, class Arrays>
void bisect_by_teams(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int depth, int levels, const Arrays& arrays,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    FrontierSlots<typename ExecutionSpace::memory_space> active,
    FrontierSlots<typename ExecutionSpace::memory_space> next_active) {
  const int above = std::max(depth, depth_of_team_subtrees(arrays.points.extent(0), levels));
  bisect_frontier(space, policy, cells, above - depth, arrays, workspace, active, next_active,
                  std::uint32_t{1} << depth,
                  HistogramCuts<typename ExecutionSpace::memory_space>{});
  finish_by_teams(space, policy, cells, above, levels, arrays);
}

/// Workspace bytes of bisect_by_teams, without those of the frontiers.
template <class Key>
constexpr Count team_workspace_bytes(Count rows, int depth, int levels) {
  const int above = std::max(depth, depth_of_team_subtrees(rows, levels));
  if (above == depth) return 0;
  const Count cells = most_cells_cut(above);
  return level_arrays_bytes(above) +
         HistogramCuts<Kokkos::HostSpace>::workspace_bytes<Key>(rows, cells) +
         MoveStably::workspace_bytes<Key>(rows, cells);
}

}  // namespace copse
