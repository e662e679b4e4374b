/// \file
/// orb: orthogonal recursive bisection of a set of particles into domains of equal work.

#include "distributed_build.hpp"
#include "fingerprint.hpp"
#include "measured_build.hpp"
#include "output.hpp"
#include "sabotage.hpp"
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
    return {"leaf rules (--leaf-rule):",
            "  complete  a heap whose last level fills from the left (the default)",
            "  halves    every cell halves its leaves, the left child gets the odd one",
            "cut search and placement:",
            "  exact sampled selection and stable partition, level by level, on the backend",
            "weights (--weights):",
            "  none, column, heavy-tailed  by number; by the weight column; by drawn weights",
            "several ranks (--reshuffle):",
            "  global    particles move to their cell's ranks after each level (the default)",
            "  local     particles stay until the tree is built, then move once"};
  }

  void add_options(CLI::App& cli) override {
    app::add_count_option(cli, "--leaves", leaves_, "Number of domains to cut, d >= 1");
    app::add_choice_option(cli, "--leaf-rule", leaf_rule_, {"complete", "halves"},
                           "How a cell's leaves are shared between its children");
    cli.add_flag("--all-backends", all_backends_,
                 "Run on every backend of this build, compare times and results");
    add_weight_options(cli, weights_);
    add_distributed_options(cli, distributed_);
    cli.add_option("--sabotage", sabotage_, "Corrupt the result before --verify")->group("");
  }

  void validate(const app::CommonOptions& options) override {
    if (leaves_ > max_orb_leaves)
      throw InputError(
          fmt::format("--leaves {} is more than the largest number, {}", leaves_, max_orb_leaves));
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
    request.weights = weights_;
    if (session.options().dry_run) return estimate(session, request);

    std::vector<std::string> backends{session.options().backend};
    if (all_backends_) backends = backend_names();
    distributed_.sabotage = sabotage_;
    if (session.ranks() > 1 || distributed_.wanted())
      return run_distributed(session, request, distributed_, backends);
    app::Table table({"backend", "seconds", "particles/s", "copy passes", "speed-up"});
    MeasuredBuild first;
    double slowest = 0.0;
    for (const std::string& backend : backends) {
      Particles<Kokkos::HostSpace> original;
      MeasuredBuild run = measure_build(session, backend, request, original);
      if (backend == backends.front()) slowest = run.build.median();
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
  }

 private:
  void estimate(app::Session& session, const BuildRequest& request) const {
    const Count n = session.options().particles;
    const bool several = session.ranks() > 1 || distributed_.wanted();
    const Count bytes = several ? estimate_distributed_bytes(n, session.ranks(), request)
                                : estimate_build_bytes(n, request);
    session.print(fmt::format("{} particles, {} leaves: {} a rank in the memory of {}", n, leaves_,
                              app::format_bytes(static_cast<double>(bytes)),
                              session.options().backend));
    session.report().results()["estimated_bytes"] = bytes;
  }

  /// Everything that is done once, with the first backend's result.
  void finish_first(app::Session& session, MeasuredBuild& run,
                    const Particles<Kokkos::HostSpace>& original) const {
    report_leaves(session, run);
    if (!sabotage_.empty())
      apply_sabotage(sabotage_named(sabotage_), run.position, run.permutation, run.tree);
    bool sound = true;
    if (session.options().verify) {
      for (const std::string& sentence : verify_orb(original, run.position, run.permutation,
                                                    run.tree, session.verification(), run.weight)) {
        session.print(sentence);
        sound = false;
      }
    }
    if (sound && session.options().output)
      write_orb(*session.options().output, run.tree, original.box, run.permutation, run.position);
  }

  static void report_leaves(app::Session& session, const MeasuredBuild& run) {
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

  static std::uint64_t fingerprint(const MeasuredBuild& run) {
    return tree_fingerprint(run.tree, order_fingerprint(0, run.permutation));
  }

  /// Bitwise equality of tree, order and positions.
  static bool equal(const MeasuredBuild& a, const MeasuredBuild& b) {
    if (a.tree.cells.extent(0) != b.tree.cells.extent(0)) return false;
    for (std::size_t i = 1; i < a.tree.cells.extent(0); ++i)
      if (!same_cell(a.tree.cells(i), b.tree.cells(i))) return false;
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
  std::string sabotage_;
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
