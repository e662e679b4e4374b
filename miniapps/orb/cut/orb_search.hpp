#pragma once
/// \file
/// The cut searches behind one type, so that a level is compiled once for all of them.

#include "../variant.hpp"
#include "bisection_cuts.hpp"
#include "quickselect_cuts.hpp"
#include <copse/backend/backends.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/histogram_cuts.hpp>

namespace copse::orb {

/// The cut search (bisection.hpp) selected by the variant; adds a level to the log.
template <class ExecutionSpace>
class OrbSearch {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  OrbSearch(const Variant& variant, BuildLog& log)
      : variant_(variant), bisection_(variant, log), log_(log) {}

  /// Bytes of the workspace for levels of up to `cells` cells of n particles.
  static constexpr Count workspace_bytes(const Variant& variant, Count n, Count cells) {
    using Key = OrderedKey<Real>;
    if (variant.bisects()) return cells * bisection_cell_bytes;
    if (variant.cut == CutMethod::quickselect) return n * sizeof(Key);
    if (variant.cut == CutMethod::histogram)
      return HistogramCuts<MemorySpace>::template workspace_bytes<Key>(n, cells);
    return SelectCuts::workspace_bytes<Key>(n, cells);
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
  /// Bounds, guesses and counts of a cell, and the table of its blocks.
  static constexpr Count bisection_cell_bytes = 128;

  Variant variant_;
  BisectionCuts<ExecutionSpace> bisection_;
  HistogramCuts<MemorySpace> histogram_;
  BuildLog& log_;
};

}  // namespace copse::orb
