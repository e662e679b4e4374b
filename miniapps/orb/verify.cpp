#include "verify.hpp"

#include "verify_cells.hpp"
#include "verify_findings.hpp"
#include "verify_rows.hpp"

#include <utility>

namespace copse {

std::vector<std::string> verify_orb(const Particles<Kokkos::HostSpace>& original,
                                    const Points<3, Kokkos::HostSpace>& partitioned,
                                    const Kokkos::View<LocalIndex*, Kokkos::HostSpace>& permutation,
                                    const OrbTree<Kokkos::HostSpace>& tree, app::Verification& out,
                                    const OrbPromises& promises) {
  Verdict verdict(out);
  const RowsToVerify rows{original.position, partitioned, permutation, promises.weight};
  const bool positions_only = promises.input_checksum.has_value();
  const bool rows_match = positions_only || (rows.original.extent(0) == rows.size() &&
                                             rows.permutation.extent(0) == rows.size());
  if (positions_only) {
    check_positions(rows, *promises.input_checksum, verdict);
  } else if (rows_match) {
    check_rows(rows, verdict);
  } else {
    for (const char* check : {orb_check::every_particle_once, orb_check::coordinates_moved_along,
                              orb_check::coordinate_checksum})
      verdict.not_examined(check, "input, output and permutation differ in their number of rows");
  }

  const char* const axis_check =
      tree.axis_rule == AxisRule::cyclic ? orb_check::cyclic_axis_cut : orb_check::longest_axis_cut;
  ExpectedHeap heap;
  bool ranges_tile = false;
  if (check_heap_conditions(tree, heap, verdict)) {
    check_leaf_counts(heap, verdict);
    ranges_tile = check_ranges(heap, rows.size(), verdict);
    check_boxes(heap, original.box, verdict);
    check_volumes(heap, original.box, verdict);
    check_cut_axes(heap, tree.axis_rule, verdict);
  } else {
    for (const char* check : {orb_check::leaf_counts, orb_check::ranges_tile,
                              orb_check::boxes_match, orb_check::volumes_add_up, axis_check})
      verdict.not_examined(check, "the heap has the wrong number of slots");
  }

  if (rows_match && ranges_tile) {
    check_leaves(rows, heap, promises.order_kept && !positions_only, verdict);
    check_cuts(rows, heap, tree.rule, promises.alpha, verdict);
    if (rows.by_weight()) check_weights(rows, heap, tree.rule, verdict);
  } else {
    for (const char* check :
         {orb_check::inside_leaf_box, orb_check::input_order_kept, orb_check::side_of_cut,
          rows.by_weight() ? orb_check::weights_by_rule : orb_check::counts_by_rule,
          orb_check::cut_between_keys})
      verdict.not_examined(check, "rows cannot be attributed to cells");
  }
  return std::move(verdict).sentences();
}

}  // namespace copse
