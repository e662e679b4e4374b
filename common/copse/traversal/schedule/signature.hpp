#pragma once
/// \file
/// The default scheduler of both kinds of walk: one word a query, one sort.
///
/// The signature of a query is a few of the top leaves that it reached, packed into 64 bits, the
/// first uppermost. Leaves count from 1 and take bit_width(C) bits each, so that there is room for
/// seven of 256 leaves and four of 32768; 0 stands for a leaf that there was none of. Queries are
/// sorted by signature; equal ones stay in input order.
///
/// Which leaves: those at both ends of the set in turn (the lowest, the highest, the second lowest,
/// ...), because the ends of a range of leaves say most about what lies between them. A guided walk
/// puts the leaf that it reached first before all, as that is where its neighbours are. The first
/// four leaves in the order of the walk would be the beginning of the paper's buckets, but walks
/// that begin alike may end far apart: docs/scheduling.md measures that packets then visit 1.2 to
/// 1.5 times as many leaves.
///
/// A signature is written where the matrix is and the matrix is then free, so however many queries
/// there are, a batch of it suffices and nothing goes to the host (`signatures_in_batches`).

#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <bit>

namespace copse {

using Signature = std::uint64_t;

/// How leaves are packed into a signature.
struct SignatureFormat {
  Count columns;  ///< top leaves there are
  int leaf_bits;  ///< bits of one leaf's number, counted from 1
  int leaves;     ///< leaves that a signature holds

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
  /// The lowest above `leaf`, of which there may be none.
  KOKKOS_FUNCTION Count above(Count leaf) const {
    VisitWord unwanted = (VisitWord{1} << leaf % visit_word_columns) - 1;
    for (Count w = leaf / visit_word_columns; w < visits.extent(1); ++w) {
      const VisitWord word = visits(query, w) & ~unwanted;
      if (word != 0) return w * visit_word_columns + Kokkos::countr_zero(word) + 1;
      unwanted = 0;
    }
    return 0;
  }
  /// The highest below `leaf`.
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

/// The same of a row of steps. Reads the row once for every leaf: it is short and in the cache.
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
      // With no leaf left between the two nothing more is looked for.
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

/// The signatures of all rows of a matrix of visits. `signature` has as many elements as `visits`
/// has rows.
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

/// The same of a matrix of steps.
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

/// Sorts the queries by their signatures, which are sorted along. Both have as many elements as
/// there are queries; `order` need not be set.
template <class ExecutionSpace, class SignatureView>
void signature_order(const ExecutionSpace& space, const SignatureFormat& format,
                     const SignatureView& signature,
                     const ScheduleView<typename ExecutionSpace::memory_space>& order,
                     Workspace<typename ExecutionSpace::memory_space>& workspace) {
  input_order(space, order);
  sort_by_key(space, signature, order, workspace, format.bits());
}

}  // namespace copse
