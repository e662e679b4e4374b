/// \file
/// fof: finds haloes as groups of friends of friends, in space or phase space.

#include "distributed/distributed_linker.hpp"
#include "distributed/fault.hpp"
#include "distributed/report_owned.hpp"
#include "distributed/run_distributed.hpp"
#include "levels/sub_groups.hpp"
#include "measured_linking.hpp"
#include "methods.hpp"
#include "mst/tree_results.hpp"
#include "request.hpp"
#include "results.hpp"
#include "sabotage.hpp"
#include "species/species_results.hpp"
#include "verify.hpp"
#include <copse/app/mini_app.hpp>
#include <copse/app/session.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace copse::fof {
namespace {

class FriendsOfFriends final : public app::MiniApp {
 public:
  std::string name() const override { return "fof"; }

  std::string description() const override {
    return "Finds haloes as groups of friends of friends: particles that are closer than a linking "
           "length, in space or phase space.";
  }

  std::vector<std::string> list() const override {
    std::vector<std::string> lines{"methods (--method):"};
    for (const MethodInfo& info : methods())
      lines.push_back(fmt::format("  {:<19}{}", info.name, info.description));
    return lines;
  }

  void add_options(CLI::App& cli) override { options_.declare(cli); }
  void validate(const app::CommonOptions& options) override {
    request_ = options_.complete(options);
  }

  void run(app::Session& session) override {
    if (session.options().dry_run) return estimate(session);
    check_tree_request(session, request_);
    const LinkedInput input = load_input(session, request_);
    report_input(session, input);
    if (session.ranks() > 1) return run_distributed(session, request_, input);
    std::vector<MeasuredLinking> measured;
    for (const std::string& backend : request_.backends)
      for (const std::string& method : request_.methods)
        measured.push_back(measure_linking(session, request_, input, backend, method));
    report_times(session, measured);
    check(session, input, measured);
    std::vector<TreeEdge> tree;
    if (request_.wants_tree()) tree = grow_tree(session, request_, input, measured.front().labels);
    const MeasuredLinking& first = measured.front();
    auto levels = link_levels(request_, input, first.backend, first.method, first.labels);
    if (session.options().verify)
      verify_levels(request_, input, levels, first.labels, session.verification());
    const WholeResult whole = attach_others(session, request_, input, first);
    attach_levels(request_, input, first.backend, levels);
    if (!session.verification().passed()) return;
    report_groups(session, request_, whole.input, whole.linking, levels);
    if (request_.wants_tree()) write_tree(session, request_, input, tree);
  }

 private:
  /// The input in the memory of the backend, and what the largest of the methods takes beside it.
  void estimate(app::Session& session) const {
    if (session.options().input)
      throw InputError("--dry-run knows no sizes of files: give --particles instead of --input");
    if (request_.species)
      throw InputError("--species needs particles of known species, which --generate has not");
    const bool velocities = request_.in_phase_space();
    const auto ranks = static_cast<Count>(session.ranks());
    const Count rows = (session.options().used_particles() + ranks - 1) / ranks;
    double bytes = 0.0;
    for (const std::string& backend : request_.backends)
      dispatch_backend(backend, [&]<class Space>(const Space&) {
        for (const std::string& name : request_.methods)
          bytes = std::max(bytes, estimate_bytes(method_named(name), rows, request_.link,
                                                 velocities, !runs_on_host<Space>));
      });
    bytes += static_cast<double>(rows * (velocities ? 6 : 3) * sizeof(Real));
    if (ranks > 1)
      bytes += static_cast<double>(DistributedLinker<Kokkos::DefaultExecutionSpace>::estimate_bytes(
                                       rows, session.ranks(), velocities) +
                                   rows * counting_bytes);
    const bool owns_groups = ranks > 1 && (session.options().output || request_.levels() > 1);
    session.print(fmt::format("{} particles: {}{}{} in the memory of {}",
                              session.options().used_particles(), app::format_bytes(bytes),
                              ranks > 1 ? " a rank, without ghosts," : "",
                              owns_groups ? " and without groups' members at their owners," : "",
                              request_.backends.back()));
    if (request_.levels() > 1) {
      const auto below = static_cast<Count>(request_.levels() - 1);
      const Count labels = rows * below * sizeof(LocalIndex);
      session.print(fmt::format("{} for labels of the {} below in the memory of the host",
                                app::format_bytes(static_cast<double>(labels)),
                                below > 1 ? "levels" : "level"));
      session.report().results()["estimated_level_bytes"] = labels;
    }
    session.report().results()["estimated_bytes"] = static_cast<Count>(bytes);
  }

  void report_input(app::Session& session, const LinkedInput& input) const {
    auto& results = session.report().results();
    results["linking_length"] = input.links.length;
    if (input.has_velocity()) results["velocity_link"] = input.links.velocity;
    results["wrapped_particles"] = input.wrapped;
    session.print(fmt::format(
        "linking length {:.6g}{}{}", input.links.length,
        input.has_velocity() ? fmt::format(", velocity link {:.6g}", input.links.velocity) : "",
        input.particles.box.fully_periodic() ? ", periodic" : ""));
    if (input.wrapped > 0)
      session.print(
          fmt::format("{} particles were outside the periodic box: wrapped", input.wrapped));
  }

  void report_times(app::Session& session, const std::vector<MeasuredLinking>& measured) const {
    app::Table table({"method", "backend", "seconds", "tree", "link", "particles/s", "B/particle"});
    for (const MeasuredLinking& m : measured) {
      const double rate = static_cast<double>(m.labels.extent(0)) / m.total.median();
      const bool first = &m == &measured.front();
      // The peak is that of all runs so far, and of what Kokkos allocates.
      const bool knows_bytes = first && m.method != "emst-delaunay";
      const double bytes = static_cast<double>(m.bytes) /
                           static_cast<double>(std::max<Count>(1, m.labels.extent(0)));
      table.add_row({m.method, m.backend, app::format_seconds(m.total.median()),
                     m.build.seconds.empty() ? "-" : app::format_seconds(m.build.median()),
                     app::format_seconds(m.link.median()), app::format_rate(rate),
                     knows_bytes ? fmt::format("{:.1f}", bytes) : "-"});
      if (first) session.report().results()["seconds"] = m.total.median();
      if (knows_bytes) session.report().results()["bytes_per_particle"] = bytes;
      const std::string suffix = measured.size() > 1 ? "_" + m.name() : "";
      session.report().add_figure_of_merit("particles_per_second" + suffix, rate, "1/s");
      if (m.method == "emst-delaunay" && request_.in_phase_space())
        session.print(
            "emst-delaunay looks for friends in phase space among neighbours in space: "
            "its groups may be too small");
    }
    session.print(table);
  }

  void check(app::Session& session, const LinkedInput& input,
             const std::vector<MeasuredLinking>& measured) const {
    const MeasuredLinking& first = measured.front();
    const Count n = first.labels.extent(0);
    if (is_fault(request_.sabotage))
      throw InputError("--sabotage " + request_.sabotage + " needs several ranks");
    if (is_sabotage(request_.sabotage))
      apply_sabotage(sabotage_named(request_.sabotage), first.labels);
    if (!session.options().verify) return;
    for (const MeasuredLinking& m : measured) {
      if (&m == &first) continue;
      session.verification().require(
          m.name() + "_equals_" + first.name(),
          std::equal(m.labels.data(), m.labels.data() + n, first.labels.data()));
    }
    session.print(verify_labels(input, first.labels, session.verification()));
  }

  RequestOptions options_;
  Request request_;
};

}  // namespace
}  // namespace copse::fof

int main(int argc, char** argv) {
  copse::fof::FriendsOfFriends fof;
  return copse::app::run_main(argc, argv, fof);
}
