#pragma once
/// \file
/// `--inject-imbalance`: an uneven number of particles per rank before a build.

#include <copse/backend/mpi/communicator.hpp>
#include <copse/backend/mpi/rank_slice.hpp>
#include <copse/backend/types.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::orb {

/// First row of a rank: rank 0 has `factor` times the mean, the others share the rest evenly.
inline Count injected_begin(Count n, int rank, int ranks, double factor) {
  if (rank == 0) return 0;
  if (rank == ranks) return n;
  const double wanted = std::floor(factor * static_cast<double>(n) / static_cast<double>(ranks));
  const Count first = std::min(n, static_cast<Count>(wanted));
  return first + rank_slice(n - first, rank - 1, ranks - 1).first;
}

/// Moves particles between ranks, in order, until rank 0 has `factor` times the mean. Collective.
/// \param first  global index of this rank's first particle, before and after
/// \param total  particles of all ranks
template <class MemorySpace>
void inject_imbalance(const Communicator& comm, DistributedPoints<MemorySpace>& points,
                      Count& first, Count total, double factor) {
  const auto uninitialized = [](const char* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  const Count end = first + points.position.extent(0);
  std::vector<Count> counts;
  for (int r = 0; r < comm.size(); ++r) {
    const Count low = std::max(first, injected_begin(total, r, comm.size(), factor));
    const Count high = std::min(end, injected_begin(total, r + 1, comm.size(), factor));
    counts.push_back(high > low ? high - low : 0);
  }
  const ExchangePlan plan = comm.plan_exchange(counts);
  const Count n = plan.receive.total();
  DistributedPoints<MemorySpace> moved;
  moved.position = Points<3, MemorySpace>(uninitialized("copse::orb::points"), n);
  moved.id = Kokkos::View<GlobalId*, MemorySpace>(uninitialized("copse::orb::id"), n);
  comm.alltoallv(plan, points.position, moved.position);
  comm.alltoallv(plan, points.id, moved.id);
  const Count weights = comm.allreduce(Count{points.weight.extent(0)}, Reduction::max);
  if (weights > 0) {
    moved.weight =
        Kokkos::View<std::uint32_t*, MemorySpace>(uninitialized("copse::orb::weight"), n);
    comm.alltoallv(plan, points.weight, moved.weight);
  }
  first = injected_begin(total, comm.rank(), comm.size(), factor);
  points = moved;
}

}  // namespace copse::orb
