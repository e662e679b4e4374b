#include "verify_rows.hpp"

#include "scramble.hpp"
#include "verify.hpp"
#include "verify_chunks.hpp"
#include <copse/app/coordinate_checksum.hpp>

#include <bit>
#include <limits>
#include <type_traits>

namespace copse {
namespace {

std::uint64_t hash_position(const Points<3, Kokkos::HostSpace>& x, Count i) {
  std::uint64_t h = 0;
  for (int a = 0; a < 3; ++a)
    h = scramble(h + 0x9e3779b97f4a7c15u + std::bit_cast<RealBits>(x(i, a)));
  return h;
}

/// How many rows of a chunk break a condition, and the first that does.
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
    repeated.add(r.repeated.rows, "row {} claims input row {}, which another row has or no row is",
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

}  // namespace copse
