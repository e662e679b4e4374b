#pragma once
/// \file
/// SizedCuts: a cut search that goes by the size of a level's cells.
///
/// A level of large cells is searched with histograms, which read float keys three times if there
/// are up to 2^11 cells and up to seven times if there are more, in half of the launches of a
/// selection, which reads them about once. Cells of up to 4096 keys a selection solves in one
/// launch.

#include <copse/algorithms/workspace.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/level_strategies.hpp>

#include <algorithm>
#include <bit>

namespace copse {

/// A cut search (level_strategies.hpp) for devices, where launches count.
template <class MemorySpace>
class SizedCuts {
 public:
  /// Rows of a cell, on average of a level, from which histograms find the cuts. On an H200 2^10 to
  /// 2^14 are the same to 5 % (2^20 to 2^27 rows in 2^16 leaves).
  static constexpr Count histogram_rows = Count{1} << 11;

  static constexpr bool by_histograms(Count rows, Count cells) {
    return rows / cells >= histogram_rows;
  }

  /// Bytes of the workspace for levels of `fewest_cells` to `cells` cells of `rows` rows.
  template <class Key>
  static constexpr Count workspace_bytes(Count rows, Count fewest_cells, Count cells) {
    Count bytes = 0;
    if (by_histograms(rows, fewest_cells)) {
      const Count most = std::min(cells, std::bit_ceil(rows / histogram_rows));
      bytes += HistogramCuts<MemorySpace>::template workspace_bytes<Key>(rows, most);
    }
    if (!by_histograms(rows, cells)) bytes += SelectCuts::workspace_bytes<Key>(rows, cells);
    return bytes;
  }

  template <class ExecutionSpace, class Keys, class LevelT>
  void operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  Workspace<MemorySpace>& workspace) {
    if (by_histograms(level.rows, level.segments.extent(0)))
      histogram_(space, keys, level, workspace);
    else
      select_(space, keys, level, workspace);
  }

 private:
  HistogramCuts<MemorySpace> histogram_;
  SelectCuts select_;
};

}  // namespace copse
