#include "run_options.hpp"

#include "sabotage.hpp"
#include "verify_distributed.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/orb_builder.hpp>

#include <fmt/format.h>

namespace copse {

std::vector<std::string> list_choices() {
  std::vector<std::string> lines{
      "leaf rules (--leaf-rule):",
      "  complete           a heap whose last level fills from the left (the default)",
      "  halves             every cell halves its leaves, the left child gets the odd one",
      "axis rules (--axis-rule):",
      "  longest            the longest side of the cell's box (the default)",
      "  cyclic             the axes in turn, level by level",
      "weights (--weights):",
      "  none               cells are cut by number (the default)",
      "  column             by the input's weight column",
      "  heavy-tailed       by drawn weights with a heavy tail",
      "several ranks (--reshuffle):",
      "  once               particles move once, when no cell is shared any more",
      "                     (the default where ranks and leaves are powers of two)",
      "  global             particles move after each level (the default elsewhere)",
      "  local              particles stay until the tree is built, then move once"};
  for (const std::string& line : list_variants()) lines.push_back(line);
  return lines;
}

void RunOptions::declare(CLI::App& cli) {
  app::add_count_option(cli, "--leaves", leaves_, "Number of domains to cut, from 1 to 2^28");
  app::add_choice_option(cli, "--leaf-rule", leaf_rule_, {"complete", "halves"},
                         "How a cell's leaves are shared between its children");
  app::add_choice_option(cli, "--axis-rule", axis_rule_, {"longest", "cyclic"},
                         "Which axis a cell is cut along");
  app::add_choice_option(cli, "--cut", cut_, cut_names(), "How cuts are found");
  app::add_choice_option(cli, "--count", count_, count_names(),
                         "How the bisections count the keys up to a cut");
  app::add_count_option(cli, "--alpha", variant_.alpha,
                        "Particles by which a bisection may miss the left count of a cut", 0);
  app::add_count_option(cli, "--max-steps", variant_.max_steps,
                        "Counts a bisection makes of a level at most; 0: as many as it needs", 0);
  app::add_choice_option(cli, "--placement", placement_, placement_names(),
                         "Where particles live and what computes");
  app::add_choice_option(cli, "--partition", partition_, partition_names(),
                         "How rows are brought to their side of a cut");
  cli.add_flag("--positions-only", positions_only_,
               "Reorder positions without a permutation, in two copies of them and a workspace: "
               "three fifths of a device's memory, 2^32 float particles in 128 GB");
  cli.add_flag(
      "--count-bandwidth", count_bandwidth,
      "Measure how fast the count kernels read one level of --leaves cells, build no tree");
  cli_ = &cli;
  cli.add_flag("--all-backends", all_backends,
               "Run on every backend of this build, compare times and results");
  orb_model::add_model_options(cli, model);
  add_weight_options(cli, weights_);
  add_distributed_options(cli, distributed);
  cli.add_option("--sabotage", sabotage, "Corrupt the result before --verify")->group("");
}

void RunOptions::complete(const app::CommonOptions& options) {
  if (leaves_ > max_orb_leaves)
    throw InputError(
        fmt::format("--leaves {} is more than the largest number, {}", leaves_, max_orb_leaves));
  orb_model::validate_model_options(model);
  complete_variant(options);
  validate_weights(weights_);
  validate_distributed(distributed);
  distributed.sabotage = sabotage;
  if (sabotage.empty()) return;
  if (!is_distributed_sabotage(sabotage)) sabotage_named(sabotage);
  if (!options.verify) throw InputError("--sabotage makes sense only with --verify");
}

BuildRequest RunOptions::request(int ranks) const {
  refuse_variant_beside(ranks);
  refuse_positions_only_beside(ranks);
  BuildRequest request;
  request.leaves = static_cast<std::uint32_t>(leaves_);
  request.rule = leaf_rule_ == "halves" ? LeafRule::halves : LeafRule::complete;
  request.axis_rule = axis_rule_ == "cyclic" ? AxisRule::cyclic : AxisRule::longest;
  request.variant = variant_;
  request.weights = weights_;
  request.positions_only = positions_only_;
  return request;
}

std::vector<std::string> RunOptions::backends(const app::CommonOptions& options) const {
  return all_backends ? backend_names() : std::vector<std::string>{options.backend};
}

/// Fills `variant_` from the texts. A placement that is not given follows from the rest.
void RunOptions::complete_variant(const app::CommonOptions& options) {
  variant_.cut = cut_named(cut_);
  variant_.count = count_named(count_);
  variant_.partition = partition_named(partition_);
  const bool is_default =
      variant_.cut == CutMethod::select && variant_.partition == PartitionMethod::scan;
  if (cli_->count("--placement") == 0 && !is_default)
    placement_ = variant_.partition == PartitionMethod::hoare ? "host" : "device";
  variant_.placement = placement_named(placement_);
  if (cli_->count("--count") > 0 && !variant_.bisects())
    throw InputError(
        fmt::format("--count belongs to the bisections: --cut {} does not count", cut_));
  for (const std::string& backend : backends(options)) refuse_impossible(variant_, backend);
  if (count_bandwidth && (all_backends || options.output || !sabotage.empty()))
    throw InputError(
        "--count-bandwidth builds no tree: --all-backends, --output and --sabotage need one");
  cli_ = nullptr;  // it ends with the parse
}

/// Positions alone are built by OrbBuilder, by number and on one rank.
void RunOptions::refuse_positions_only_beside(int ranks) const {
  if (!positions_only_) return;
  const char* what = "";
  if (!variant_.uses_builder()) what = "--cut, --partition and --placement but fused";
  if (count_bandwidth) what = "--count-bandwidth";
  if (weights_.wanted()) what = "--weights";
  if (distributed.wanted()) what = "--reshuffle and --inject-imbalance";
  if (ranks > 1) what = "several ranks";
  if (*what != '\0')
    throw InputError(fmt::format(
        "--positions-only is for the default build by number on one rank: it has no use for {}",
        what));
}

/// Variants build by number on one rank.
void RunOptions::refuse_variant_beside(int ranks) const {
  if (variant_.placement == Placement::best && !count_bandwidth) return;
  const char* what = "";
  if (weights_.wanted()) what = "--weights";
  if (distributed.wanted()) what = "--reshuffle and --inject-imbalance";
  if (ranks > 1) what = "several ranks";
  if (*what != '\0')
    throw InputError(fmt::format(
        "--cut, --partition, --placement and --count-bandwidth have no use for {}", what));
}

}  // namespace copse
