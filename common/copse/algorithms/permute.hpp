#pragma once
/// \file
/// Reorders every column of a particle table by one permutation.

#include <copse/backend/types.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

namespace detail {
template <class T>
struct Gather {
  const T* from;
  T* to;
  const LocalIndex* permutation;
  KOKKOS_FUNCTION void operator()(Count i) const { to[i] = from[permutation[i]]; }
};

/// Replaces one column by its gathered copy. LayoutLeft: the axes follow each other.
template <class ExecutionSpace, class ViewT>
void gather_column(const ExecutionSpace& space, ViewT& column, const LocalIndex* permutation,
                   Count rows) {
  if (column.extent(0) == 0) return;
  using T = typename ViewT::non_const_value_type;
  ViewT gathered(Kokkos::view_alloc(space, column.label(), Kokkos::WithoutInitializing),
                 column.layout());
  const Count axes = column.span() / rows;
  for (Count a = 0; a < axes; ++a)
    Kokkos::parallel_for(
        "copse::permute::gather", Kokkos::RangePolicy<ExecutionSpace>(space, 0, rows),
        Gather<T>{column.data() + a * rows, gathered.data() + a * rows, permutation});
  space.fence("copse::permute::gather");  // before the old column is freed
  column = gathered;
}
}  // namespace detail

/// Row i of every column becomes the former row permutation(i). `permutation` must be a permutation
/// of [0, particles.size()); this is not checked. Columns are replaced by new allocations one at a
/// time, so the peak memory is one extra column.
///
/// Bytes per row and column: 4 for the index, one write, and one read that is random unless the
/// permutation is local: up to a 32-byte sector each on a GPU. To move columns level by level
/// during a tree build, pass them to run_partition.
template <class ExecutionSpace, class PermutationView>
void permute_particles(const ExecutionSpace& space,
                       Particles<typename ExecutionSpace::memory_space>& particles,
                       const PermutationView& permutation) {
  const Count n = particles.size();
  const LocalIndex* order = permutation.data();
  detail::gather_column(space, particles.position, order, n);
  detail::gather_column(space, particles.velocity, order, n);
  detail::gather_column(space, particles.mass, order, n);
  detail::gather_column(space, particles.id, order, n);
  detail::gather_column(space, particles.weight, order, n);
  detail::gather_column(space, particles.species, order, n);
}

}  // namespace copse
