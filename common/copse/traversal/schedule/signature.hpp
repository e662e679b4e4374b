#pragma once
/// \file
/// The default scheduler of both kinds of walk: one word a query, one sort.
///
/// The signature of a query is the first four top leaves that it reached, 16 bits each, the first
/// uppermost; 0 stands for a leaf that there was none of. For a guided walk these are its first
/// four steps, for an unguided walk the first four set bits of its row, as a depth-first walk meets
/// its leaves in that order. Queries are sorted by signature; equal ones stay in input order.
///
/// That is what the paper's buckets do with the first four steps of a row, in one stable sort on
/// the device. The matrix need not outlive the signatures, so however many queries there are, a
/// batch of it suffices and nothing goes to the host (`signatures_in_batches`). What the signature
/// cannot tell apart are walks that begin alike and part later; docs/scheduling.md measures what
/// that costs.

#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/traversal/schedule/device_buckets.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

namespace detail {

template <class MemorySpace>
struct StepSignature {
  ConstStepMatrix<MemorySpace> steps;
  std::uint64_t* signature;
  KOKKOS_FUNCTION void operator()(Count q) const { signature[q] = steps_key(steps, q, 0); }
};

template <class MemorySpace>
struct VisitSignature {
  ConstVisitMatrix<MemorySpace> visits;
  std::uint64_t* signature;
  KOKKOS_FUNCTION void operator()(Count q) const {
    std::uint64_t key = 0;
    Count found = 0;
    for (Count w = 0; w < visits.extent(1) && found < key_steps; ++w)
      for (VisitWord word = visits(q, w); word != 0 && found < key_steps; word &= word - 1) {
        const Count column = w * visit_word_columns + Kokkos::countr_zero(word);
        key = key << 16 | (column + 1);
        ++found;
      }
    // A missing leaf sorts before every other, as the end of a row does among steps.
    signature[q] = found == 0 ? 0 : key << 16 * (key_steps - found);
  }
};

}  // namespace detail

/// The signatures of all rows of a matrix of steps. `signature` has as many elements as `steps` has
/// rows. Bytes per query: 8 read (four steps in columns of their own) and 8 written.
template <class ExecutionSpace, class SignatureView>
void write_signatures(const ExecutionSpace& space,
                      const StepMatrix<typename ExecutionSpace::memory_space>& steps,
                      const SignatureView& signature) {
  using Kernel = detail::StepSignature<typename ExecutionSpace::memory_space>;
  Kokkos::parallel_for("copse::schedule::step_signature",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, steps.extent(0)),
                       Kernel{steps, signature.data()});
}

/// The same of a matrix of visits, of at most 65535 columns. Reads words until four leaves are
/// found.
template <class ExecutionSpace, class SignatureView>
void write_signatures(const ExecutionSpace& space,
                      const VisitMatrix<typename ExecutionSpace::memory_space>& visits,
                      const SignatureView& signature) {
  using Kernel = detail::VisitSignature<typename ExecutionSpace::memory_space>;
  Kokkos::parallel_for("copse::schedule::visit_signature",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, visits.extent(0)),
                       Kernel{visits, signature.data()});
}

/// Sorts the queries by their signatures, which are sorted along. Both have as many elements as
/// there are queries; `order` need not be set.
template <class ExecutionSpace, class SignatureView>
void signature_order(const ExecutionSpace& space, const SignatureView& signature,
                     const ScheduleView<typename ExecutionSpace::memory_space>& order,
                     Workspace<typename ExecutionSpace::memory_space>& workspace) {
  input_order(space, order);
  sort_by_key(space, signature, order, workspace);
}

}  // namespace copse
