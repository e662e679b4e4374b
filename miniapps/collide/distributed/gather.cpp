#include "gather.hpp"

#include "../reference.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/mpi/rank_slice.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace copse::collide {
namespace {

/// A particle on its way to rank 0.
template <int D>
struct SentParticle {
  double position[D], velocity[D], size;
  Tag tag;

  static SentParticle of(const State<D, Kokkos::HostSpace>& rows, Count i) {
    SentParticle record{};
    for (int a = 0; a < D; ++a) {
      record.position[a] = rows.position(i, a);
      record.velocity[a] = rows.velocity(i, a);
    }
    record.size = rows.size.extent(0) > 0 ? rows.size(i) : 1.0;
    record.tag = rows.tag(i);
    return record;
  }
  void store(const State<D, Kokkos::HostSpace>& rows, Count i) const {
    for (int a = 0; a < D; ++a) {
      rows.position(i, a) = position[a];
      rows.velocity(i, a) = velocity[a];
    }
    rows.tag(i) = tag;
    if (rows.size.extent(0) > 0) rows.size(i) = size;
  }
};

/// A rank without particles has no sizes to look at.
template <int D>
bool have_sizes(const Communicator& comm, const State<D, Kokkos::HostSpace>& rows) {
  return comm.allreduce(rows.size.extent(0) > 0 ? 1 : 0, Reduction::max) > 0;
}

}  // namespace

template <int D>
State<D, Kokkos::HostSpace> share_of(const State<D, Kokkos::HostSpace>& state, int rank,
                                     int ranks) {
  if (ranks == 1) return state;
  const auto range = rank_slice(state.rows(), rank, ranks);
  auto share =
      allocate_state<D, Kokkos::HostSpace>(range.second - range.first, state.size.extent(0) > 0);
  share.largest_size = state.largest_size;
  Kokkos::deep_copy(share.position, Kokkos::subview(state.position, range, Kokkos::ALL));
  Kokkos::deep_copy(share.velocity, Kokkos::subview(state.velocity, range, Kokkos::ALL));
  Kokkos::deep_copy(share.tag, Kokkos::subview(state.tag, range));
  if (state.size.extent(0) > 0) Kokkos::deep_copy(share.size, Kokkos::subview(state.size, range));
  return share;
}

template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> gather_state(const Communicator& comm,
                                         const State<D, MemorySpace>& state) {
  const auto rows = copy_state<Kokkos::HostSpace>(state);
  const bool sizes = have_sizes(comm, rows);
  std::vector<SentParticle<D>> mine;
  mine.reserve(rows.rows());
  for (Count i = 0; i < rows.rows(); ++i)
    if (!is_ghost(rows.tag(i))) mine.push_back(SentParticle<D>::of(rows, i));
  const auto all = comm.gatherv(std::span<const SentParticle<D>>(mine), 0);
  auto gathered = allocate_state<D, Kokkos::HostSpace>(all.size(), sizes);
  gathered.largest_size = rows.largest_size;
  for (Count i = 0; i < all.size(); ++i) all[i].store(gathered, i);
  return gathered;
}

template <int D>
void for_each_slab(const Communicator& comm, const State<D, Kokkos::HostSpace>& state, Count slab,
                   const std::function<void(Count, const State<D, Kokkos::HostSpace>&)>& use) {
  const bool sizes = have_sizes(comm, state);
  std::vector<std::pair<Tag, Count>> order;  // ids and rows
  for (Count i = 0; i < state.rows(); ++i)
    if (!is_ghost(state.tag(i))) order.emplace_back(state.tag(i), i);
  std::sort(order.begin(), order.end());
  const Count particles = comm.allreduce(Count{order.size()}, Reduction::sum);
  auto next = order.begin();
  for (Count first = 0; first < particles; first += slab) {
    const Count count = std::min(slab, particles - first);
    std::vector<SentParticle<D>> mine;
    for (; next != order.end() && next->first < first + count; ++next)
      mine.push_back(SentParticle<D>::of(state, next->second));
    const auto all = comm.gatherv(std::span<const SentParticle<D>>(mine), 0);
    if (comm.rank() != 0) continue;
    if (all.size() != count) throw std::logic_error("the ids of all ranks are not 0 to n - 1");
    const auto rows = allocate_state<D, Kokkos::HostSpace>(count, sizes);
    for (const SentParticle<D>& record : all) record.store(rows, record.tag - first);
    use(first, rows);
  }
}

template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> gather_by_id(const Communicator& comm,
                                         const State<D, MemorySpace>& state) {
  return by_id(gather_state(comm, state));
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

#define COPSE_INSTANTIATE(D)                                                                   \
  template State<D, Kokkos::HostSpace> share_of(const State<D, Kokkos::HostSpace>&, int, int); \
  template void for_each_slab(                                                                 \
      const Communicator&, const State<D, Kokkos::HostSpace>&, Count,                          \
      const std::function<void(Count, const State<D, Kokkos::HostSpace>&)>&);
COPSE_INSTANTIATE(2)
COPSE_INSTANTIATE(3)
#undef COPSE_INSTANTIATE
#define COPSE_INSTANTIATE(MemorySpace)                                             \
  template State<2, Kokkos::HostSpace> gather_state(const Communicator&,           \
                                                    const State<2, MemorySpace>&); \
  template State<3, Kokkos::HostSpace> gather_state(const Communicator&,           \
                                                    const State<3, MemorySpace>&); \
  template State<2, Kokkos::HostSpace> gather_by_id(const Communicator&,           \
                                                    const State<2, MemorySpace>&); \
  template State<3, Kokkos::HostSpace> gather_by_id(const Communicator&,           \
                                                    const State<3, MemorySpace>&); \
  template Tag first_lost(const Communicator&, const State<2, MemorySpace>&);      \
  template Tag first_lost(const Communicator&, const State<3, MemorySpace>&);
COPSE_FOR_EACH_MEMORY_SPACE(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
