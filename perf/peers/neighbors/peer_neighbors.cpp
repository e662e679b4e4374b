/// \file
/// peer_neighbors: the k nearest neighbours of every point, and the number of points within a
/// radius, by kd-trees of other libraries and of Copse.
///
/// Each search is measured with three sets of queries:
///
/// | queries | what |
/// |---|---|
/// | tree | all points, in the order of the leaves of a kd-tree: consecutive ones visit the same
/// nodes | | input | all points, in the order of the input, which is random for generated points |
/// | elsewhere | as many other points of the same generator and another seed, in random order |
///
/// Times of a search exclude building trees, and exclude ordering queries unless the search itself
/// does it (copse_*_scheduled, copse_backend, arborx, arborx_backend). Points and queries of
/// `*_backend*` are in the memory of the backend before, and answers remain there.
///
/// Speed-ups are a library's seconds over those of Copse with the same number of threads, without
/// and with the build of the tree, in wall-clock and CPU time. There are none unless all gave the
/// same answers.

#include "../name_list.hpp"
#include "answers.hpp"
#include "brute_force.hpp"
#include "neighbor_search.hpp"
#include "tree_order.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/generators.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

namespace copse::peers {
namespace {

/// Those of libraries.cpp in any build.
const std::vector<std::string> known_libraries{"nanoflann",
                                               "ann",
                                               "flann",
                                               "arborx",
                                               "arborx_in_order",
                                               "copse_serial",
                                               "copse_threads",
                                               "copse_serial_scheduled",
                                               "copse_threads_scheduled",
                                               "arborx_backend",
                                               "arborx_backend_in_order",
                                               "copse_backend",
                                               "copse_backend_in_order"};

struct Queries {
  std::string order;  ///< "input", "tree" or "elsewhere"
  std::vector<Point> points;
  std::optional<BruteForce> truth;  ///< with --verify
};

class PeerNeighbors final : public app::MiniApp {
 public:
  std::string name() const override { return "peer_neighbors"; }
  std::string description() const override {
    return "Nearest neighbours and counts within a radius by other libraries' kd-trees and ours.";
  }
  std::vector<std::string> list() const override {
    std::vector<std::string> names;
    for (const Library& library : libraries()) names.emplace_back(library.name);
    return names;
  }
  void add_options(CLI::App& cli) override {
    cli.add_option(
        "--library", library_,
        "Libraries to measure: a list of names of --list, or all of the host, with a GPU "
        "all of the backend");
    cli.add_option("--query-order", query_order_,
                   "Queries: a list of tree, input and elsewhere, or all");
    app::add_count_option(cli, "--nearest", nearest_,
                          "Number of neighbours of each point, itself included");
    app::add_count_option(cli, "--within", within_,
                          "Average number of points within the search radius");
    cli.add_option("--leaf-points", leaf_points_,
                   "Maximum points in a leaf of every tree; 0: each library's default")
        ->check(CLI::Range(0, 4096));
  }
  void validate(const app::CommonOptions& options) override {
    if (nearest_ > 1024) throw InputError("--nearest is more than 1024");
    chosen_libraries_ = chosen_names("--library", library_, known_libraries);
    chosen_orders_ = chosen_names("--query-order", query_order_, {"tree", "input", "elsewhere"});
    if (!options.input) return;
    if (query_order_ != "all" && contains(chosen_orders_, "elsewhere"))
      throw InputError("--query-order elsewhere needs generated points, not --input");
    std::erase(chosen_orders_, "elsewhere");
  }

  void run(app::Session& session) override {
    if (session.ranks() > 1) throw InputError("peer_neighbors runs on one rank");
    if (session.options().dry_run) return;
    const auto particles = session.load_particles(Kokkos::DefaultHostExecutionSpace{});
    const Count n = particles.size();
    if (n < nearest_) throw InputError("--nearest is more than the number of particles");
    if (n >= Count{1} << 31) throw InputError("ANN counts points in 31 bits");
    const std::vector<Point> points = points_of(particles);
    // In a uniform set a sphere of this radius, away from the faces, holds `within_` points.
    constexpr double sphere = 4.18879020478639098;
    const Real radius = static_cast<Real>(std::cbrt(
        static_cast<double>(within_) / static_cast<double>(n) * particles.box.volume() / sphere));
    session.report().results()["radius"] = radius;
    std::vector<Queries> orders;
    for (const std::string& order : chosen_orders_)
      orders.push_back({order, queries_in(order, session.options(), points), {}});
    if (session.options().verify)
      for (Queries& order : orders)
        order.truth.emplace(points, order.points, static_cast<int>(nearest_), radius);
    std::vector<Answers> all;
    for (const Library& library : libraries()) {
      if (!contains(chosen_libraries_, library.name)) continue;
      if (library_ == "all" && library.on_backend == on_host(session)) continue;
      if (!library.on_backend && !on_host(session))
        throw InputError(fmt::format("--library {} runs on the host, not with --backend {}",
                                     library.name, session.options().backend));
      if (nearest_ <= library.most_neighbors) {
        measure(session, library, points, orders, radius, all);
      } else if (library_ == "all") {
        session.print(fmt::format("{} is omitted: it finds at most {} neighbours here",
                                  library.name, library.most_neighbors));
      } else {
        throw InputError(fmt::format("--nearest: {} finds at most {} neighbours here", library.name,
                                     library.most_neighbors));
      }
    }
    compare(session, points, orders, radius, all);
  }

 private:
  static bool on_host(const app::Session& session) {
    bool found = false;
    dispatch_backend(session.options().backend,
                     [&]<class Space>(const Space&) { found = runs_on_host<Space>; });
    return found;
  }

  static std::vector<Point> points_of(const Particles<Kokkos::HostSpace>& particles) {
    const auto& x = particles.position;
    std::vector<Point> points(particles.size());
    for (Count i = 0; i < points.size(); ++i) points[i] = {x(i, 0), x(i, 1), x(i, 2)};
    return points;
  }

  static std::vector<Point> queries_in(const std::string& order, const app::CommonOptions& options,
                                       const std::vector<Point>& points) {
    if (order == "input") return points;
    if (order == "elsewhere") {
      GeneratorOptions others;
      others.kind = options.generate;
      others.particles = points.size();
      others.seed = options.seed + 1;
      if (options.halo_fraction) others.model.halo_fraction = *options.halo_fraction;
      return points_of(generate(Kokkos::DefaultHostExecutionSpace{}, others, 0, points.size()));
    }
    std::vector<Point> queries;
    for (const LocalIndex row : tree_order(points)) queries.push_back(points[row]);
    return queries;
  }

  Seconds measured(app::Session& session, const std::string& label,
                   const std::function<void()>& body) const {
    std::vector<double> cpu;
    const double wall =
        session
            .measure(label,
                     [&](int run) {
                       const std::clock_t begin = std::clock();
                       body();
                       const std::clock_t end = std::clock();
                       if (run >= 0)
                         cpu.push_back(static_cast<double>(end - begin) / CLOCKS_PER_SEC);
                     })
            .median();
    return {wall, app::Samples{cpu}.median()};
  }

  void measure(app::Session& session, const Library& library, const std::vector<Point>& points,
               const std::vector<Queries>& orders, Real radius, std::vector<Answers>& all) const {
    const auto search = library.make(session.options().backend);
    const std::string name(library.name);
    const int k = static_cast<int>(nearest_);
    const int leaf = leaf_points_ > 0 ? leaf_points_ : library.leaf_points;
    const int threads = search->threads();
    const double queries = static_cast<double>(points.size());
    auto& results = session.report().results()[name];
    results["threads"] = threads;
    results["leaf_points"] = leaf;
    search->send_points(points);
    const Seconds build =
        measured(session, "peer::" + name + "::build", [&] { search->build(points, leaf); });
    results["build_cpu_seconds"] = build.cpu;
    session.print(fmt::format("{}: {} threads, build {:.3f} s, CPU {:.3f} s", name, threads,
                              build.wall, build.cpu));
    for (const Queries& order : orders) {
      Answers answers{name, order.order, threads, library.ours, build, {}, {}, {}, {}};
      answers.rows.resize(points.size() * nearest_);
      answers.counts.resize(points.size());
      const std::string nearest_label = fmt::format("peer::{}::nearest_{}", name, order.order);
      const std::string count_label = fmt::format("peer::{}::count_{}", name, order.order);
      search->send_queries(order.points);
      answers.nearest =
          measured(session, nearest_label, [&] { search->nearest(order.points, k, answers.rows); });
      search->fetch_rows(answers.rows);
      answers.count = measured(session, count_label,
                               [&] { search->count(order.points, radius, answers.counts); });
      search->fetch_counts(answers.counts);
      results["pairs"] = std::accumulate(answers.counts.begin(), answers.counts.end(), Count{0});
      results["nearest_" + order.order + "_cpu_seconds"] = answers.nearest.cpu;
      results["count_" + order.order + "_cpu_seconds"] = answers.count.cpu;
      session.report().add_figure_of_merit(nearest_label, queries / answers.nearest.wall,
                                           "queries/s");
      session.report().add_figure_of_merit(count_label, queries / answers.count.wall, "queries/s");
      session.print(
          fmt::format("{}, queries in {} order: {} nearest {:.3f} s, CPU {:.3f} s; count {:.3f} s, "
                      "CPU {:.3f} s",
                      name, order.order, k, answers.nearest.wall, answers.nearest.cpu,
                      answers.count.wall, answers.count.cpu));
      app::corruptible(answers);
      if (order.truth) {
        const AnswerErrors wrong = order.truth->errors_of(answers.rows, answers.counts);
        session.verification().check(nearest_label, wrong.nearest, nearest_tolerance);
        session.verification().check(count_label, wrong.radius, radius_tolerance);
      }
      all.push_back(std::move(answers));
    }
  }

  void compare(app::Session& session, const std::vector<Point>& points,
               const std::vector<Queries>& orders, Real radius,
               const std::vector<Answers>& all) const {
    for (const Answers& ours : all)
      for (const Answers& theirs : all) {
        if (!ours.ours || theirs.ours || ours.order != theirs.order ||
            ours.threads != theirs.threads)
          continue;
        const std::string name = ours.library + "::" + theirs.library;
        const auto& queries = std::find_if(orders.begin(), orders.end(), [&](const Queries& q) {
                                return q.order == ours.order;
                              })->points;
        const Disagreement differ =
            disagreement(points, queries, static_cast<int>(nearest_), radius, ours, theirs);
        const std::string nearest = name + "::nearest_" + ours.order;
        const std::string count = name + "::count_" + ours.order;
        session.verification().check("unlike::" + nearest, differ.nearest, nearest_tolerance);
        session.verification().check("unlike::" + count, differ.radius, radius_tolerance);
        session.report().results()["unequal_counts"][name][ours.order] = differ.counts;
        add_speedups(session, nearest, ours, theirs, &Answers::nearest);
        add_speedups(session, count, ours, theirs, &Answers::count);
      }
  }

  static void add_speedups(app::Session& session, const std::string& name, const Answers& ours,
                           const Answers& theirs, Seconds Answers::*search) {
    const Seconds& our = ours.*search;
    const Seconds& their = theirs.*search;
    const auto add = [&](const std::string& what, double their_seconds, double our_seconds) {
      // The CPU clock does not resolve a microsecond.
      if (our_seconds > 0)
        session.report().add_figure_of_merit(what + "::" + name, their_seconds / our_seconds, "x");
    };
    add("speedup", their.wall, our.wall);
    add("speedup_with_build", their.wall + theirs.build.wall, our.wall + ours.build.wall);
    add("cpu_speedup", their.cpu, our.cpu);
    add("cpu_speedup_with_build", their.cpu + theirs.build.cpu, our.cpu + ours.build.cpu);
  }

  std::string library_ = "all";
  std::string query_order_ = "all";
  std::vector<std::string> chosen_libraries_;
  std::vector<std::string> chosen_orders_;
  Count nearest_ = 8;
  Count within_ = 34;
  int leaf_points_ = 0;
};

}  // namespace
}  // namespace copse::peers

int main(int argc, char** argv) {
  copse::peers::PeerNeighbors peer;
  return copse::app::run_main(argc, argv, peer);
}
