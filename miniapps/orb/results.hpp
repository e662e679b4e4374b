#pragma once
/// \file
/// Processes a finished build: verifies, reports, writes, compares.

#include "measured_build.hpp"
#include <copse/app/session.hpp>
#include <copse/app/table.hpp>

#include <string>
#include <vector>

namespace copse::orb {

/// The independent check of the result. Prints one sentence for each failed check. Collective.
/// \return whether all checks passed on all ranks
bool verify_build(app::Session& session, const Communicator& comm, const Request& request,
                  const MeasuredBuild& build);

/// Fills `results` of the report and prints a summary. Collective.
///
/// leaves, depth, smallest_leaf, largest_leaf, imbalance, checksum; weight_imbalance of a tree by
/// weight. Of a variant: bytes_to_device, iterations_per_level, launches_per_level. With
/// `--stream`: stream {batch, batches, bytes_per_particle}. With `--compress`: see
/// report_compression. Of a distributed build: compute_seconds, communicate_seconds and
/// wait_seconds {max, mean} over ranks, each the median of the repeats; bytes_sent_per_particle
/// (particles that changed rank in the build); bytes_reduced_per_rank (histograms, the largest);
/// imbalance_before and _after (largest load of a rank over the mean; load is weight where there
/// are weights).
void report_build(app::Session& session, const Communicator& comm, const Request& request,
                  const MeasuredBuild& build);

/// Writes `--output`; the result of several ranks is gathered on one. Collective.
/// \throws InputError if one rank cannot hold the result or the file cannot be written
void write_build(app::Session& session, const Communicator& comm, const MeasuredBuild& build);

/// Bitwise equality, on this rank, of the tree and, if the variant is repeatable, of order and
/// positions.
bool same_build(const MeasuredBuild& a, const MeasuredBuild& b, const Variant& variant);

/// A table of the builds' times.
class SpeedTable {
 public:
  SpeedTable(app::Session& session, const Request& request);
  /// Adds a line and the figures of merit of a build.
  void add(const MeasuredBuild& build);
  const app::Table& table() const { return table_; }
  /// The builds so far, for the model.
  const std::vector<model::MeasuredRun>& runs() const { return runs_; }

 private:
  app::Session& session_;
  const Request& request_;
  bool distributed_;
  app::Table table_;
  std::vector<model::MeasuredRun> runs_;
};

}  // namespace copse::orb
