/// \file
/// orb: orthogonal recursive bisection of a set of particles into domains of equal work.

#include "count_bandwidth.hpp"
#include "distributed_build.hpp"
#include "fingerprint.hpp"
#include "measured_build.hpp"
#include "memory_estimate.hpp"
#include "model/report.hpp"
#include "output.hpp"
#include "sabotage.hpp"
#include "variant.hpp"
#include "verify.hpp"
#include "verify_distributed.hpp"
#include <copse/app/mini_app.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/orb_builder.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace copse {
namespace {

class Orb final : public app::MiniApp {
 public:
  std::string name() const override { return "orb"; }

  std::string description() const override {
    return "Partitions particles into domains of equal size by orthogonal recursive bisection, on "
           "CPU or GPU.";
  }

  std::vector<std::string> list() const override {
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
        "  global             particles move to their cell's ranks after each level (the default)",
        "  local              particles stay until the tree is built, then move once"};
    for (const std::string& line : list_variants()) lines.push_back(line);
    return lines;
  }

  void add_options(CLI::App& cli) override {
    app::add_count_option(cli, "--leaves", leaves_, "Number of domains to cut, d >= 1");
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
    cli.add_flag(
        "--count-bandwidth", count_bandwidth_,
        "Measure how fast the count kernels read one level of --leaves cells, build no tree");
    cli_ = &cli;
    cli.add_flag("--all-backends", all_backends_,
                 "Run on every backend of this build, compare times and results");
    orb_model::add_model_options(cli, model_);
    add_weight_options(cli, weights_);
    add_distributed_options(cli, distributed_);
    cli.add_option("--sabotage", sabotage_, "Corrupt the result before --verify")->group("");
  }

  void validate(const app::CommonOptions& options) override {
    if (leaves_ > max_orb_leaves)
      throw InputError(
          fmt::format("--leaves {} is more than the largest number, {}", leaves_, max_orb_leaves));
    orb_model::validate_model_options(model_);
    complete_variant(options);
    validate_weights(weights_);
    validate_distributed(distributed_);
    if (sabotage_.empty()) return;
    if (!is_distributed_sabotage(sabotage_)) sabotage_named(sabotage_);
    if (!options.verify) throw InputError("--sabotage makes sense only with --verify");
  }

  void run(app::Session& session) override {
    BuildRequest request;
    request.leaves = static_cast<std::uint32_t>(leaves_);
    request.rule = leaf_rule_ == "halves" ? LeafRule::halves : LeafRule::complete;
    request.axis_rule = axis_rule_ == "cyclic" ? AxisRule::cyclic : AxisRule::longest;
    request.variant = variant_;
    request.weights = weights_;
    refuse_variant_beside(session.ranks());
    std::vector<std::string> backends{session.options().backend};
    if (all_backends_) backends = backend_names();
    if (session.options().dry_run) return estimate(session, request, backends);
    if (count_bandwidth_)
      return measure_count_bandwidth(session, session.options().backend, leaves_);

    distributed_.sabotage = sabotage_;
    if (session.ranks() > 1 || distributed_.wanted()) {
      const auto measured = run_distributed(session, request, distributed_, backends);
      if (!model_.kind.empty())
        orb_model::report_model(session, model_, session.total_particles(), request.leaves,
                                measured);
      return;
    }
    session.report().set_parameter({"placement", placement_, app::Parameter::Kind::text});
    app::Table table({"backend", "seconds", "particles/s", "copy passes", "speed-up"});
    MeasuredBuild first;
    std::vector<orb_model::MeasuredRun> measured;
    double slowest = 0.0;
    for (const std::string& backend : backends) {
      Particles<Kokkos::HostSpace> original;
      MeasuredBuild run = measure_build(session, backend, request, original);
      if (backend == backends.front()) slowest = run.build.median();
      measured.push_back({backend, modelled_variant(backend), run.build.median(), mean_steps(run)});
      table.add_row({backend, app::format_seconds(run.build.median()),
                     app::format_rate(run.particles_per_second()),
                     fmt::format("{:.1f}", run.copy_passes()),
                     fmt::format("{:.2f}", slowest / run.build.median())});
      const std::string suffix = all_backends_ ? "_" + backend : "";
      session.report().add_figure_of_merit("copy_passes" + suffix, run.copy_passes(), "passes");
      session.report().add_figure_of_merit("particles_per_second" + suffix,
                                           run.particles_per_second(), "1/s");
      if (backend == backends.front()) {
        finish_first(session, run, original);
        first = std::move(run);
      } else if (session.options().verify) {
        session.verification().require(backend + "_equals_" + backends.front(), equal(run, first));
      }
    }
    session.print(table);
    if (!model_.kind.empty())
      orb_model::report_model(session, model_, session.total_particles(), request.leaves, measured);
  }

 private:
  /// Fills `variant_` from the texts. A placement that is not given follows from the rest.
  void complete_variant(const app::CommonOptions& options) {
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
    for (const std::string& backend :
         all_backends_ ? backend_names() : std::vector<std::string>{options.backend})
      refuse_impossible(variant_, backend);
    if (count_bandwidth_ && (all_backends_ || options.output || !sabotage_.empty()))
      throw InputError(
          "--count-bandwidth builds no tree: --all-backends, --output and --sabotage need one");
    cli_ = nullptr;  // it ends with the parse
  }

  /// Variants build by number on one rank.
  void refuse_variant_beside(int ranks) const {
    if (variant_.placement == Placement::best && !count_bandwidth_) return;
    const char* what = "";
    if (weights_.wanted()) what = "--weights";
    if (distributed_.wanted()) what = "--reshuffle and --inject-imbalance";
    if (ranks > 1) what = "several ranks";
    if (*what != '\0')
      throw InputError(fmt::format(
          "--cut, --partition, --placement and --count-bandwidth have no use for {}", what));
  }

  /// What the builds of a variant did, level by level.
  void report_variant(app::Session& session, const MeasuredBuild& run) const {
    if (!variant_.is_repeatable())
      session.print(
          "the order within leaves varies from run to run: it is neither checked nor "
          "compared nor part of the checksum");
    if (run.log.levels.empty()) return;
    auto& results = session.report().results();
    std::vector<int> iterations;
    std::vector<Count> launches;
    for (const LevelLog& level : run.log.levels) {
      iterations.push_back(level.iterations);
      launches.push_back(level.launches);
    }
    results["bytes_to_device"] = run.bytes_to_device;
    if (std::count(iterations.begin(), iterations.end(), 0) == std::ssize(iterations)) return;
    results["iterations_per_level"] = iterations;
    session.print(fmt::format("iterations per level: {}", fmt::join(iterations, " ")));
    if (std::count(launches.begin(), launches.end(), Count{0}) == std::ssize(launches)) return;
    results["launches_per_level"] = launches;
    session.print(fmt::format("count launches per level: {}", fmt::join(launches, " ")));
  }

  orb_model::Variant modelled_variant(const std::string& backend) const {
    if (weights_.wanted()) return orb_model::modelled_variant(backend, "device", "histogram");
    return orb_model::modelled_variant(
        backend, placement_names()[static_cast<std::size_t>(variant_.placement)],
        cut_names()[static_cast<std::size_t>(variant_.cut)]);
  }

  /// Sweeps of all keys that the bisections of a level took on average; 0 if none were counted.
  static double mean_steps(const MeasuredBuild& run) {
    Count keys = 0;
    for (const LevelLog& level : run.log.levels) keys += level.keys_counted;
    const Count rows = run.position.extent(0) * run.log.levels.size();
    return rows > 0 ? static_cast<double>(keys) / static_cast<double>(rows) : 0.0;
  }

  void estimate(app::Session& session, const BuildRequest& request,
                const std::vector<std::string>& backends) const {
    const Count n = session.options().particles;
    const bool several = session.ranks() > 1 || distributed_.wanted();
    const MemoryEstimate bytes = several
                                     ? estimate_distributed_memory(n, session.ranks(), request,
                                                                   distributed_.when(), backends)
                                     : estimate_memory(n, request, backends);
    session.print(fmt::format("{} particles, {} leaves: {} a rank on the host, {} on a device", n,
                              leaves_, app::format_bytes(static_cast<double>(bytes.host)),
                              app::format_bytes(static_cast<double>(bytes.device))));
    session.report().results()["estimated_host_bytes"] = bytes.host;
    session.report().results()["estimated_device_bytes"] = bytes.device;
    if (!model_.kind.empty()) orb_model::report_model(session, model_, n, request.leaves, {});
  }

  /// Everything that is done once, with the first backend's result.
  void finish_first(app::Session& session, MeasuredBuild& run,
                    const Particles<Kokkos::HostSpace>& original) const {
    report_leaves(session, run);
    report_variant(session, run);
    if (!sabotage_.empty())
      apply_sabotage(sabotage_named(sabotage_), run.position, run.permutation, run.tree);
    bool sound = true;
    if (session.options().verify) {
      for (const std::string& sentence :
           verify_orb(original, run.position, run.permutation, run.tree, session.verification(),
                      {.order_kept = variant_.is_stable(),
                      .alpha = variant_.alpha,
                      .weight = run.weight})) {
        session.print(sentence);
        sound = false;
      }
    }
    if (sound && session.options().output)
      write_orb(*session.options().output, run.tree, original.box, run.permutation, run.position);
  }

  void report_leaves(app::Session& session, const MeasuredBuild& run) const {
    Count smallest = ~Count{0};
    Count largest = 0;
    for (std::size_t i = 1; i < run.tree.cells.extent(0); ++i) {
      const OrbCell& cell = run.tree.cells(i);
      if (cell.leaves != 1) continue;
      smallest = std::min(smallest, cell.end - cell.begin);
      largest = std::max(largest, cell.end - cell.begin);
    }
    const double mean =
        static_cast<double>(run.position.extent(0)) / static_cast<double>(run.tree.leaves);
    auto& results = session.report().results();
    results["leaves"] = run.tree.leaves;
    results["depth"] = orb_depth(run.tree.leaves);
    results["smallest_leaf"] = smallest;
    results["largest_leaf"] = largest;
    results["checksum"] = fmt::format("{:016x}", fingerprint(run));
    if (run.weight.extent(0) > 0)
      results["weight_imbalance"] =
          weight_imbalance(run.tree, [&](Count row) { return run.weight(run.permutation(row)); });
    results["imbalance"] = mean > 0 ? static_cast<double>(largest) / mean : 1.0;
    session.print(
        fmt::format("{} leaves of {} to {} particles", run.tree.leaves, smallest, largest));
  }

  /// Of the tree alone if the order is not repeatable.
  std::uint64_t fingerprint(const MeasuredBuild& run) const {
    return tree_fingerprint(run.tree,
                            variant_.is_repeatable() ? order_fingerprint(0, run.permutation) : 0);
  }

  /// Bitwise equality of tree and, if it is repeatable, order and positions.
  bool equal(const MeasuredBuild& a, const MeasuredBuild& b) const {
    if (a.tree.cells.extent(0) != b.tree.cells.extent(0)) return false;
    for (std::size_t i = 1; i < a.tree.cells.extent(0); ++i)
      if (!same_cell(a.tree.cells(i), b.tree.cells(i))) return false;
    if (!variant_.is_repeatable()) return true;
    const auto same_bytes = [](const auto& x, const auto& y) {
      return x.span() == y.span() &&
             std::memcmp(x.data(), y.data(), x.span() * sizeof(*x.data())) == 0;
    };
    return same_bytes(a.permutation, b.permutation) && same_bytes(a.position, b.position);
  }

  /// Field by field: a cell has padding.
  static bool same_cell(const OrbCell& a, const OrbCell& b) {
    for (int axis = 0; axis < 3; ++axis)
      if (a.lower[axis] != b.lower[axis] || a.upper[axis] != b.upper[axis]) return false;
    return a.begin == b.begin && a.end == b.end && a.leaves == b.leaves &&
           a.cut_axis == b.cut_axis && a.cut == b.cut;
  }

  Count leaves_ = 64;
  std::string leaf_rule_ = "complete";
  std::string axis_rule_ = "longest";
  std::string cut_ = "select";
  std::string count_ = "warp";
  std::string placement_ = "best";
  std::string partition_ = "scan";
  OrbVariant variant_;
  const CLI::App* cli_ = nullptr;  ///< while options are parsed
  bool count_bandwidth_ = false;
  std::string sabotage_;
  orb_model::ModelOptions model_;
  WeightRequest weights_;
  DistributedRequest distributed_;
  bool all_backends_ = false;
};

}  // namespace
}  // namespace copse

int main(int argc, char** argv) {
  copse::Orb orb;
  return copse::app::run_main(argc, argv, orb);
}
