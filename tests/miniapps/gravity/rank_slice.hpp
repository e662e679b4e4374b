#pragma once
/// \file
/// Bodies that all ranks know, divided over them, for the tests of miniapps/gravity/remote.

#include "body_problem.hpp"
#include <copse/backend/mpi/rank_slice.hpp>

#include <gravity/remote/shared_tree.hpp>

namespace copse::test {

/// This rank's slice of bodies that all ranks know.
template <class MemorySpace>
gravity::RankBodies<MemorySpace> slice_of(const HostBodies& all, const Communicator& comm,
                                          bool lengths) {
  const auto [begin, end] = rank_slice(all.size(), comm.rank(), comm.size());
  const Count n = end - begin;
  HostBodies own = allocate_particles<Kokkos::HostSpace>(n, {.mass = true, .softening = true});
  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, Kokkos::HostSpace> id("copse::test::id", n);
  for (Count i = 0; i < n; ++i) {
    for (int a = 0; a < 3; ++a) own.position(i, a) = all.position(begin + i, a);
    own.mass(i) = all.mass(begin + i);
    own.softening(i) = all.softening(begin + i);
    id(i) = begin + i;
  }
  const auto there = copy_particles<MemorySpace>(own);
  gravity::RankBodies<MemorySpace> bodies;
  bodies.id = Kokkos::create_mirror_view_and_copy(MemorySpace{}, id);
  bodies.position = there.position;
  bodies.mass = there.mass;
  if (lengths) bodies.softening = there.softening;
  return bodies;
}

}  // namespace copse::test
