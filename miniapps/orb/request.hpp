#pragma once
/// \file
/// The request: the command-line options of a run of orb.

#include "model/report.hpp"
#include "variant.hpp"
#include "weights.hpp"
#include <copse/app/command_line.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/tree/orb_builder.hpp>

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace copse::orb {

struct Request {
  std::uint32_t leaves = 64;
  LeafRule rule = LeafRule::complete;
  AxisRule axis_rule = AxisRule::longest;
  Variant variant;
  Weighting weights;
  bool positions_only = false;     ///< no row numbers; the input is not kept
  int compress_bits = 0;           ///< of a coordinate that is sent; 0: sent as it is
  std::string reshuffle = "auto";  ///< auto: see reshuffle_on
  double inject_imbalance = 1.0;   ///< initial particles of rank 0 as a multiple of the mean
  bool count_bandwidth = false;
  bool all_backends = false;
  std::vector<std::string> backends;  ///< each builds the tree; all must build the same tree
  model::ModelOptions model;

  /// Is the tree built by DistributedOrbBuilder: on several ranks, or on one rank if requested?
  bool is_distributed(int ranks) const {
    return ranks > 1 || reshuffle != "auto" || inject_imbalance != 1.0;
  }
  /// auto: once if ranks and leaves are powers of two and ranks <= leaves, else global.
  Reshuffle reshuffle_on(int ranks) const;

  /// The builder's options for particles in this box.
  OrbOptions options(const Box<3>& box) const {
    return {.leaves = leaves, .rule = rule, .axis_rule = axis_rule, .box = box};
  }

  /// `cli` must outlive the call of `settle`.
  void declare(CLI::App& cli);
  /// Checks that the options are consistent and fills what is derived from them.
  /// \throws InputError for what no number of ranks can build
  void settle(const app::CommonOptions& common);

  /// \throws InputError for what this number of ranks cannot build
  void settle_ranks(int ranks) const;

 private:
  void settle_variant();

  Count leaves_ = 64;
  std::string leaf_rule_ = "complete";
  std::string axis_rule_ = "longest";
  std::string cut_ = "select";
  std::string count_ = "warp";
  std::string placement_ = "best";
  std::string partition_ = "scan";
  std::string compress_ = "off";
  const CLI::App* cli_ = nullptr;  ///< while options are parsed
};

/// One line per choice of an option, for `--list`.
std::vector<std::string> list_choices();

}  // namespace copse::orb
