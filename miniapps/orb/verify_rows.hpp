#pragma once
/// \file
/// The checks of `verify_orb` that read particles. They run on all threads of the host.

#include "verify_cells.hpp"
#include "verify_findings.hpp"
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The particles before and after, all with the same number of rows.
struct RowsToVerify {
  Points<3, Kokkos::HostSpace> original;
  Points<3, Kokkos::HostSpace> partitioned;
  Kokkos::View<const LocalIndex*, Kokkos::HostSpace> permutation;  ///< empty: not known

  /// [n] of the input's rows; empty in a tree by number.
  Kokkos::View<const std::uint32_t*, Kokkos::LayoutLeft, Kokkos::HostSpace> weight;

  Count size() const { return partitioned.extent(0); }
  bool by_weight() const { return weight.extent(0) > 0; }
};

/// every_particle_once, coordinates_moved_along, coordinate_checksum: need no tree.
void check_rows(const RowsToVerify& rows, Verdict& verdict);

/// coordinate_checksum alone, against that of an input which is no longer there.
void check_positions(const RowsToVerify& rows, std::uint64_t input_checksum, Verdict& verdict);

/// inside_leaf_box and, if `order_kept`, input_order_kept. \pre the ranges of `heap` tile the rows
void check_leaves(const RowsToVerify& rows, const ExpectedHeap& heap, bool order_kept,
                  Verdict& verdict);

/// side_of_cut, counts_by_rule with the tolerance alpha (of a tree by number), cut_between_keys.
/// \pre the ranges of `heap` tile the rows
void check_cuts(const RowsToVerify& rows, const ExpectedHeap& heap, LeafRule rule, Count alpha,
                Verdict& verdict);

/// weights_by_rule, in place of counts_by_rule. \pre the ranges of `heap` tile the rows
void check_weights(const RowsToVerify& rows, const ExpectedHeap& heap, LeafRule rule,
                   Verdict& verdict);

}  // namespace copse
