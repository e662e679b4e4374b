#include "rank_model.hpp"

#include <copse/app/table.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace copse::gravity {
namespace {

constexpr double most_ranks = 1e5;

/// Coarse leaves of all ranks, if all were full.
double full_leaves(double bodies, double ranks, std::uint32_t bucket_size) {
  const Count most =
      coarse_leaf_bodies(static_cast<Count>(bodies), static_cast<int>(ranks), bucket_size);
  return bodies / static_cast<double>(most);
}

void add_rows(app::Table& table, nlohmann::json& rows, const MeasuredStep& run,
              const Network& network, bool weak) {
  for (double ranks = run.ranks; ranks < 4.0 * most_ranks; ranks *= 4.0) {
    const double here = std::min(ranks, most_ranks);
    const double bodies = weak ? run.bodies / run.ranks * here : run.bodies;
    const PredictedStep step = predict_step(run, network, here, bodies);
    if (bodies < here) break;
    table.add_row({weak ? "weak" : "strong", fmt::format("{:.0f}", here),
                   fmt::format("{:.3g}", bodies / here), app::format_bytes(step.essential_bytes),
                   app::format_bytes(step.top_bytes), app::format_bytes(step.far_top_bytes),
                   app::format_seconds(step.compute), app::format_seconds(step.exchange),
                   app::format_seconds(step.top), app::format_seconds(step.reduce),
                   app::format_seconds(step.seconds()), app::format_seconds(step.far_seconds())});
    rows.push_back({{"scaling", weak ? "weak" : "strong"},
                    {"ranks", here},
                    {"bodies", bodies},
                    {"essential_bytes", step.essential_bytes},
                    {"coarse_leaves", step.coarse_leaves},
                    {"top_bytes", step.top_bytes},
                    {"far_top_bytes", step.far_top_bytes},
                    {"compute_seconds", step.compute},
                    {"essential_seconds", step.exchange},
                    {"top_seconds", step.top},
                    {"reduce_seconds", step.reduce},
                    {"seconds", step.seconds()},
                    {"far_seconds", step.far_seconds()}});
  }
}

}  // namespace

double border_area(double ranks) {
  double left = std::log2(std::max(ranks, 1.0)), parts[3] = {1.0, 1.0, 1.0};
  for (int axis = 0; left > 0.0; axis = (axis + 1) % 3, left -= 1.0)
    parts[axis] *= std::exp2(std::min(left, 1.0));
  const double domains = parts[0] * parts[1] * parts[2];
  double area = 0.0;
  // Two faces of p / domains each, of which the outermost touch none.
  for (const double p : parts) area += 2.0 * (1.0 - 1.0 / p) * p / domains;
  return area;
}

double near_domains(double theta, double ranks) {
  const double all = std::max(ranks - 1.0, 0.0);
  const double radius = theta > 0.0 ? 1.0 / theta : most_ranks;  // in sides of a domain
  const int layers = static_cast<int>(std::min(radius + 0.5, std::cbrt(most_ranks)));
  const auto gap = [](int i) { return std::max(std::abs(i) - 0.5, 0.0); };
  double near = -1.0;  // not the domain itself
  for (int x = -layers; x <= layers; ++x)
    for (int y = -layers; y <= layers; ++y)
      for (int z = -layers; z <= layers; ++z)
        near += std::hypot(gap(x), gap(y), gap(z)) <= radius ? 1.0 : 0.0;
  return std::min(near, all);
}

MeasuredStep measured_step(const RankCosts& costs, double bodies, double theta,
                           std::uint32_t bucket_size) {
  MeasuredStep run;
  run.ranks = static_cast<double>(costs.size());
  run.bodies = bodies;
  run.theta = theta;
  run.bucket_size = bucket_size;
  double flops = 0.0, most = 0.0, top_bytes = 0.0, others = 0.0;
  for (const RankCost& cost : costs) {
    run.compute += cost.shared.compute_seconds / run.ranks;
    run.communicate += cost.shared.communicate_seconds / run.ranks;
    run.wait += cost.shared.wait_seconds / run.ranks;
    run.essential_bytes += static_cast<double>(cost.remote.bytes_received) / run.ranks;
    flops += cost.shared.flops / run.ranks;
    most = std::max(most, cost.shared.flops);
    top_bytes += static_cast<double>(cost.shared.top_bytes);
    others += static_cast<double>(cost.shared.coarse_leaves - cost.shared.own_leaves);
  }
  if (flops > 0.0) run.uneven = most / flops;
  run.coarse_leaves = static_cast<double>(costs.front().shared.coarse_leaves);
  run.leaf_bytes = others > 0.0 ? top_bytes / others : 0.0;
  return run;
}

PredictedStep predict_step(const MeasuredStep& run, const Network& network, double ranks,
                           double bodies) {
  PredictedStep step;
  step.ranks = ranks;
  step.bodies = bodies;
  const double own = bodies / ranks, own_then = run.bodies / run.ranks;
  const double area = border_area(run.ranks);
  if (area > 0.0)
    step.essential_bytes =
        run.essential_bytes * border_area(ranks) / area * std::pow(bodies / run.bodies, 2.0 / 3.0);
  const double fullness = run.coarse_leaves / full_leaves(run.bodies, run.ranks, run.bucket_size);
  const double leaves =
      std::min(fullness * full_leaves(bodies, ranks, run.bucket_size) / ranks, own);
  step.coarse_leaves = leaves;
  const double near = near_domains(run.theta, ranks);
  step.top_bytes = (ranks - 1.0) * leaves * run.leaf_bytes;
  step.far_top_bytes =
      (near * leaves + (ranks - 1.0 - near) * std::min(leaves, 1.0)) * run.leaf_bytes;
  const double deeper = std::log(std::max(bodies, 2.0)) / std::log(std::max(run.bodies, 2.0));
  step.compute = run.compute * run.uneven * own / own_then * deeper;
  const double hops = std::log2(std::max(ranks, 1.0));
  step.exchange = near * network.latency + step.essential_bytes / network.bandwidth;
  step.top = hops * network.latency + step.top_bytes / network.bandwidth;
  step.far_top = hops * network.latency + step.far_top_bytes / network.bandwidth;
  const double depths = std::log(std::max(leaves * ranks, 1.0)) / std::log(8.0);
  step.reduce = 2.0 * depths * 2.0 * hops * network.latency;
  return step;
}

void report_model(app::Session& session, const MeasuredStep& run, const Network& network) {
  const PredictedStep same = predict_step(run, network, run.ranks, run.bodies);
  const PredictedStep most = predict_step(run, network, most_ranks, run.bodies * most_ranks);
  session.print(fmt::format(
      "model, from the run of {:.0f} ranks: messages of {} and {}/s; essential trees as the "
      "area of the faces of a domain that touch others, {:.2f} faces of the cube here, times "
      "N^(2/3), sent to the {:.0f} domains nearer than side / theta, or to all; the moments of all "
      "coarse leaves of a rank, {:.0f} here, {} each, on every other rank; work per body as log N; "
      "nothing overlaps",
      run.ranks, app::format_seconds(network.latency), app::format_bytes(network.bandwidth),
      border_area(run.ranks), near_domains(run.theta, most_ranks), same.coarse_leaves,
      app::format_bytes(run.leaf_bytes)));
  session.print(fmt::format(
      "moments of all leaves, {:.0f} of a rank, would be {} on {:.0f} ranks of as many bodies; "
      "\"far roots\", leaves of near domains and one root of each other, {}: the code does not do "
      "this",
      most.coarse_leaves, app::format_bytes(most.top_bytes), most_ranks,
      app::format_bytes(most.far_top_bytes)));
  session.print(fmt::format(
      "messages of this run: {} predicted; {} communicating and {} waiting measured, the means of "
      "ranks",
      app::format_seconds(same.messages()), app::format_seconds(run.communicate),
      app::format_seconds(run.wait)));
  app::Table table({"scaling", "ranks", "bodies/rank", "essential", "top", "far roots", "compute",
                    "trees", "moments", "reduce", "step", "far roots"});
  auto& model = session.report().results()["model"];
  model = {{"latency", network.latency},
           {"bandwidth", network.bandwidth},
           {"border_area", border_area(run.ranks)},
           {"near_domains", near_domains(run.theta, most_ranks)},
           {"uneven", run.uneven},
           {"message_seconds", same.messages()},
           {"communicate_seconds", run.communicate},
           {"wait_seconds", run.wait}};
  auto& rows = model["steps"] = nlohmann::json::array();
  add_rows(table, rows, run, network, false);
  add_rows(table, rows, run, network, true);
  session.print(table);
}

}  // namespace copse::gravity
