#include "verify.hpp"

#include "checks.hpp"
#include <copse/app/coordinate_checksum.hpp>

#include <bit>
#include <utility>

namespace copse::orb {
namespace {

std::uint64_t hash_position(const Points<3, Kokkos::HostSpace>& x, Count i) {
  std::uint64_t h = 0;
  for (int a = 0; a < 3; ++a)
    h = scramble(h + 0x9e3779b97f4a7c15u + std::bit_cast<RealBits>(x(i, a)));
  return h;
}

/// The number of rows of a chunk that violate a condition, and the first of them.
struct Offenders {
  Count rows = 0;
  Count first = 0;

  void add(Count row) {
    if (rows++ == 0) first = row;
  }
};

struct RowResult {
  Offenders repeated;
  Offenders moved;
  std::uint64_t sum_before = 0;
  std::uint64_t sum_after = 0;
};

struct LeafResult {
  Offenders outside;
  Offenders unordered;
};

}  // namespace

void check_rows(const RowsToVerify& rows, Verdict& verdict) {
  const Count n = rows.size();
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> seen("copse::verify::seen", (n + 31) / 32);
  std::vector<Chunk> chunks;
  append_chunks(chunks, 1, 0, n);
  const auto results =
      visit_chunks<RowResult>("copse::verify::rows", chunks, [&](const Chunk& chunk) {
        RowResult result;
        for (Count i = chunk.begin; i < chunk.end; ++i) {
          result.sum_before += hash_position(rows.original, i);
          result.sum_after += hash_position(rows.partitioned, i);
          const Count from = rows.permutation(i);
          if (from >= n) {
            result.repeated.add(i);
            result.moved.add(i);
            continue;
          }
          const std::uint32_t bit = std::uint32_t{1} << (from % 32);
          if (Kokkos::atomic_fetch_or(&seen(from / 32), bit) & bit) result.repeated.add(i);
          bool same = true;
          for (int a = 0; a < 3; ++a)
            same = same && std::bit_cast<RealBits>(rows.partitioned(i, a)) ==
                               std::bit_cast<RealBits>(rows.original(from, a));
          if (!same) result.moved.add(i);
        }
        return result;
      });

  Finding repeated, moved, checksum;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  for (const RowResult& r : results) {
    const Count row = r.repeated.first;
    repeated.add(r.repeated.rows,
                 "row {} claims input row {}, which another row claims too or which does not exist",
                 row, r.repeated.rows > 0 ? rows.permutation(row) : 0);
    moved.add(r.moved.rows, "row {} does not have the coordinates of the input row it claims",
              r.moved.first);
    before += r.sum_before;
    after += r.sum_after;
  }
  checksum.add(before != after, "the coordinates hash to {:016x}, those of the input to {:016x}",
               after, before);
  verdict.conclude(orb_check::every_particle_once, repeated);
  verdict.conclude(orb_check::coordinates_moved_along, moved);
  verdict.conclude(orb_check::coordinate_checksum, checksum);
}

void check_positions(const RowsToVerify& rows, std::uint64_t input_checksum, Verdict& verdict) {
  Finding checksum;
  const std::uint64_t after =
      app::coordinate_checksum(Kokkos::DefaultHostExecutionSpace(), rows.partitioned);
  checksum.add(after != input_checksum,
               "the coordinates hash to {:016x}, those of the input to {:016x}", after,
               input_checksum);
  verdict.conclude(orb_check::coordinate_checksum, checksum);
}

void check_leaves(const RowsToVerify& rows, const ExpectedHeap& heap, bool order_kept,
                  Verdict& verdict) {
  std::vector<Chunk> chunks;
  for (std::uint32_t id = 1; id < heap.slots(); ++id)
    if (heap.is_leaf(id)) append_chunks(chunks, id, heap.cells(id).begin, heap.cells(id).end);
  const auto results =
      visit_chunks<LeafResult>("copse::verify::leaves", chunks, [&](const Chunk& chunk) {
        LeafResult result;
        const OrbCell& leaf = heap.cells(chunk.cell);
        for (Count i = chunk.begin; i < chunk.end; ++i) {
          bool inside = true;
          for (int a = 0; a < 3; ++a)
            inside = inside && leaf.lower[a] <= rows.partitioned(i, a) &&
                     rows.partitioned(i, a) <= leaf.upper[a];
          if (!inside) result.outside.add(i);
          if (order_kept && i > leaf.begin && !(rows.permutation(i - 1) < rows.permutation(i)))
            result.unordered.add(i);
        }
        return result;
      });

  Finding outside, unordered;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    outside.add(results[c].outside.rows, "row {} is outside the box of its leaf, cell {}",
                results[c].outside.first, chunks[c].cell);
    unordered.add(results[c].unordered.rows,
                  "row {} of leaf {} comes from an earlier input row than the row before it",
                  results[c].unordered.first, chunks[c].cell);
  }
  verdict.conclude(orb_check::inside_leaf_box, outside);
  if (order_kept) verdict.conclude(orb_check::input_order_kept, unordered);
}

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

}  // namespace copse::orb
