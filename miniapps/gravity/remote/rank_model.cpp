#include "rank_model.hpp"

#include <copse/app/table.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace copse::gravity {
namespace {

constexpr double most_ranks = 1e5;

void add_rows(app::Table& table, nlohmann::json& rows, const MeasuredStep& run,
              const Network& network, bool weak) {
  for (double ranks = run.ranks; ranks < 4.0 * most_ranks; ranks *= 4.0) {
    const double here = std::min(ranks, most_ranks);
    const double bodies = weak ? run.bodies / run.ranks * here : run.bodies;
    const PredictedStep step = predict_step(run, network, here, bodies);
    if (bodies < here) break;
    table.add_row({weak ? "weak" : "strong", fmt::format("{:.0f}", here),
                   fmt::format("{:.3g}", bodies / here), app::format_bytes(step.essential_bytes),
                   app::format_bytes(step.top_bytes), app::format_seconds(step.compute),
                   app::format_seconds(step.exchange), app::format_seconds(step.top),
                   app::format_seconds(step.reduce), app::format_seconds(step.seconds())});
    rows.push_back({{"scaling", weak ? "weak" : "strong"},
                    {"ranks", here},
                    {"bodies", bodies},
                    {"essential_bytes", step.essential_bytes},
                    {"top_bytes", step.top_bytes},
                    {"compute_seconds", step.compute},
                    {"essential_seconds", step.exchange},
                    {"top_seconds", step.top},
                    {"reduce_seconds", step.reduce},
                    {"seconds", step.seconds()}});
  }
}

}  // namespace

double inner_faces(double ranks) {
  double left = std::log2(std::max(ranks, 1.0)), parts[3] = {1.0, 1.0, 1.0};
  for (int axis = 0; left > 0.0; axis = (axis + 1) % 3, left -= 1.0)
    parts[axis] *= std::exp2(std::min(left, 1.0));
  double faces = 0.0;
  for (const double p : parts) faces += 2.0 * (1.0 - 1.0 / p);
  return faces;
}

MeasuredStep measured_step(const RankCosts& costs, double bodies) {
  MeasuredStep run;
  run.ranks = static_cast<double>(costs.size());
  run.bodies = bodies;
  double flops = 0.0, most = 0.0, top_bytes = 0.0, others = 0.0;
  for (const RankCost& cost : costs) {
    run.compute += cost.shared.compute_seconds / run.ranks;
    run.essential_bytes += static_cast<double>(cost.remote.bytes_received) / run.ranks;
    flops += cost.shared.flops / run.ranks;
    most = std::max(most, cost.shared.flops);
    top_bytes += static_cast<double>(cost.shared.top_bytes);
    others += static_cast<double>(cost.shared.coarse_leaves - cost.shared.own_leaves);
  }
  if (flops > 0.0) run.uneven = most / flops;
  run.coarse_leaves = static_cast<double>(costs.front().shared.coarse_leaves) / run.ranks;
  run.leaf_bytes = others > 0.0 ? top_bytes / others : 0.0;
  return run;
}

PredictedStep predict_step(const MeasuredStep& run, const Network& network, double ranks,
                           double bodies) {
  PredictedStep step;
  step.ranks = ranks;
  step.bodies = bodies;
  const double own = bodies / ranks, own_then = run.bodies / run.ranks;
  const double faces = inner_faces(run.ranks);
  if (faces > 0.0)
    step.essential_bytes =
        run.essential_bytes * inner_faces(ranks) / faces * std::pow(own / own_then, 2.0 / 3.0);
  const double leaves = std::min(run.coarse_leaves, own);
  step.top_bytes = (ranks - 1.0) * leaves * run.leaf_bytes;
  const double deeper = std::log(std::max(bodies, 2.0)) / std::log(std::max(run.bodies, 2.0));
  step.compute = run.compute * run.uneven * own / own_then * deeper;
  const double hops = std::log2(std::max(ranks, 1.0));
  step.exchange =
      std::min(26.0, ranks - 1.0) * network.latency + step.essential_bytes / network.bandwidth;
  step.top = hops * network.latency + step.top_bytes / network.bandwidth;
  const double depths = std::log(std::max(leaves * ranks, 1.0)) / std::log(8.0);
  step.reduce = 2.0 * depths * 2.0 * hops * network.latency;
  return step;
}

void report_model(app::Session& session, const MeasuredStep& run, const Network& network) {
  session.print(fmt::format(
      "model, from the run of {:.0f} ranks: messages of {} and {}/s; essential trees as the "
      "{:.2f} of 6 faces of a domain that have neighbours, times n^(2/3); the moments of all "
      "{:.0f} "
      "coarse leaves of a rank on every other; work per body as log N; nothing overlaps",
      run.ranks, app::format_seconds(network.latency), app::format_bytes(network.bandwidth),
      inner_faces(run.ranks), run.coarse_leaves));
  app::Table table({"scaling", "ranks", "bodies/rank", "essential", "top", "compute", "trees",
                    "moments", "reduce", "step"});
  auto& model = session.report().results()["model"];
  model = {{"latency", network.latency},
           {"bandwidth", network.bandwidth},
           {"inner_faces", inner_faces(run.ranks)},
           {"uneven", run.uneven}};
  auto& rows = model["steps"] = nlohmann::json::array();
  add_rows(table, rows, run, network, false);
  add_rows(table, rows, run, network, true);
  session.print(table);
}

}  // namespace copse::gravity
