#pragma once
/// \file
/// The inverse of a permutation: the new position of each input row.

#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

namespace detail {
template <class MemorySpace>
struct InvertPermutation {
  Kokkos::View<const LocalIndex*, MemorySpace> permutation;
  Kokkos::View<LocalIndex*, MemorySpace> inverse;
  KOKKOS_FUNCTION void operator()(const Count row) const {
    inverse(permutation(row)) = static_cast<LocalIndex>(row);
  }
};
}  // namespace detail

/// inverse(permutation(row)) = row. `permutation` must be a permutation; this is not checked. Per
/// row, 4 bytes are read in order and 4 written at random. No synchronisation.
template <class ExecutionSpace, class MemorySpace>
void invert_permutation(const ExecutionSpace& space,
                        const Kokkos::View<LocalIndex*, MemorySpace>& permutation,
                        const Kokkos::View<LocalIndex*, MemorySpace>& inverse) {
  Kokkos::parallel_for("copse::permute::invert",
                       CountRange<ExecutionSpace>(space, 0, permutation.extent(0)),
                       detail::InvertPermutation<MemorySpace>{permutation, inverse});
}

}  // namespace copse
