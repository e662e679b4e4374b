#include "simulation.hpp"
#include <copse/app/table.hpp>
#include <copse/backend/worse.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace copse::collide {
namespace {

/// About so many rows of the table of steps are printed.
constexpr Count printed_steps = 20;
/// Largest error of a velocity after a step of --summation any, over the largest velocity: the
/// rounding of sums in another order. Measured: 7.5e-16 and less (all methods and forces, two and
/// three dimensions, densities 0.5 to 20, serial and openmp).
constexpr double deviation_tolerance = 3e-15;

double drift_of(const Simulation& run) {
  const double first = run.records.front().energy();
  double most = 0.0;
  for (const Record& r : run.records) {
    const double change = std::abs(r.energy() - first);
    most = worse(most, change);
  }
  return first == 0.0 ? most : most / std::abs(first);
}

/// Distances of contacts in reaches, in all recorded states but the last one. `absmin` is the
/// smallest, `absavg` the mean over these states, if they have contacts, of the mean of each.
struct Closeness {
  double absmin = 0.0, absavg = 0.0;
};
Closeness closeness_of(const Simulation& run) {
  Closeness close{1e300, 0.0};
  Count steps = 0;
  for (std::size_t i = 0; i + 1 < run.records.size() || i == 0; ++i) {
    const ContactSums& c = run.records[i].contacts;
    if (c.contacts == 0) continue;
    close.absmin = std::min(close.absmin, c.least_ratio);
    close.absavg += c.ratio_sum / static_cast<double>(c.contacts);
    ++steps;
  }
  if (steps == 0) return {0.0, 0.0};
  close.absavg /= static_cast<double>(steps);
  return close;
}

/// Mean of m v^2 per axis, with Boltzmann's constant 1.
double temperature_of(const Record& r, const Simulation& run, Count dimensions) {
  return 2.0 * r.kinetic / static_cast<double>(run.particles * dimensions);
}

/// By the virial theorem.
double pressure_of(const Record& r, const Simulation& run, Count dimensions) {
  return (2.0 * r.kinetic + r.contacts.virial) / (run.volume * static_cast<double>(dimensions));
}

nlohmann::json json_of(const Record& r, const Simulation& run, Count dimensions) {
  return {{"step", r.step},
          {"kinetic", r.kinetic},
          {"potential", r.contacts.potential},
          {"energy", r.energy()},
          {"momentum", r.momentum},
          {"candidates", r.contacts.candidates},
          {"contacts", r.contacts.contacts},
          {"fingerprint", fmt::format("{:016x}", r.contacts.fingerprint)},
          {"virial", r.contacts.virial},
          {"temperature", temperature_of(r, run, dimensions)},
          {"pressure", pressure_of(r, run, dimensions)}};
}

void print_steps(app::Session& session, const Simulation& run, const Request& request) {
  app::Table table({"step", "kinetic", "potential", "energy", "temperature", "pressure",
                    "|momentum|", "contacts"});
  const Count stride = (request.steps + printed_steps - 1) / printed_steps;
  const Count first = run.records.front().step;
  Count due = first;
  for (const Record& r : run.records) {
    if (r.step < due && r.step != run.records.back().step) continue;
    due = first + ((r.step - first) / stride + 1) * stride;
    table.add_row({fmt::format("{}", r.step), fmt::format("{:.8g}", r.kinetic),
                   fmt::format("{:.6g}", r.contacts.potential), fmt::format("{:.8g}", r.energy()),
                   fmt::format("{:.4g}", temperature_of(r, run, request.dimensions)),
                   fmt::format("{:.4g}", pressure_of(r, run, request.dimensions)),
                   fmt::format("{:.3e}", std::hypot(r.momentum[0], r.momentum[1], r.momentum[2])),
                   fmt::format("{}", r.contacts.contacts)});
  }
  session.print(table);
}

void report_radial(app::Session& session, const RadialDistribution& radial) {
  if (radial.g.empty()) return;
  app::Table table({"r", "pairs", "g(r)"});
  for (std::size_t b = 0; b < radial.g.size(); ++b)
    table.add_row({fmt::format("{:.4g}", 0.5 * (radial.edges[b] + radial.edges[b + 1])),
                   fmt::format("{}", radial.pairs[b]), fmt::format("{:.4f}", radial.g[b])});
  session.print(table);
  session.report().results()["radial_distribution"] = {
      {"edges", radial.edges}, {"pairs", radial.pairs}, {"g", radial.g}};
}

}  // namespace

void verify(app::Session& session, const Request& request,
            const std::vector<Simulation>& simulations) {
  if (!session.options().verify) return;
  for (const Simulation& run : simulations) {
    session.verification().check(run.method + "_steps_with_wrong_contacts",
                                 run.comparison.wrong_contacts);
    session.verification().check(run.method + "_missing_particles", run.comparison.wrong_ids);
    if (request.summation == "ordered")
      session.verification().check(run.method + "_particles_with_wrong_bits",
                                   run.comparison.wrong_bits);
    else
      session.verification().check(run.method + "_deviation_of_a_step", run.comparison.deviation,
                                   deviation_tolerance);
  }
}

void report(app::Session& session, const Request& request,
            const std::vector<Simulation>& simulations) {
  auto& results = session.report().results();
  auto& entries = results["methods"] = nlohmann::json::array();
  print_steps(session, simulations.front(), request);
  app::Table table({"method", "ms per step", "particle-steps/s", "contacts/s", "copies per step",
                    "GB/s at least", "energy change"});
  const auto steps = static_cast<double>(request.steps);
  for (const Simulation& run : simulations) {
    const double rate = static_cast<double>(run.particles) * steps / run.seconds;
    const double contacts = static_cast<double>(run.records.back().contacts.contacts) / 2.0;
    const Closeness close = closeness_of(run);
    auto entry = nlohmann::json{{"method", run.method},
                                {"particles", run.particles},
                                {"seconds", run.seconds},
                                {"crowding", run.crowding},
                                {"candidates", run.records.back().contacts.candidates},
                                {"contacts", run.records.back().contacts.contacts},
                                {"seconds_per_step", run.seconds / steps},
                                {"particle_steps_per_second", rate},
                                {"energy_change", drift_of(run)},
                                {"copies_per_step", run.seconds / steps / run.copy_seconds},
                                {"least_bytes_per_second", run.least_bytes * steps / run.seconds},
                                {"absmin", close.absmin},
                                {"absavg", close.absavg},
                                {"figures", run.figures}};
    if (session.options().verify) {
      entry["compared_steps"] = run.comparison.steps;
      entry["wall_bounces"] = run.comparison.wall_bounces;
    }
    auto& records = entry["records"] = nlohmann::json::array();
    for (const Record& r : run.records) records.push_back(json_of(r, run, request.dimensions));
    report_ranks(session, run.method, run.costs, entry);
    entries.push_back(std::move(entry));
    table.add_row({run.method, fmt::format("{:.4g}", 1e3 * run.seconds / steps),
                   fmt::format("{:.3e}", rate),
                   fmt::format("{:.3e}", contacts * steps / run.seconds),
                   fmt::format("{:.1f}", run.seconds / steps / run.copy_seconds),
                   fmt::format("{:.3g}", 1e-9 * run.least_bytes * steps / run.seconds),
                   fmt::format("{:.2e}", drift_of(run))});
  }
  session.print(table);
  const Simulation& front = simulations.front();
  const double bytes = front.least_bytes / static_cast<double>(front.particles);
  const double copy_rate = front.state_bytes / front.copy_seconds;
  results["least_bytes_per_particle_step"] = bytes;
  results["copy_seconds"] = front.copy_seconds;
  results["copy_bytes_per_second"] = copy_rate;
  session.print(
      fmt::format("a step reads and writes at least {:.0f} bytes of a particle; a copy of the "
                  "state moves {:.3g} "
                  "GB/s",
                  bytes, 1e-9 * copy_rate));
  report_radial(session, front.radial);
  const auto best =
      std::min_element(simulations.begin(), simulations.end(),
                       [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  const double particle_steps = static_cast<double>(best->particles) * steps;
  session.report().add_figure_of_merit("particle_steps_per_second", particle_steps / best->seconds,
                                       "1/s");
  session.report().add_figure_of_merit(
      "contacts_per_second",
      static_cast<double>(best->records.back().contacts.contacts) / 2.0 * steps / best->seconds,
      "1/s");
  session.report().add_figure_of_merit("microseconds_per_step", 1e6 * best->seconds / steps, "us");
}

}  // namespace copse::collide
