#include "request.hpp"

#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/domains/leaf_ownership.hpp>
#include <copse/tree/orb_builder.hpp>

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace copse::orb {

std::vector<std::string> list_choices() {
  std::vector<std::string> lines{
      "leaf rules (--leaf-rule):",
      "  complete           a heap whose last level fills from the left (the default)",
      "  halves             every cell halves its leaves, an odd leaf goes to the left child",
      "axis rules (--axis-rule):",
      "  longest            the longest side of the cell's box (the default)",
      "  cyclic             the axes in turn, level by level",
      "weights (--weights):",
      "  none               cuts balance numbers of particles (the default)",
      "  column             the input's weight column",
      "  heavy-tailed       random weights with a heavy-tailed distribution",
      "several ranks (--reshuffle):",
      "  once               particles move once, when ranks no longer share a cell",
      "                     (the default where ranks and leaves are powers of two)",
      "  global             particles move after each level (the default elsewhere)",
      "  local              particles stay until the tree is built, then move once"};
  for (const std::string& line : list_variants()) lines.push_back(line);
  return lines;
}

Reshuffle Request::reshuffle_on(int ranks) const {
  if (reshuffle != "auto") return reshuffle_named(reshuffle);
  const bool even = LeafOwnership{leaves, ranks}.is_a_cell_each();
  return even ? Reshuffle::once : Reshuffle::global;
}

void Request::settle_ranks(int ranks) const {
  // Variants and --positions-only are supported only without weights and on one rank.
  const char* what = "";
  if (weights.wanted()) what = "--weights";
  if (is_distributed(1)) what = "--reshuffle and --inject-imbalance";
  if (ranks > 1) what = "several ranks";
  if (*what != '\0' && (variant.placement != Placement::best || count_bandwidth))
    throw InputError(fmt::format(
        "--cut, --partition, --placement, --stream and --count-bandwidth do not support {}", what));
  if (*what == '\0' && count_bandwidth) what = "--count-bandwidth";
  if (*what == '\0' && !variant.uses_builder())
    what = "--cut, --partition, --stream and --placement but fused";
  if (*what == '\0' && compress_bits > 0) what = "--compress";
  if (*what != '\0' && positions_only)
    throw InputError(fmt::format(
        "--positions-only supports only the default build without weights on one rank, not {}",
        what));
  const bool sends =
      variant.uses_builder() || variant.placement == Placement::device || variant.batch > 0;
  if (compress_bits > 0 && (!sends || count_bandwidth))
    throw InputError(fmt::format(
        "--compress {} needs positions that are sent: {} sends none", compress_bits,
        count_bandwidth ? "--count-bandwidth" : "--placement " + name_of(variant.placement)));
}

void Request::declare(CLI::App& cli) {
  app::add_count_option(cli, "--leaves", leaves_, "Number of domains, from 1 to 2^28");
  app::add_choice_option(cli, "--leaf-rule", leaf_rule_, {"complete", "halves"},
                         "Rule that divides a cell's leaves between its children");
  app::add_choice_option(cli, "--axis-rule", axis_rule_, {"longest", "cyclic"},
                         "Axis along which a cell is cut");
  app::add_choice_option(cli, "--cut", cut_, cut_names(), "Method that finds the cuts");
  app::add_choice_option(cli, "--count", count_, count_names(),
                         "Method by which bisections count the keys up to a cut");
  app::add_count_option(cli, "--alpha", variant.alpha,
                        "Allowed error of a bisection's left count, in particles", 0);
  app::add_count_option(cli, "--max-steps", variant.max_steps,
                        "Maximum counts of a bisection per level; 0: no limit", 0);
  app::add_choice_option(cli, "--placement", placement_, placement_names(),
                         "Memory that holds the particles and processor that computes");
  app::add_choice_option(cli, "--partition", partition_, partition_names(),
                         "Method that partitions the particles at a cut");
  app::add_flag(cli, "--positions-only", positions_only,
                "Reorder positions only, without a permutation; takes two copies of them and a "
                "workspace, three fifths of the device memory: 2^32 float particles in 128 GB");
  app::add_choice_option(cli, "--compress", compress_, {"off", "32", "21", "16"},
                         "Bits of a coordinate on its way between host and device and between "
                         "ranks, in fixed point of the box");
  app::add_count_option(cli, "--stream", variant.batch,
                        "Particles of a batch: they stay on the host, and each histogram sends "
                        "them to the backend in batches, while the batch before is counted");
  app::add_flag(
      cli, "--count-bandwidth", count_bandwidth,
      "Measure the bandwidth of the count kernels on one level of --leaves cells; build no tree");
  app::add_flag(cli, "--all-backends", all_backends,
                "Run on every backend of this build; compare times and results");
  model::add_model_options(cli, model);
  app::add_choice_option(cli, "--weights", weights.kind, {"none", "column", "heavy-tailed"},
                         "Particle weights, which the leaves share evenly");
  app::add_number_option(cli, "--weight-exponent", weights.exponent,
                         "Exponent of the weights: 0 balances particles, 1 their work");
  app::add_choice_option(cli, "--reshuffle", reshuffle, {"auto", "local", "global", "once"},
                         "When particles move between ranks: local: at the end; global: after each "
                         "level; once: when ranks no longer share a cell");
  app::add_number_option(
      cli, "--inject-imbalance", inject_imbalance,
      "Initial particles on rank 0, as a multiple of the mean; the other ranks share the rest");
  cli_ = &cli;
}

void Request::settle(const app::CommonOptions& common) {
  if (leaves_ > max_orb_leaves)
    throw InputError(
        fmt::format("--leaves {} is more than the maximum, {}", leaves_, max_orb_leaves));
  leaves = static_cast<std::uint32_t>(leaves_);
  rule = leaf_rule_ == "halves" ? LeafRule::halves : LeafRule::complete;
  axis_rule = axis_rule_ == "cyclic" ? AxisRule::cyclic : AxisRule::longest;
  compress_bits = compress_ == "off" ? 0 : std::stoi(compress_);
  backends = all_backends ? backend_names() : std::vector<std::string>{common.backend};
  model::validate_model_options(model);
  if (count_bandwidth)
    for (const char* option :
         {"--all-backends", "--output", "--leaf-rule", "--axis-rule", "--cut", "--count", "--alpha",
          "--max-steps", "--placement", "--partition", "--stream", "--model"})
      if (app::is_given(*cli_, option))
        throw InputError(fmt::format("--count-bandwidth builds no tree: {} needs one", option));
  settle_variant();
  if (!(weights.exponent >= 0.0 && weights.exponent <= 1.0))
    throw InputError(fmt::format("--weight-exponent {} is not between 0 and 1", weights.exponent));
  if (weights.exponent != 1.0 && !weights.wanted())
    throw InputError("--weight-exponent makes sense only with --weights");
  if (!(inject_imbalance >= 0.0) || !std::isfinite(inject_imbalance))
    throw InputError(
        fmt::format("--inject-imbalance {} is not a number of at least 0", inject_imbalance));
}

/// Parses the variant's names. A missing placement is derived from the other options.
void Request::settle_variant() {
  if (variant.batch > 0) {
    if (!app::is_given(*cli_, "--cut")) cut_ = "histogram";
    if (!app::is_given(*cli_, "--placement")) placement_ = "count-on-device";
    variant.bits = compress_bits;
  }
  variant.cut = cut_named(cut_);
  variant.count = count_named(count_);
  variant.partition = partition_named(partition_);
  const bool is_default =
      variant.cut == CutMethod::select && variant.partition == PartitionMethod::scan;
  if (!app::is_given(*cli_, "--placement") && !is_default && variant.batch == 0)
    placement_ = variant.partition == PartitionMethod::hoare ? "host" : "device";
  variant.placement = placement_named(placement_);
  if (app::is_given(*cli_, "--count") && !variant.bisects())
    throw InputError(
        fmt::format("--count belongs to the bisections: --cut {} does not count", cut_));
  for (const std::string& backend : backends) refuse_impossible(variant, backend);
  cli_ = nullptr;  // valid only during the parse
}

}  // namespace copse::orb
