#pragma once
/// \file
/// Count left, one launch per cell ([Rehmann 2022] section 6.4): a plain parallel_reduce over the
/// cell's rows. The host launches it, so every cut is copied to the host first.
///
/// One launch per open cell is about d launches at the bottom of the tree, where a cell has too few
/// particles to fill a device. This causes the 100-fold slow-down of the thesis' last level.

#include "cut_trials.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb {

/// Cut and column are passed by value, like the parameters of listing 9.
struct CountUpTo {
  const Real* keys;
  Real cut;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Count row, Count& left) const {
    left += keys[row] <= cut;
  }
};

template <class ExecutionSpace>
class CountPerCell {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  void prepare(const ExecutionSpace& space, const CutTrials<MemorySpace>& trials,
               Workspace<MemorySpace>&) {
    segments_ = Kokkos::create_mirror_view(trials.segments);
    column_ = Kokkos::create_mirror_view(trials.column);
    cut_ = Kokkos::create_mirror_view(trials.cut);
    Kokkos::deep_copy(space, segments_, trials.segments);
    Kokkos::deep_copy(space, column_, trials.column);
  }

  /// \return kernels launched
  Count run(const ExecutionSpace& space, const CutTrials<MemorySpace>& trials) {
    Kokkos::deep_copy(space, cut_, trials.cut);
    space.fence("copse::orb::count_per_cell::cuts");
    Count launches = 0;
    for (Count s = 0; s < cut_.extent(0); ++s) {
      if (cut_(s) != cut_(s)) continue;
      Kokkos::parallel_reduce(
          "copse::orb::count_per_cell",
          CountRange<ExecutionSpace>(space, segments_(s).begin, segments_(s).end),
          CountUpTo{column_(s).keys, cut_(s)}, Kokkos::subview(trials.left, s));
      ++launches;
    }
    return launches;
  }

 private:
  template <class View>
  using Mirror = typename View::host_mirror_type;
  Mirror<Segments<MemorySpace>> segments_;
  Mirror<typename CutTrials<MemorySpace>::template Array<AxisColumn>> column_;
  Mirror<typename CutTrials<MemorySpace>::template Array<Real>> cut_;
};

}  // namespace copse::orb
