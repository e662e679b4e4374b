#pragma once
/// \file
/// The parts of the verification: input data, checks and findings.

#include <copse/app/verification.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse::orb {

/// Violations of one check: their number, and a sentence about the first.
struct Finding {
  Count violations = 0;
  std::string first;

  template <class... Args>
  void add(Count how_many, fmt::string_view sentence, const Args&... args) {
    if (how_many == 0) return;
    if (violations == 0) first = fmt::vformat(sentence, fmt::make_format_args(args...));
    violations += how_many;
  }
};

/// Converts findings into checks of `out` and keeps the sentences of the failed ones.
class Verdict {
 public:
  explicit Verdict(app::Verification& out) : out_(out) {}

  bool conclude(const char* check, const Finding& finding) {
    return measure(check, static_cast<double>(finding.violations), 0.0, finding.first);
  }

  bool measure(const char* check, double value, double tolerance, const std::string& sentence) {
    const bool passed = out_.check(check, value, tolerance);
    if (!passed) sentences_.push_back(fmt::format("{}: {}", check, sentence));
    return passed;
  }

  void not_examined(const char* check, const char* why) {
    out_.require(check, false);
    sentences_.push_back(fmt::format("{}: not examined, because {}", check, why));
  }

  std::vector<std::string> sentences() && { return std::move(sentences_); }

 private:
  app::Verification& out_;
  std::vector<std::string> sentences_;
};

/// The unsigned integer of the size of Real.
using RealBits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

/// Scrambles 64 bits one to one, so that sums over different inputs differ. Different from the
/// fingerprint hash of the results under check.
inline std::uint64_t scramble(std::uint64_t h) {
  h = (h ^ (h >> 31)) * 0x7fb5d329728ea185u;
  h = (h ^ (h >> 27)) * 0x81dadef4bc2dd44du;
  return h ^ (h >> 33);
}

/// Particles [begin, end) of one cell, few enough to balance the threads whatever the sizes of the
/// cells.
struct Chunk {
  std::uint32_t cell = 0;
  Count begin = 0;
  Count end = 0;
};

/// Whether a cell is its parent's left child.
inline bool is_left(std::uint32_t cell) {
  return cell % 2 == 0;
}

/// Appends particles [begin, end) of `cell` in pieces of at most 2^16.
inline void append_chunks(std::vector<Chunk>& chunks, std::uint32_t cell, Count begin, Count end) {
  constexpr Count rows = Count{1} << 16;
  for (; begin < end; begin += std::min(rows, end - begin))
    chunks.push_back({cell, begin, begin + std::min(rows, end - begin)});
}

/// Calls `visit(chunk)` for every chunk on all host threads. Results are in the order of the
/// chunks.
template <class Result, class Visit>
std::vector<Result> visit_chunks(const std::string& label, const std::vector<Chunk>& chunks,
                                 const Visit& visit) {
  std::vector<Result> results(chunks.size());
  using Space = Kokkos::DefaultHostExecutionSpace;
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(label, Policy(0, chunks.size()),
                       [&](std::size_t c) { results[c] = visit(chunks[c]); });
  Space{}.fence(label);
  return results;
}

/// Cells of a tree and their expected values.
struct ExpectedHeap {
  Kokkos::View<const OrbCell*, Kokkos::HostSpace> cells;
  /// Expected leaves of each slot; 0: no such cell. The checks traverse the tree by these numbers
  /// and never by those of the cells, which may be wrong.
  std::vector<std::uint32_t> leaves;

  std::uint32_t slots() const { return static_cast<std::uint32_t>(leaves.size()); }
  bool is_cell(std::uint32_t id) const { return leaves[id] > 0; }
  bool is_leaf(std::uint32_t id) const { return leaves[id] == 1; }
  bool is_inner(std::uint32_t id) const { return leaves[id] > 1; }
};

/// Expected leaves of every slot of a heap with d leaves. Under LeafRule::complete a cell's leaves
/// are its descendants among cells d .. 2d - 1, which are the leaves of a heap without gaps; under
/// LeafRule::halves they are derived from the root downwards. d >= 1; O(d log d).
std::vector<std::uint32_t> expected_leaves(std::uint32_t d, LeafRule rule);

/// Fills `heap` for the tree's leaf count and compares the tree with it.
/// \return false if the number of slots is wrong, so that no other check is possible
bool check_heap_conditions(const OrbTree<Kokkos::HostSpace>& tree, ExpectedHeap& heap,
                           Verdict& verdict);
void check_leaf_counts(const ExpectedHeap& heap, Verdict& verdict);
/// \return false if rows cannot be assigned to cells
bool check_ranges(const ExpectedHeap& heap, Count particles, Verdict& verdict);
void check_boxes(const ExpectedHeap& heap, const Box<3>& domain, Verdict& verdict);
void check_volumes(const ExpectedHeap& heap, const Box<3>& domain, Verdict& verdict);
/// longest_axis_cut or cyclic_axis_cut
void check_cut_axes(const ExpectedHeap& heap, AxisRule rule, Verdict& verdict);

/// The particles before and after, all with the same number of rows. The checks below run on all
/// host threads.
struct RowsToVerify {
  Points<3, Kokkos::HostSpace> original;
  Points<3, Kokkos::HostSpace> partitioned;
  Kokkos::View<const LocalIndex*, Kokkos::HostSpace> permutation;  ///< empty: unknown

  /// [n] of the input's rows; empty in an unweighted tree.
  Kokkos::View<const std::uint32_t*, Kokkos::LayoutLeft, Kokkos::HostSpace> weight;

  Count size() const { return partitioned.extent(0); }
  bool by_weight() const { return weight.extent(0) > 0; }
};

/// every_particle_once, coordinates_moved_along, coordinate_checksum: need no tree.
void check_rows(const RowsToVerify& rows, Verdict& verdict);

/// coordinate_checksum alone, against the checksum of an input that has been freed.
void check_positions(const RowsToVerify& rows, std::uint64_t input_checksum, Verdict& verdict);

/// inside_leaf_box and, if `order_kept`, input_order_kept. \pre the ranges of `heap` tile the rows
void check_leaves(const RowsToVerify& rows, const ExpectedHeap& heap, bool order_kept,
                  Verdict& verdict);

/// side_of_cut, counts_by_rule with the tolerance alpha (of an unweighted tree), cut_between_keys.
/// \pre the ranges of `heap` tile the rows
void check_cuts(const RowsToVerify& rows, const ExpectedHeap& heap, LeafRule rule, Count alpha,
                Verdict& verdict);

/// weights_by_rule, in place of counts_by_rule. \pre the ranges of `heap` tile the rows
void check_weights(const RowsToVerify& rows, const ExpectedHeap& heap, LeafRule rule,
                   Verdict& verdict);

}  // namespace copse::orb
