#pragma once
/// \file
/// From sets of rows in the order of a tree to labels of particles in the order of the input.

#include "../linker.hpp"
#include <copse/algorithms/union_find.hpp>
#include <copse/algorithms/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <limits>

namespace copse::fof {

namespace detail {
/// Enters each row's particle at the root of its set.
template <class MemorySpace>
struct FindSmallest {
  UnionFind<MemorySpace> sets;
  Kokkos::View<const LocalIndex*, MemorySpace> permutation;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> smallest;
  KOKKOS_FUNCTION void operator()(const Count row) const {
    LocalIndex& least = smallest(sets.parent(row));
    const LocalIndex particle = permutation(row);
    // In a large group most rows find that they need not write.
    if (particle < Kokkos::atomic_load(&least)) Kokkos::atomic_min(&least, particle);
  }
};

template <class MemorySpace>
struct WriteLabels {
  UnionFind<MemorySpace> sets;
  Kokkos::View<const LocalIndex*, MemorySpace> permutation;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> smallest;
  Labels<MemorySpace> labels;
  KOKKOS_FUNCTION void operator()(const Count row) const {
    labels(permutation(row)) = smallest(sets.parent(row));
  }
};
}  // namespace detail

/// labels(permutation(row)) is the least permutation() of the row's set. `sets` are flattened on
/// the way. Bytes a row: 12 in order, 8 at random. No synchronisation.
template <class ExecutionSpace, class MemorySpace = typename ExecutionSpace::memory_space>
void label_rows(const ExecutionSpace& space, const UnionFind<MemorySpace>& sets,
                const Kokkos::View<LocalIndex*, MemorySpace>& permutation,
                const Labels<MemorySpace>& labels, Workspace<MemorySpace>& workspace) {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;
  const Count n = labels.extent(0);
  flatten_sets(space, sets);
  const auto smallest = workspace.template get<LocalIndex>("fof::smallest", n);
  Kokkos::deep_copy(space, smallest, std::numeric_limits<LocalIndex>::max());
  Kokkos::parallel_for("copse::fof::smallest", Range(space, 0, n),
                       detail::FindSmallest<MemorySpace>{sets, permutation, smallest});
  Kokkos::parallel_for("copse::fof::labels", Range(space, 0, n),
                       detail::WriteLabels<MemorySpace>{sets, permutation, smallest, labels});
}

}  // namespace copse::fof
