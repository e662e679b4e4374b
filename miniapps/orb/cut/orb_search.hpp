#pragma once
/// \file
/// The cut searches behind one type, so that a level is compiled once for all of them.

#include "../build_log.hpp"
#include "../variant.hpp"
#include "bisection_cuts.hpp"
#include "quickselect_cuts.hpp"
#include <copse/backend/backends.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/histogram_cuts.hpp>

namespace copse {

/// A cut search (bisection.hpp) that does as the variant says and adds a level to the log.
template <class ExecutionSpace>
class OrbSearch {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  OrbSearch(const OrbVariant& variant, BuildLog& log)
      : variant_(variant), bisection_(variant, log), log_(log) {}

  /// Bytes of the workspace for levels of up to `cells` cells of `rows` rows.
  static constexpr Count workspace_bytes(const OrbVariant& variant, Count rows, Count cells) {
    using Key = OrderedKey<Real>;
    if (variant.bisects()) return BisectionCuts<ExecutionSpace>::workspace_bytes(rows, cells);
    if (variant.cut == CutMethod::histogram)
      return HistogramCuts<MemorySpace>::template workspace_bytes<Key>(rows, cells);
    if (variant.cut == CutMethod::quickselect) return QuickselectCuts::workspace_bytes<Key>(rows);
    return SelectCuts::workspace_bytes<Key>(rows, cells);
  }

  template <class Keys, class LevelT>
  void operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  Workspace<MemorySpace>& workspace) {
    log_.levels.emplace_back();
    if (variant_.bisects()) return bisection_(space, keys, level, workspace);
    if (variant_.cut == CutMethod::histogram) {
      histogram_(space, keys, level, workspace);
      log_.levels.back().iterations = histogram_.rounds_per_level.back();
      return;
    }
    if constexpr (runs_on_host<ExecutionSpace>) {
      if (variant_.cut == CutMethod::quickselect)
        return QuickselectCuts{}(space, keys, level, workspace);
    }
    SelectCuts{}(space, keys, level, workspace);
  }

 private:
  OrbVariant variant_;
  BisectionCuts<ExecutionSpace> bisection_;
  HistogramCuts<MemorySpace> histogram_;
  BuildLog& log_;
};

}  // namespace copse
