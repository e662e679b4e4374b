#include "solution.hpp"
#include "tolerance.hpp"
#include <copse/app/table.hpp>
#include <copse/gravity/flops.hpp>
#include <copse/gravity/measured_errors.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace copse::gravity {
namespace {

int flops_per_test(const Request& request, const std::string& method) {
  const int spline = request.kernel == SofteningKernel::spline ? flops::spline_test : 0;
  const int relative = request.is_relative() && method != "direct" ? flops::relative_test : 0;
  return spline + relative +
         (method == "particle" ? flops::point_test
          : method == "fmm"    ? flops::node_test
                               : flops::box_test);
}

/// Flops of a walk. One of `fmm` tests twice, and hands expansions down to nodes and bodies, once
/// for each image of a periodic box. Those of a periodic direct sum are not counted: 0.
double flops_of(const Request& request, const Solution& s, double bodies) {
  if (request.periodic && s.method == "direct") return 0.0;
  const auto times = [](int flops, auto count) { return flops * static_cast<double>(count); };
  const Interactions& done = s.interactions;
  const bool spline = request.kernel == SofteningKernel::spline;
  const int sweeps = s.method == "fmm" ? 2 : 1;
  double sum = times(flops::body(spline), done.bodies) +
               times(flops::cell(request.order), done.cells) +
               times(flops::conversion(request.order), done.conversions) +
               times(sweeps * flops_per_test(request, s.method), done.tests);
  if (s.method == "fmm")
    sum += (request.periodic ? near_images : 1) *
           (times(flops::shift(request.order), s.tree.nodes - 1) +
            times(flops::evaluation(request.order), bodies));
  return sum;
}

nlohmann::json json_of(const ErrorPercentiles& errors) {
  return {{"rms", errors.rms},
          {"median", errors.median},
          {"p90", errors.p90},
          {"p99", errors.p99},
          {"largest", errors.largest}};
}

}  // namespace

void verify(app::Session& session, const Request& request, const std::vector<Solution>& solutions) {
  if (!session.options().verify) return;
  const std::string input = session.options().input ? "" : session.options().generate;
  for (const Solution& solution : solutions) {
    const Tolerance tolerance =
        tolerance_of(request, input, solution.method, session.total_particles(),
                     std::min(request.targets, solution.active));
    auto& checks = session.verification();
    checks.check(solution.method + "_median_error", solution.isolated_errors.acceleration.median,
                 tolerance.median);
    // The median alone would not detect a missing packet or a wrong subtree.
    checks.check(solution.method + "_error_of_99_in_100", solution.isolated_errors.acceleration.p99,
                 tolerance.p99);
    checks.check(solution.method + "_median_error_of_potential",
                 solution.isolated_errors.potential.median, tolerance.potential);
    if (request.periodic && solution.method == "direct") continue;  // its correction is in the sum
    const auto bodies = static_cast<double>(solution.active);
    const double cells = static_cast<double>(solution.interactions.cells) / bodies;
    const double pairs = static_cast<double>(solution.interactions.bodies) / bodies;
    checks.check(solution.method + "_masses_counted_once", solution.uncounted,
                 uncounted_tolerance(request, cells, pairs, session.total_particles()));
    if (solution.expansions)
      checks.check(solution.method + "_errors_of_expansions",
                   std::max(solution.expansions->acceleration.largest,
                            solution.expansions->potential.largest),
                   expansion_tolerance(cells, pairs));
  }
}

void report(app::Session& session, const Request& request, const std::vector<Solution>& solutions) {
  app::Table costs({"method", "bucket", "tree", "moments", "walk", "bodies/s", "cells", "bodies",
                    "conversions", "tests", "GFLOP/s"});
  app::Table errors({"method", "error", "rms", "median", "90 %", "99 %", "largest"});
  const bool spline = request.kernel == SofteningKernel::spline;
  session.report().results()["tree"] = request.tree;
  auto& entries = session.report().results()["methods"];
  entries = nlohmann::json::array();
  for (const Solution& s : solutions) {
    const auto bodies = static_cast<double>(s.active);
    const double walk = s.phases.back().median();
    const double flops = flops_of(request, s, bodies);
    const auto each = [&](Count count) { return static_cast<double>(count) / bodies; };
    costs.add_row(
        {s.method, fmt::format("{}", s.bucket_size), app::format_seconds(s.phases[0].median()),
         app::format_seconds(s.phases[1].median()), app::format_seconds(walk),
         app::format_rate(bodies / s.seconds()), fmt::format("{:.1f}", each(s.interactions.cells)),
         fmt::format("{:.1f}", each(s.interactions.bodies)),
         fmt::format("{:.1f}", each(s.interactions.conversions)),
         fmt::format("{:.1f}", each(s.interactions.tests)),
         fmt::format("{:.1f}", flops / walk * 1e-9)});
    nlohmann::json entry{{"method", s.method},
                         {"bucket_size", s.bucket_size},
                         {"seconds", s.seconds()},
                         {"cells_per_body", each(s.interactions.cells)},
                         {"bodies_per_body", each(s.interactions.bodies)},
                         {"conversions_per_body", each(s.interactions.conversions)},
                         {"tests_per_body", each(s.interactions.tests)},
                         {"tests_of_every_body", s.interactions.tests_per_body},
                         {"cells", s.interactions.cells},
                         {"bodies", s.interactions.bodies},
                         {"conversions", s.interactions.conversions},
                         {"tests", s.interactions.tests},
                         {"tree_nodes", s.tree.nodes},
                         {"tree_leaves", s.tree.leaves},
                         {"flops", flops},
                         {"flops_per_body", flops::body(spline)},
                         {"flops_per_cell", flops::cell(request.order)},
                         {"flops_per_conversion", flops::conversion(request.order)},
                         {"flops_per_shift", flops::shift(request.order)},
                         {"flops_per_evaluation", flops::evaluation(request.order)},
                         {"flops_per_test", flops_per_test(request, s.method)},
                         {"gflops_of_walk", flops / walk * 1e-9}};
    if (request.active_fraction < 1.0) {
      const double before = s.seconds() - walk;
      entry["active_bodies"] = s.active;
      entry["walk_seconds_of_all"] = s.walk_of_all;
      session.print(fmt::format(
          "{}: {} of {} bodies are active; their walk takes {:.3f} of the time of a walk for all, "
          "with tree and moments {:.3f}",
          s.method, s.active, session.total_particles(), walk / s.walk_of_all,
          s.seconds() / (before + s.walk_of_all)));
    } else {
      entry["net_force"] = s.net_force;
      entry["sum_of_forces"] = s.force_scale;
    }
    if (s.overlap) {
      entry["overlap"] = {
          {"host_bodies", s.overlap->host_targets},  {"tree_to_host_seconds", s.overlap->copy},
          {"device_seconds", s.overlap->device},     {"host_seconds", s.overlap->host},
          {"together_seconds", s.overlap->together}, {"hidden", s.overlap->hidden()}};
      session.print(fmt::format(
          "{}: the host walks for {} bodies; the device alone takes {}, the host alone {}, both at "
          "once {}: {:.2f} of the shorter part is hidden (the walk below has the copy of the tree "
          "to the host, {})",
          s.method, s.overlap->host_targets, app::format_seconds(s.overlap->device),
          app::format_seconds(s.overlap->host), app::format_seconds(s.overlap->together),
          s.overlap->hidden(), app::format_seconds(s.overlap->copy)));
    }
    for (std::size_t p = 0; p < phase_names.size(); ++p)
      entry[fmt::format("{}_seconds", phase_names[p])] = s.phases[p].median();
    if (request.targets > 0) {
      entry["acceleration_error"] = json_of(s.errors.acceleration);
      entry["potential_error"] = json_of(s.errors.potential);
      for (const auto& [what, e] :
           {std::pair{"acceleration", s.errors.acceleration}, {"potential", s.errors.potential}})
        errors.add_row({s.method, what, fmt::format("{:.2e}", e.rms),
                        fmt::format("{:.2e}", e.median), fmt::format("{:.2e}", e.p90),
                        fmt::format("{:.2e}", e.p99), fmt::format("{:.2e}", e.largest)});
    }
    entries.push_back(std::move(entry));
    const std::string suffix = solutions.size() > 1 ? "_" + s.method : "";
    session.report().add_figure_of_merit("bodies_per_second" + suffix, bodies / s.seconds(), "1/s");
    session.report().add_figure_of_merit(
        "interactions_per_second" + suffix,
        static_cast<double>(s.interactions.cells + s.interactions.bodies +
                            s.interactions.conversions) /
            walk,
        "1/s");
  }
  session.print("interactions and opening tests are counts per active body");
  session.print(costs);
  if (request.targets > 0) {
    session.print(fmt::format("relative errors of {} bodies against a direct sum in double",
                              std::min<Count>(request.targets, solutions.front().active)));
    session.print(errors);
  }
}

}  // namespace copse::gravity
