/// \file
/// orb: orthogonal recursive bisection of a set of particles into domains of equal work.

#include "build_report.hpp"
#include "count_bandwidth.hpp"
#include "distributed_build.hpp"
#include "measured_build.hpp"
#include "memory_estimate.hpp"
#include "model/report.hpp"
#include "output.hpp"
#include "run_options.hpp"
#include "sabotage.hpp"
#include "verify.hpp"
#include "verify_distributed.hpp"
#include <copse/app/mini_app.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace copse {
namespace {

class Orb final : public app::MiniApp {
 public:
  std::string name() const override { return "orb"; }

  std::string description() const override {
    return "Partitions particles into domains of equal size by orthogonal recursive bisection, on "
           "CPU or GPU.";
  }

  std::vector<std::string> list() const override { return list_choices(); }
  void add_options(CLI::App& cli) override { options_.declare(cli); }
  void validate(const app::CommonOptions& options) override { options_.complete(options); }

  void run(app::Session& session) override {
    const BuildRequest request = options_.request(session.ranks());
    const auto backends = options_.backends(session.options());
    if (session.options().dry_run) return estimate(session, request, backends);
    if (options_.count_bandwidth)
      return measure_count_bandwidth(session, session.options().backend, options_.leaves());
    const bool distributed = session.ranks() > 1 || options_.distributed.wanted();
    const auto measured = distributed
                              ? run_distributed(session, request, options_.distributed, backends)
                              : run_alone(session, request, backends);
    if (!options_.model.kind.empty())
      orb_model::report_model(session, options_.model, session.total_particles(), request.leaves,
                              measured);
  }

 private:
  std::vector<orb_model::MeasuredRun> run_alone(app::Session& session, const BuildRequest& request,
                                                const std::vector<std::string>& backends) const {
    session.report().set_parameter({"placement", options_.placement(), app::Parameter::Kind::text});
    app::Table table({"backend", "seconds", "particles/s", "copy passes", "speed-up"});
    MeasuredBuild first;
    std::vector<orb_model::MeasuredRun> measured;
    double slowest = 0.0;
    for (const std::string& backend : backends) {
      Particles<Kokkos::HostSpace> original;
      MeasuredBuild run = measure_build(session, backend, request, original);
      if (backend == backends.front()) slowest = run.build.median();
      measured.push_back(
          {backend, modelled_variant(backend, request), run.build.median(), mean_steps(run)});
      table.add_row({backend, app::format_seconds(run.build.median()),
                     app::format_rate(run.particles_per_second()),
                     fmt::format("{:.1f}", run.copy_passes()),
                     fmt::format("{:.2f}", slowest / run.build.median())});
      const std::string suffix = options_.all_backends ? "_" + backend : "";
      session.report().add_figure_of_merit("copy_passes" + suffix, run.copy_passes(), "passes");
      session.report().add_figure_of_merit("particles_per_second" + suffix,
                                           run.particles_per_second(), "1/s");
      if (backend == backends.front()) {
        finish_first(session, run, original, request.variant);
        first = std::move(run);
      } else if (session.options().verify) {
        session.verification().require(backend + "_equals_" + backends.front(),
                                       same_build(run, first, request.variant));
      }
    }
    session.print(table);
    return measured;
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
    const Count n = session.options().used_particles();
    const bool several = session.ranks() > 1 || options_.distributed.wanted();
    const MemoryEstimate bytes =
        several ? estimate_distributed_memory(
                      n, session.ranks(), request,
                      options_.distributed.when(session.ranks(), request.leaves), backends)
                : estimate_memory(n, request, backends);
    session.print(fmt::format("{} particles, {} leaves: {} a rank on the host, {} on a device", n,
                              request.leaves, app::format_bytes(static_cast<double>(bytes.host)),
                              app::format_bytes(static_cast<double>(bytes.device))));
    session.report().results()["estimated_host_bytes"] = bytes.host;
    session.report().results()["estimated_device_bytes"] = bytes.device;
    if (!options_.model.kind.empty())
      orb_model::report_model(session, options_.model, n, request.leaves, {});
  }

  /// Everything that is done once, with the first backend's result.
  void finish_first(app::Session& session, MeasuredBuild& run,
                    const Particles<Kokkos::HostSpace>& original, const OrbVariant& variant) const {
    report_build(session, run, variant);
    if (!options_.sabotage.empty())
      apply_sabotage(sabotage_named(options_.sabotage), run.position, run.permutation, run.tree);
    bool sound = true;
    if (session.options().verify) {
      for (const std::string& sentence :
           verify_orb(original, run.position, run.permutation, run.tree, session.verification(),
                      {.order_kept = variant.is_stable(),
                      .alpha = variant.alpha,
                      .weight = run.weight,
                      .input_checksum = run.input_checksum})) {
        session.print(sentence);
        sound = false;
      }
    }
    if (sound && session.options().output)
      write_orb(*session.options().output, run.tree, original.box, run.permutation, run.position);
  }

  RunOptions options_;
};

}  // namespace
}  // namespace copse

int main(int argc, char** argv) {
  copse::Orb orb;
  return copse::app::run_main(argc, argv, orb);
}
