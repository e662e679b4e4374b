#include "solution.hpp"
#include "tolerance.hpp"
#include <copse/app/table.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace copse::gravity {
namespace {

/// Flops of one interaction: distance 9, then the field (moments.hpp); 1 / sqrt counts as one.
constexpr double flops_per_body = 9 + 12;
constexpr std::array<double, 4> flops_per_cell{9 + 12, 9 + 45, 9 + 100, 9 + 169};
/// Of a conversion (local_expansion.hpp): moments, derivatives, and a product and a sum for each
/// pair of a moment and a derivative.
constexpr std::array<double, 4> flops_per_conversion{9 + 111, 9 + 311, 9 + 718, 9 + 1467};
constexpr double flops_per_test = 9;

double flops_of(const Request& request, const Interactions& done) {
  return flops_per_body * static_cast<double>(done.bodies) +
         flops_per_cell[request.order - 1] * static_cast<double>(done.cells) +
         flops_per_conversion[request.order - 1] * static_cast<double>(done.conversions) +
         flops_per_test * static_cast<double>(done.tests);
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
        tolerance_of(request, input, solution.method, session.total_particles());
    auto& checks = session.verification();
    checks.check(solution.method + "_median_error", solution.errors.acceleration.median,
                 tolerance.median);
    // The median alone would not detect a missing packet or a wrong subtree.
    checks.check(solution.method + "_error_of_99_in_100", solution.errors.acceleration.p99,
                 tolerance.p99);
    checks.check(solution.method + "_median_error_of_potential", solution.errors.potential.median,
                 tolerance.potential);
    const auto bodies = static_cast<double>(session.total_particles());
    const double cells = static_cast<double>(solution.interactions.cells) / bodies;
    checks.check(solution.method + "_masses_counted_once", solution.uncounted,
                 uncounted_tolerance(cells));
    if (solution.expansions)
      checks.check(
          solution.method + "_errors_of_expansions",
          std::max(solution.expansions->acceleration.largest,
                   solution.expansions->potential.largest),
          expansion_tolerance(cells, static_cast<double>(solution.interactions.bodies) / bodies));
  }
}

void report(app::Session& session, const Request& request, const std::vector<Solution>& solutions) {
  const auto bodies = static_cast<double>(session.total_particles());
  app::Table costs({"method", "bucket", "tree", "moments", "walk", "bodies/s", "cells", "bodies",
                    "conversions", "tests", "GFLOP/s"});
  app::Table errors({"method", "error", "rms", "median", "90 %", "99 %", "largest"});
  auto& entries = session.report().results()["methods"];
  entries = nlohmann::json::array();
  for (const Solution& s : solutions) {
    const double walk = s.phases.back().median();
    const double flops = flops_of(request, s.interactions);
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
                         {"tests", s.interactions.tests},
                         {"flops", flops},
                         {"gflops_of_walk", flops / walk * 1e-9},
                         {"net_force", s.net_force},
                         {"sum_of_forces", s.force_scale}};
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
  session.print("interactions and opening tests are counts per body");
  session.print(costs);
  if (request.targets > 0) {
    session.print(fmt::format("relative errors of {} bodies against a direct sum in double",
                              std::min<Count>(request.targets, session.total_particles())));
    session.print(errors);
  }
}

}  // namespace copse::gravity
