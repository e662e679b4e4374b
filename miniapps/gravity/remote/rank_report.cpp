#include "rank_report.hpp"

#include "../tolerance.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/app/table.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <span>

namespace copse::gravity {
namespace {

struct Spread {
  double most = 0.0, mean = 0.0;
};

template <class F>
Spread spread_of(const RankCosts& costs, const F& value) {
  Spread spread;
  for (const RankCost& cost : costs) {
    const auto here = static_cast<double>(value(cost));
    spread.most = std::max(spread.most, here);
    spread.mean += here / static_cast<double>(costs.size());
  }
  return spread;
}

/// A quantity of a rank: its name in the report, and how it is printed.
struct Quantity {
  const char* name;
  double (*of)(const RankCost&);
  std::string (*format)(double);
};

std::string as_count(double value) {
  return fmt::format("{:.0f}", value);
}

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all{
      {"compute_seconds", [](const RankCost& c) { return c.shared.compute_seconds; },
       app::format_seconds},
      {"communicate_seconds", [](const RankCost& c) { return c.shared.communicate_seconds; },
       app::format_seconds},
      {"wait_seconds", [](const RankCost& c) { return c.shared.wait_seconds; },
       app::format_seconds},
      {"walk_seconds", [](const RankCost& c) { return c.shared.walk_seconds; },
       app::format_seconds},
      {"walk_before_arrival_seconds", [](const RankCost& c) { return c.shared.interior_seconds; },
       app::format_seconds},
      {"arrival_seconds", [](const RankCost& c) { return c.shared.late_seconds; },
       app::format_seconds},
      {"walk_flops", [](const RankCost& c) { return c.shared.flops; },
       [](double value) { return fmt::format("{:.3g}", value); }},
      {"bodies", [](const RankCost& c) { return static_cast<double>(c.shared.bodies); }, as_count},
      {"bodies_before_arrival",
       [](const RankCost& c) { return static_cast<double>(c.shared.interior_bodies); }, as_count},
      {"bodies_that_left", [](const RankCost& c) { return static_cast<double>(c.shared.migrants); },
       as_count},
      {"coarse_leaves", [](const RankCost& c) { return static_cast<double>(c.shared.own_leaves); },
       as_count},
      {"nodes", [](const RankCost& c) { return static_cast<double>(c.remote.own_nodes); },
       as_count},
      {"remote_nodes", [](const RankCost& c) { return static_cast<double>(c.remote.nodes_held); },
       as_count},
      {"remote_bodies", [](const RankCost& c) { return static_cast<double>(c.remote.bodies_held); },
       as_count},
      {"remote_memory_bytes",
       [](const RankCost& c) { return static_cast<double>(c.remote.bytes_held); },
       app::format_bytes},
      {"tree_bytes_sent",
       [](const RankCost& c) { return static_cast<double>(c.remote.bytes_sent); },
       app::format_bytes},
      {"top_bytes_received",
       [](const RankCost& c) { return static_cast<double>(c.shared.top_bytes); },
       app::format_bytes},
      {"other_bytes_sent",
       [](const RankCost& c) { return static_cast<double>(c.shared.bytes_of_others); },
       app::format_bytes},
      {"messages_sent",
       [](const RankCost& c) { return static_cast<double>(c.remote.destinations); }, as_count},
      {"rounds", [](const RankCost& c) { return static_cast<double>(c.remote.rounds); }, as_count},
      {"subtrees_requested",
       [](const RankCost& c) { return static_cast<double>(c.remote.requests); }, as_count},
      {"pending_pairs", [](const RankCost& c) { return static_cast<double>(c.remote.pending); },
       as_count}};
  return all;
}

nlohmann::json json_of(const RankCosts& costs) {
  nlohmann::json entry;
  for (const Quantity& quantity : quantities()) {
    const Spread spread = spread_of(costs, quantity.of);
    entry[quantity.name] = {{"most", spread.most}, {"mean", spread.mean}};
  }
  entry["top_nodes"] = costs.front().remote.top_nodes;
  entry["all_coarse_leaves"] = costs.front().shared.coarse_leaves;
  return entry;
}

double percent(Count part, Count of) {
  return of == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(of);
}
/// Percent by which a count exceeds a smaller one.
double more(Count count, Count than) {
  return than == 0 ? 0.0 : percent(count, than) - 100.0;
}

std::string words_of(const Request& request, const Repeated& repeats) {
  return fmt::format(
      "repeats with --inclusion {}: {} cells, {:.3f} %, and {} bodies, {:.3f} %; a bucket meets up "
      "to {:.6f} times the mass of all bodies",
      request.inclusion, repeats.cells, percent(repeats.cells, repeats.cells_once), repeats.bodies,
      percent(repeats.bodies, repeats.bodies_once), repeats.most_mass);
}

nlohmann::json json_of(const Repeated& repeats) {
  return {{"cells", repeats.cells},
          {"bodies", repeats.bodies},
          {"cells_once", repeats.cells_once},
          {"bodies_once", repeats.bodies_once},
          {"largest_mass", repeats.most_mass}};
}

}  // namespace

RankCosts costs_of_ranks(const Communicator& comm, const SharedCost& shared,
                         const RemoteCost& remote) {
  const RankCost mine{shared, remote};
  return comm.allgatherv(std::span<const RankCost>(&mine, 1));
}

void report_balance(app::Session& session, const Communicator& comm,
                    const std::vector<double>& interactions, const std::vector<double>& seconds) {
  const auto spreads = [&](const std::vector<double>& mine) {
    std::vector<double> most = mine, sum = mine;
    comm.allreduce(std::span(most), Reduction::max);
    comm.allreduce(std::span(sum), Reduction::sum);
    std::vector<Spread> all;
    for (std::size_t i = 0; i < mine.size(); ++i)
      all.push_back({most[i], sum[i] / static_cast<double>(comm.size())});
    return all;
  };
  const std::vector<Spread> work = spreads(interactions), time = spreads(seconds);
  auto& entries = session.report().results()["motion"]["balance"] = nlohmann::json::array();
  const auto json_of = [](const Spread& s) {
    return nlohmann::json{{"most", s.most}, {"mean", s.mean}};
  };
  for (std::size_t step = 0; step < time.size(); ++step) {
    nlohmann::json entry = {{"step", step}, {"compute_seconds", json_of(time[step])}};
    if (step < work.size()) entry["interactions"] = json_of(work[step]);
    entries.push_back(entry);
  }
  if (work.size() < 2) return;
  const auto unevenness = [](const Spread& s) { return s.mean > 0.0 ? s.most / s.mean : 1.0; };
  session.print(fmt::format(
      "interactions, most / mean of ranks: {:.3f} at first, {:.3f} after one step, {:.3f} at last",
      unevenness(work[0]), unevenness(work[1]), unevenness(work.back())));
}

nlohmann::json report_ranks(app::Session& session, const std::string& what,
                            const RankCosts& costs) {
  app::Table table({"of a rank", "most", "mean", "most / mean"});
  for (const Quantity& quantity : quantities()) {
    const Spread spread = spread_of(costs, quantity.of);
    table.add_row({quantity.name, quantity.format(spread.most), quantity.format(spread.mean),
                   spread.mean > 0.0 ? fmt::format("{:.3f}", spread.most / spread.mean) : "-"});
  }
  session.print(fmt::format(
      "{}, over {} ranks; each has all {} nodes of the top, of which {} are "
      "coarse leaves",
      what, costs.size(), costs.front().remote.top_nodes, costs.front().shared.coarse_leaves));
  session.print(table);
  return json_of(costs);
}

SharedRepeats sum_repeats(const Communicator& comm, const Repeated& mine) {
  std::array<std::uint64_t, 5> counts{mine.cells, mine.bodies, mine.cells_once, mine.bodies_once,
                                      mine.unlike_recursion};
  std::array<double, 2> largest{mine.most_mass, mine.mass_error};
  comm.allreduce(std::span(counts), Reduction::sum);
  comm.allreduce(std::span(largest), Reduction::max);
  SharedRepeats sum{
      {counts[0], counts[1], counts[2], counts[3], largest[0], counts[4], largest[1]}};
  app::corruptible(sum);
  return sum;
}

void verify_repeats(app::Session& session, const Request& request, const SharedRepeats& repeats,
                    Count bodies) {
  if (!session.options().verify) return;
  const auto n = static_cast<double>(bodies);
  auto& checks = session.verification();
  checks.check("buckets_unlike_recursion", static_cast<double>(repeats.unlike_recursion));
  // Two potentials are subtracted. Measured: 2.8e-6 and less for 6000 to 100,000 bodies (16 runs on
  // three ranks).
  checks.check("masses_of_repeats", repeats.mass_error,
               2.0 * uncounted_tolerance(request, static_cast<double>(repeats.cells_once) / n,
                                         static_cast<double>(repeats.bodies_once) / n, bodies));
  if (request.inclusion_kind == Inclusion::radius || request.inclusion_kind == Inclusion::opening)
    checks.require("nothing_repeats_with_inclusion", repeats.cells == 0 && repeats.bodies == 0);
}

nlohmann::json report_repeats(app::Session& session, const Request& request,
                              const SharedRepeats& repeats) {
  session.print(words_of(request, repeats));
  session.print(fmt::format(
      "the median error with repeats is {:.3g}; --inclusion {} costs {:.3f} % more cells and "
      "{:.3f} % more bodies",
      repeats.median_error, request.inclusion, more(repeats.cells_once, repeats.cells_plain),
      more(repeats.bodies_once, repeats.bodies_plain)));
  auto entry = json_of(repeats);
  entry["cells_plain"] = repeats.cells_plain;
  entry["bodies_plain"] = repeats.bodies_plain;
  entry["median_error"] = repeats.median_error;
  return entry;
}

void report_repeats(app::Session& session, const Request& request,
                    const std::vector<SharedRepeats>& of_steps, Count first_step) {
  auto& entries = session.report().results()["motion"]["repeats"] = nlohmann::json::array();
  for (std::size_t step = 0; step < of_steps.size(); ++step) {
    entries.push_back(json_of(of_steps[step]));
    entries.back()["step"] = first_step + step;
  }
  session.print("first fields: " + words_of(request, of_steps.front()));
  session.print("last step: " + words_of(request, of_steps.back()));
}

}  // namespace copse::gravity
