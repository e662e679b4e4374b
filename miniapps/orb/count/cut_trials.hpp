#pragma once
/// \file
/// The input of all count kernels: cells and a trial cut for each. A kernel counts the keys of each
/// cell at or below its cut.
///
/// Counting dominates the time of a bisection ([Rehmann 2022] section 4.2): each step reads every
/// key of every open cell once, 4 bytes per particle, and compares.

#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb {

/// One axis of the particles: the key of row i is keys[i].
struct AxisColumn {
  const Real* keys;
};

/// The cells of a level and one cut for each.
template <class MemorySpace>
struct CutTrials {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  Segments<MemorySpace> segments;  ///< [cells] rows
  Array<AxisColumn> column;        ///< [cells] the axis that is cut
  Array<Real> cut;                 ///< [cells] NaN where there is nothing to count
  Array<Count> left;               ///< [cells] a kernel adds the number of keys <= cut
  Count rows = 0;                  ///< bounds the sum of the cells' sizes

  KOKKOS_FUNCTION bool is_open(Count cell) const { return cut(cell) == cut(cell); }
};

}  // namespace copse::orb
