#pragma once
/// \file
/// One measured ORB on one backend: load, build, repeat, time against a copy of the positions, copy
/// to the host.

#include "compression.hpp"
#include "request.hpp"
#include "verify/verify.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/mpi/communicator.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace copse::orb {

/// A backend's result for this rank's particles, copied to the host, and its timings.
struct MeasuredBuild {
  std::string backend;
  app::Samples build;  ///< seconds of whole builds, from particles in memory to tree and order
  app::Samples copy;   ///< seconds of one copy of the positions within that memory
  Box<3> domain;
  RankParticles before;  ///< in the input's order; empty if the build keeps positions only
  RankParticles after;   ///< in tree order; weights and ids of a distributed build only
  Kokkos::View<LocalIndex*, Kokkos::HostSpace> permutation;  ///< [n] row before; empty if unknown
  std::optional<std::uint64_t> input_checksum;               ///< if the build keeps positions only
  OrbTree<Kokkos::HostSpace> tree;
  BuildLog log;                             ///< of a variant: log of the last build
  Count bytes_to_device = 0;                ///< bytes of particles sent to the device for one build
  std::optional<Reshuffle> reshuffle;       ///< of a distributed build
  std::vector<DistributedCost> costs;       ///< [repeats] of a distributed build, this rank's
  std::optional<CompressedRun> compressed;  ///< with `--compress`

  bool is_distributed() const { return reshuffle.has_value(); }
  /// The weight of a particle in tree order. \pre the build is by weight
  Count weight_of(Count row) const {
    return is_distributed() ? after.points.weight(row) : before.points.weight(permutation(row));
  }
};

/// Loads the session's particles, builds their ORB `--repeat` times on `backend` and copies the
/// last result to the host. Collective.
/// \throws InputError as Session::load_particles, make_weights and the builders do
MeasuredBuild measure_build(app::Session& session, const Communicator& comm, const Request& request,
                            const std::string& backend);

/// The variant of the runtime model for a build on `backend`.
model::Variant modelled_variant(const std::string& backend, const Request& request);

/// The heaviest leaf over the mean, over all ranks. `weight(row)` is the weight of this rank's row
/// in tree order; every leaf is on one rank. Collective.
template <class WeightOfRow>
double weight_imbalance(const Communicator& comm, const MeasuredBuild& build,
                        const WeightOfRow& weight) {
  const Count first = build.after.first_row;
  double largest = 0.0;
  double total = 0.0;
  for (std::size_t i = 1; i < build.tree.cells.extent(0); ++i) {
    const OrbCell& leaf = build.tree.cells(i);
    if (leaf.leaves != 1 || leaf.begin < first || leaf.end > first + build.after.size()) continue;
    Count sum = 0;
    for (Count row = leaf.begin; row < leaf.end; ++row) sum += weight(row - first);
    total += static_cast<double>(sum);
    largest = std::max(largest, static_cast<double>(sum));
  }
  largest = comm.allreduce(largest, Reduction::max);
  total = comm.allreduce(total, Reduction::sum);
  return total > 0.0 ? largest * build.tree.leaves / total : 1.0;
}

}  // namespace copse::orb
