#pragma once
/// \file
/// The default scheduler of both kinds of walk: one word per query, one sort.
///
/// The signature of a query packs a few of the top leaves that it reached into 64 bits, the first
/// in the most significant bits. Leaves count from 1 and take bit_width(C) bits each, so seven of
/// 256 leaves fit, and four of 32768; 0 means: fewer leaves than slots. Queries are sorted by
/// signature; ties stay in input order.
///
/// The leaves are taken from both ends of the set in turn (lowest, highest, second lowest, ...),
/// because the ends of a range of leaves say most about the leaves between them. For a guided walk
/// the leaf reached first comes before all others, as it is nearest to the query's neighbours. The
/// first four leaves in walk order would equal the start of the paper's buckets, but walks with
/// equal starts may end far apart: packets then visit 1.2 to 1.5 times as many leaves
/// (docs/scheduling.md).
///
/// Signatures are written in the memory space of the matrix, which is then free. One batch of the
/// matrix at a time therefore suffices for any number of queries, and nothing is copied to the host
/// (`signatures_in_batches`).

#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <bit>

namespace copse {

using Signature = std::uint64_t;

/// How leaves are packed into a signature.
struct SignatureFormat {
  Count columns;  ///< number of top leaves
  int leaf_bits;  ///< bits per leaf number, counted from 1
  int leaves;     ///< leaves per signature

  explicit constexpr SignatureFormat(Count top_leaves)
      : columns(top_leaves),
        leaf_bits(static_cast<int>(std::bit_width(top_leaves | 1))),
        leaves(64 / leaf_bits) {}

  int bits() const { return leaf_bits * leaves; }
};

namespace detail {

/// The leaves of one row of visits, numbered from 1. 0 means none.
template <class MemorySpace>
struct VisitedLeaves {
  ConstVisitMatrix<MemorySpace> visits;
  Count query;
  static constexpr bool guided = false;

  KOKKOS_FUNCTION Count first() const { return 0; }
  /// The lowest leaf above `leaf`, or 0.
  KOKKOS_FUNCTION Count above(Count leaf) const {
    VisitWord unwanted = (VisitWord{1} << leaf % visit_word_columns) - 1;
    for (Count w = leaf / visit_word_columns; w < visits.extent(1); ++w) {
      const VisitWord word = visits(query, w) & ~unwanted;
      if (word != 0) return w * visit_word_columns + Kokkos::countr_zero(word) + 1;
      unwanted = 0;
    }
    return 0;
  }
  /// The highest leaf below `leaf`, or 0.
  KOKKOS_FUNCTION Count below(Count leaf) const {
    const Count end = leaf - 1;  // columns before this one
    VisitWord wanted = (VisitWord{1} << end % visit_word_columns) - 1;
    for (Count w = end / visit_word_columns + 1; w > 0; --w) {
      const VisitWord word = w - 1 < visits.extent(1) ? visits(query, w - 1) & wanted : 0;
      if (word != 0) return w * visit_word_columns - Kokkos::countl_zero(word);
      wanted = ~VisitWord{0};
    }
    return 0;
  }
};

/// As VisitedLeaves, for a row of steps. Every call reads the whole row: it is short and cached.
template <class MemorySpace>
struct SteppedLeaves {
  ConstStepMatrix<MemorySpace> steps;
  Count query;
  static constexpr bool guided = true;

  KOKKOS_FUNCTION Count first() const { return steps.extent(1) > 0 ? steps(query, 0) : Step{0}; }
  KOKKOS_FUNCTION Count above(Count leaf) const {
    Count best = 0;
    for (Count i = 0; i < steps.extent(1) && steps(query, i) != 0; ++i) {
      const Count here = steps(query, i);
      if (here > leaf && (best == 0 || here < best)) best = here;
    }
    return best;
  }
  KOKKOS_FUNCTION Count below(Count leaf) const {
    Count best = 0;
    for (Count i = 0; i < steps.extent(1) && steps(query, i) != 0; ++i) {
      const Count here = steps(query, i);
      if (here < leaf && here > best) best = here;
    }
    return best;
  }
};

template <class Leaves>
KOKKOS_FUNCTION Signature signature_of(const Leaves& row, const SignatureFormat& format) {
  Signature key = 0;
  int left = format.leaves;
  if (Leaves::guided) {
    key = row.first();
    --left;
  }
  Count low = 0;
  Count high = format.columns + 1;
  for (bool lowest = true; left > 0; --left, lowest = !lowest) {
    Count leaf = 0;
    if (low < high) {
      leaf = lowest ? row.above(low) : row.below(high);
      if (leaf <= low || leaf >= high) leaf = 0;
      // If no leaf is left between low and high, the search ends.
      if (lowest || leaf == 0) low = leaf == 0 ? high : leaf;
      if (!lowest && leaf != 0) high = leaf;
    }
    key = key << format.leaf_bits | leaf;
  }
  return key;
}

template <class Matrix, template <class> class Leaves, class MemorySpace>
struct WriteSignatures {
  Matrix matrix;
  SignatureFormat format;
  Signature* signature;
  KOKKOS_FUNCTION void operator()(Count q) const {
    const Leaves<MemorySpace> row{matrix, q};
    signature[q] = signature_of(row, format);
  }
};

}  // namespace detail

/// Writes the signatures of all rows of a matrix of visits. `signature` has one element per row.
template <class ExecutionSpace, class SignatureView>
void write_signatures(const ExecutionSpace& space,
                      const VisitMatrix<typename ExecutionSpace::memory_space>& visits,
                      const SignatureFormat& format, const SignatureView& signature) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Kernel =
      detail::WriteSignatures<ConstVisitMatrix<MemorySpace>, detail::VisitedLeaves, MemorySpace>;
  Kokkos::parallel_for("copse::schedule::visit_signature",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, visits.extent(0)),
                       Kernel{visits, format, signature.data()});
}

/// As above, for a matrix of steps.
template <class ExecutionSpace, class SignatureView>
void write_signatures(const ExecutionSpace& space,
                      const StepMatrix<typename ExecutionSpace::memory_space>& steps,
                      const SignatureFormat& format, const SignatureView& signature) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Kernel =
      detail::WriteSignatures<ConstStepMatrix<MemorySpace>, detail::SteppedLeaves, MemorySpace>;
  Kokkos::parallel_for("copse::schedule::step_signature",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, steps.extent(0)),
                       Kernel{steps, format, signature.data()});
}

/// Sorts the queries by signature; `signature` is sorted too. Both arrays have one element per
/// query; `order` need not be initialised.
template <class ExecutionSpace, class SignatureView>
void signature_order(const ExecutionSpace& space, const SignatureFormat& format,
                     const SignatureView& signature,
                     const ScheduleView<typename ExecutionSpace::memory_space>& order,
                     Workspace<typename ExecutionSpace::memory_space>& workspace) {
  number_rows("copse::schedule::input_order", space, order);
  sort_by_key(space, signature, order, workspace, format.bits());
}

}  // namespace copse
