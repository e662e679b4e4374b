#pragma once
/// \file
/// Where the particles' weights come from: `--weights` and `--weight-exponent`.
///
/// The exponent E raises every weight to a power from 0 to 1. Seed 003 section 2: domains of equal
/// work may differ in particles and so in memory. E = 1 balances work, E = 0, where every weight is
/// 1, memory, and what lies between trades one for the other.

#include <copse/app/session.hpp>
#include <copse/backend/communicator.hpp>
#include <copse/particles/particles.hpp>
#include <copse/tree/integer_weights.hpp>
#include <copse/tree/orb_tree.hpp>

#include <CLI/CLI.hpp>

#include <string>

namespace copse {

struct WeightRequest {
  std::string kind = "none";  ///< none, column or heavy-tailed
  double exponent = 1.0;

  bool wanted() const { return kind != "none"; }
  /// The columns to load for it.
  ColumnSet columns() const { return {.weight = kind == "column"}; }
};

void add_weight_options(CLI::App& cli, WeightRequest& request);

/// \throws InputError for an exponent outside [0, 1], or one without weights
void validate_weights(const WeightRequest& request);

/// The weights of this rank's rows, of which the first is row `first` of all ranks' `total`.
///  - column: the weight column of the snapshot or generator
///  - heavy-tailed: w = u^(-2/3), a Pareto distribution of index 1.5 (mean 3, no variance), cut at
///    2^16; u depends on the seed and the global row alone
/// Collective over `comm`.
/// \throws InputError, on every rank, if there is no weight column, or as integer_weights does
template <class ExecutionSpace>
IntegerWeights<typename ExecutionSpace::memory_space> make_weights(
    const ExecutionSpace& space, const Communicator& comm, const WeightRequest& request,
    const Particles<typename ExecutionSpace::memory_space>& particles, std::uint64_t seed,
    Count first, Count total);

/// The heaviest leaf over the mean. `weight(row)` is that of a row in tree order.
template <class WeightOfRow>
double weight_imbalance(const OrbTree<Kokkos::HostSpace>& tree, const WeightOfRow& weight) {
  double largest = 0.0;
  double total = 0.0;
  for (std::size_t i = 1; i < tree.cells.extent(0); ++i) {
    const OrbCell& cell = tree.cells(i);
    if (cell.leaves != 1) continue;
    Count sum = 0;
    for (Count row = cell.begin; row < cell.end; ++row) sum += weight(row);
    total += static_cast<double>(sum);
    if (static_cast<double>(sum) > largest) largest = static_cast<double>(sum);
  }
  return total > 0.0 ? largest * tree.leaves / total : 1.0;
}

}  // namespace copse
