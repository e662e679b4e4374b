#pragma once
/// \file
/// The command line of orb: what is declared, how options that were not given follow from those
/// that were, and what does not go together.

#include "distributed_build.hpp"
#include "measured_build.hpp"
#include "model/report.hpp"
#include <copse/app/command_line.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace copse {

class RunOptions {
 public:
  bool all_backends = false;
  bool count_bandwidth = false;
  std::string sabotage;
  orb_model::ModelOptions model;
  DistributedRequest distributed;

  /// Declares all options of orb; `cli` must live until `complete`.
  void declare(CLI::App& cli);

  /// After parsing: completes the variant and refuses what is impossible on any number of ranks.
  /// \throws InputError
  void complete(const app::CommonOptions& options);

  /// What to build. \throws InputError for what that many ranks cannot build
  BuildRequest request(int ranks) const;

  /// The name of the placement, which may have followed from other options.
  const std::string& placement() const { return placement_; }
  Count leaves() const { return leaves_; }

  /// The backends to build on, in order.
  std::vector<std::string> backends(const app::CommonOptions& options) const;

 private:
  void complete_variant(const app::CommonOptions& options);
  void refuse_variant_beside(int ranks) const;
  void refuse_positions_only_beside(int ranks) const;

  Count leaves_ = 64;
  std::string leaf_rule_ = "complete";
  std::string axis_rule_ = "longest";
  std::string cut_ = "select";
  std::string count_ = "warp";
  std::string placement_ = "best";
  std::string partition_ = "scan";
  OrbVariant variant_;
  bool positions_only_ = false;
  WeightRequest weights_;
  const CLI::App* cli_ = nullptr;  ///< while options are parsed
};

/// One line for each choice of an option, for `--list`.
std::vector<std::string> list_choices();

}  // namespace copse
