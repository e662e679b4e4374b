#include "benchmark.hpp"

#include "brute_force.hpp"
#include <copse/app/choices.hpp>
#include <copse/app/table.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>

namespace copse::traversal {

using Load = std::unique_ptr<Benchmark>(app::Session&, const Request&);
Load load_point_correlation, load_nearest_neighbor, load_knn, load_ball_tree, load_vantage_point,
    load_barnes_hut;

const std::vector<BenchmarkInfo>& benchmarks() {
  static const std::vector<BenchmarkInfo> all{
      {"point-correlation", "points within a radius of each query, kd-tree",
       load_point_correlation},
      {"nearest-neighbor", "the nearest point to each query, kd-tree", load_nearest_neighbor},
      {"knn", "the --neighbors nearest points to each query, kd-tree", load_knn},
      {"ball-tree", "the nearest point to each query, ball tree", load_ball_tree},
      {"vantage-point", "the nearest point to each query, vantage-point tree", load_vantage_point},
      {"barnes-hut", "gravity of all particles on each, octree", load_barnes_hut}};
  return all;
}

std::vector<std::string> benchmark_names() {
  return app::names_of(benchmarks());
}

std::string Measured::name() const {
  return fmt::format("{}_{}", walk_name(walk),
                     schedule_name(automatic ? ScheduleKind::automatic : schedule));
}

void Measured::add(const Measured& other) {
  for (std::size_t i = 0; i < walk_time.seconds.size(); ++i) {
    schedule_time.seconds.at(i) += other.schedule_time.seconds.at(i);
    walk_time.seconds.at(i) += other.walk_time.seconds.at(i);
  }
  counters += other.counters;
  fingerprint = mix(fingerprint, other.fingerprint);
}

void report_configurations(app::Session& session, const std::vector<Measured>& measured,
                           double build_seconds, Count queries) {
  app::Table table({"walk", "schedule", "scheduling", "walking", "queries/s", "nodes/packet",
                    "utilisation", "speed-up"});
  auto& entries = session.report().results()["configurations"];
  entries = nlohmann::json::array();
  const double first = measured.front().seconds();
  for (const Measured& m : measured) {
    const double seconds = m.seconds();
    std::string schedule = schedule_name(m.schedule);
    if (m.automatic) schedule = "auto: " + schedule;
    table.add_row({walk_name(m.walk), schedule, app::format_seconds(m.schedule_time.median()),
                   app::format_seconds(m.walk_time.median()),
                   app::format_rate(static_cast<double>(queries) / seconds),
                   fmt::format("{:.1f}", m.counters.nodes_per_packet()),
                   m.counters.width > 1 ? fmt::format("{:.3f}", m.counters.utilisation()) : "-",
                   fmt::format("{:.2f}", first / seconds)});
    entries.push_back({{"walk", walk_name(m.walk)},
                       {"schedule", schedule_name(m.schedule)},
                       {"automatic", m.automatic},
                       {"schedule_seconds", m.schedule_time.median()},
                       {"walk_seconds", m.walk_time.median()},
                       {"queries_in_packet", m.counters.width},
                       {"packets", m.counters.packets},
                       {"packet_nodes", m.counters.nodes},
                       {"lane_nodes", m.counters.lane_nodes},
                       {"truncations", m.counters.truncations},
                       {"packet_rows", m.counters.rows},
                       {"lane_rows", m.counters.lane_rows},
                       {"nodes_per_packet", m.counters.nodes_per_packet()},
                       {"utilisation", m.counters.utilisation()},
                       {"fingerprint", fmt::format("{:016x}", m.fingerprint)}});
    const std::string suffix = measured.size() > 1 ? fmt::format("_{}", m.name()) : "";
    session.report().add_figure_of_merit("queries_per_second" + suffix,
                                         static_cast<double>(queries) / seconds, "1/s");
    session.report().add_figure_of_merit("seconds_with_build" + suffix, build_seconds + seconds,
                                         "s");
  }
  session.report().results()["build_seconds"] = build_seconds;
  session.report().results()["queries"] = queries;
  session.print(fmt::format("tree built in {}", app::format_seconds(build_seconds)));
  session.print(table);
}

void report_correlation(app::Session& session, const std::vector<Real>& edges,
                        const SeparationCounts& pairs) {
  const auto correlation = landy_szalay(pairs);
  app::Table table({"from", "to", "data-data", "data-random", "random-random", "xi", "+-"});
  auto& bins = session.report().results()["correlation"];
  bins = nlohmann::json::array();
  for (std::size_t b = 0; b < correlation.size(); ++b) {
    const auto& [xi, error] = correlation[b];
    const bool known = std::isfinite(xi);
    table.add_row({fmt::format("{:.4g}", edges[b]), fmt::format("{:.4g}", edges[b + 1]),
                   fmt::format("{}", pairs.data_data[b]), fmt::format("{}", pairs.data_random[b]),
                   fmt::format("{}", pairs.random_random[b]),
                   known ? fmt::format("{:.4g}", xi) : "-",
                   known ? fmt::format("{:.2g}", error) : "-"});
    bins.push_back({{"from", edges[b]},
                    {"to", edges[b + 1]},
                    {"data_data", pairs.data_data[b]},
                    {"data_random", pairs.data_random[b]},
                    {"random_random", pairs.random_random[b]},
                    {"xi", xi},
                    {"error", error}});
  }
  session.report().results()["data_points"] = pairs.data;
  session.report().results()["random_points"] = pairs.random;
  session.print(fmt::format("pairs of {} points and {} random points, each pair once", pairs.data,
                            pairs.random));
  session.print(table);
}

void report_trace(app::Session& session, const std::string& configuration, Count packet,
                  const std::vector<TracedVisit>& visits) {
  auto nodes = nlohmann::json::array();
  auto lanes = nlohmann::json::array();
  for (const TracedVisit& visit : visits) {
    std::string bits(VectorLanes::width, '0');
    for (std::size_t l = 0; l < bits.size(); ++l)
      if ((visit.lanes >> l) & 1u) bits[l] = '1';
    nodes.push_back(visit.node);
    lanes.push_back(std::move(bits));
  }
  session.report().results()["traces"].push_back({{"configuration", configuration},
                                                  {"packet", packet},
                                                  {"nodes", std::move(nodes)},
                                                  {"lanes", std::move(lanes)}});
}

}  // namespace copse::traversal
