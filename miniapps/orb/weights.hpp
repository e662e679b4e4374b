#pragma once
/// \file
/// The particles' weights: `--weights` and `--weight-exponent`.
///
/// The exponent E raises every weight to a power from 0 to 1. [Rehmann draft] section 2: domains of
/// equal work may differ in particles and so in memory. E = 1 balances work; E = 0, where every
/// weight is 1, balances memory; a power between trades one for the other.

#include <copse/backend/mpi/communicator.hpp>
#include <copse/particles/particles.hpp>
#include <copse/tree/integer_weights.hpp>

#include <string>

namespace copse::orb {

struct Weighting {
  std::string kind = "none";  ///< none, column or heavy-tailed
  double exponent = 1.0;

  bool wanted() const { return kind != "none"; }
  /// The columns to load for it.
  ColumnSet columns() const { return {.weight = kind == "column"}; }
};

/// The weights of this rank's particles; the first has number `first` among the `total` particles
/// of all ranks.
///  - column: the weight column of the snapshot or generator
///  - heavy-tailed: w = u^(-2/3), a Pareto distribution of index 1.5 (mean 3, infinite variance),
///    cut at 2^16; u depends only on the seed and the particle's number
/// Collective over `comm`.
/// \throws InputError, on every rank, if there is no weight column, or as integer_weights does
template <class ExecutionSpace>
IntegerWeights<typename ExecutionSpace::memory_space> make_weights(
    const ExecutionSpace& space, const Communicator& comm, const Weighting& weighting,
    const Particles<typename ExecutionSpace::memory_space>& particles, std::uint64_t seed,
    Count first, Count total);

}  // namespace copse::orb
