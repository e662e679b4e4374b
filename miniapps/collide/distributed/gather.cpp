#include "gather.hpp"

#include "../reference.hpp"
#include <copse/backend/backends.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace copse::collide {

template <int D>
State<D, Kokkos::HostSpace> share_of(const State<D, Kokkos::HostSpace>& state, int rank,
                                     int ranks) {
  if (ranks == 1) return state;
  const Count n = state.rows(), p = static_cast<Count>(ranks), r = static_cast<Count>(rank);
  const Count begin = n * r / p, end = n * (r + 1) / p;
  auto share = allocate_state<D, Kokkos::HostSpace>(end - begin, state.size.extent(0) > 0);
  share.largest_size = state.largest_size;
  const auto range = std::pair(begin, end);
  Kokkos::deep_copy(share.position, Kokkos::subview(state.position, range, Kokkos::ALL));
  Kokkos::deep_copy(share.velocity, Kokkos::subview(state.velocity, range, Kokkos::ALL));
  Kokkos::deep_copy(share.tag, Kokkos::subview(state.tag, range));
  if (state.size.extent(0) > 0) Kokkos::deep_copy(share.size, Kokkos::subview(state.size, range));
  return share;
}

template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> gather_rows(const Communicator& comm,
                                        const State<D, MemorySpace>& state) {
  struct Particle {
    double position[D], velocity[D], size;
    Tag tag;
  };
  const auto rows = copy_state<Kokkos::HostSpace>(state);
  const bool sizes = comm.allreduce(rows.size.extent(0) > 0 ? 1 : 0, Reduction::max) > 0;
  std::vector<Particle> mine;
  mine.reserve(rows.rows());
  for (Count i = 0; i < rows.rows(); ++i) {
    if (is_ghost(rows.tag(i))) continue;
    Particle particle{};
    for (int a = 0; a < D; ++a) {
      particle.position[a] = rows.position(i, a);
      particle.velocity[a] = rows.velocity(i, a);
    }
    particle.size = sizes ? rows.size(i) : 1.0;
    particle.tag = rows.tag(i);
    mine.push_back(particle);
  }
  const auto all = comm.gatherv(std::span<const Particle>(mine), 0);
  auto gathered = allocate_state<D, Kokkos::HostSpace>(all.size(), sizes);
  gathered.largest_size = rows.largest_size;
  for (Count i = 0; i < all.size(); ++i) {
    const Particle& particle = all[i];
    for (int a = 0; a < D; ++a) {
      gathered.position(i, a) = particle.position[a];
      gathered.velocity(i, a) = particle.velocity[a];
    }
    gathered.tag(i) = particle.tag;
    if (sizes) gathered.size(i) = particle.size;
  }
  return gathered;
}

template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> gather_by_id(const Communicator& comm,
                                         const State<D, MemorySpace>& state) {
  return by_id(gather_rows(comm, state));
}

template <int D, class MemorySpace>
Tag first_lost(const Communicator& comm, const State<D, MemorySpace>& state) {
  const auto rows = copy_state<Kokkos::HostSpace>(state);
  Tag first = most_particles;
  for (Count i = 0; i < rows.rows(); ++i) {
    if (is_ghost(rows.tag(i))) continue;
    for (int a = 0; a < D; ++a)
      if (!std::isfinite(rows.position(i, a)) || !std::isfinite(rows.velocity(i, a)))
        first = std::min(first, rows.tag(i));
  }
  return comm.allreduce(first, Reduction::min);
}

#define COPSE_INSTANTIATE(D) \
  template State<D, Kokkos::HostSpace> share_of(const State<D, Kokkos::HostSpace>&, int, int);
COPSE_INSTANTIATE(2)
COPSE_INSTANTIATE(3)
#undef COPSE_INSTANTIATE
#define COPSE_INSTANTIATE(MemorySpace)                                             \
  template State<2, Kokkos::HostSpace> gather_rows(const Communicator&,            \
                                                   const State<2, MemorySpace>&);  \
  template State<3, Kokkos::HostSpace> gather_rows(const Communicator&,            \
                                                   const State<3, MemorySpace>&);  \
  template State<2, Kokkos::HostSpace> gather_by_id(const Communicator&,           \
                                                    const State<2, MemorySpace>&); \
  template State<3, Kokkos::HostSpace> gather_by_id(const Communicator&,           \
                                                    const State<3, MemorySpace>&); \
  template Tag first_lost(const Communicator&, const State<2, MemorySpace>&);      \
  template Tag first_lost(const Communicator&, const State<3, MemorySpace>&);
COPSE_FOR_EACH_MEMORY_SPACE(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
