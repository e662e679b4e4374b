#pragma once
/// \file
/// The independent check of an ORB over several ranks. No rank ever holds all particles, except
/// that a small result is also gathered and put through verify_orb.

#include "verify.hpp"
#include <copse/app/verification.hpp>
#include <copse/backend/communicator.hpp>
#include <copse/domains/distributed_orb.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

/// Names of the checks beside those of `orb_check` that it makes: all about cells, and
/// inside_leaf_box, side_of_cut, input_order_kept.
namespace distributed_check {
/// Every rank has the same cells.
inline constexpr const char* cells_agree = "cells_agree";
/// A rank's rows are those of the leaves j with floor(j P / d) = rank.
inline constexpr const char* on_owning_rank = "on_owning_rank";
/// Number, sum and hashed sum of the ids over all ranks are the input's.
inline constexpr const char* same_ids = "same_ids";
/// The sum of a hash of each particle's id, coordinates and weight is the input's.
inline constexpr const char* particles_intact = "particles_intact";
/// verify_orb on rank 0 passes; up to `largest_gathered` particles.
inline constexpr const char* gathered_result = "gathered_result";
}  // namespace distributed_check

inline constexpr Count largest_gathered = Count{1} << 22;

/// The particles of one rank, of which the first is row `first_row` of all.
struct RankParticles {
  DistributedPoints<Kokkos::HostSpace> points;
  Count first_row = 0;
  Count size() const { return points.position.extent(0); }
};

/// Checks the result of this rank and, with the other ranks, of all. \return one sentence for each
/// check that failed here. O(n log d) a rank. Collective.
std::vector<std::string> verify_distributed(const Communicator& comm, const RankParticles& before,
                                            const RankParticles& after,
                                            const OrbTree<Kokkos::HostSpace>& tree,
                                            const Box<3>& domain, app::Verification& out);

/// All particles on rank 0, in the order of ranks and rows; nothing elsewhere. Collective.
RankParticles gather_particles(const Communicator& comm, const RankParticles& particles);

/// A corruption of one rank's result, for `--sabotage`.
struct DistributedSabotage {
  std::string_view name;
  std::string_view caught_by;
};
std::span<const DistributedSabotage> distributed_sabotages();
bool is_distributed_sabotage(std::string_view name);

/// Corrupts the result of the last rank that has enough particles for it. Collective.
/// \throws InputError on every rank if the name is unknown or no rank has
void sabotage_distributed(const Communicator& comm, std::string_view name, RankParticles& result,
                          const OrbTree<Kokkos::HostSpace>& tree);

}  // namespace copse
