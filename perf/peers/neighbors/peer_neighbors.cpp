/// \file
/// peer_neighbors: the k nearest neighbours of every point, and how many points lie within a
/// radius, by kd-trees of other libraries.
///
/// Every point is a query. Each search is measured with the queries in the order of the input,
/// which generators make random, and along the leaves of a kd-tree, where the queries that follow
/// each other visit the same nodes. Times of a search do not include building trees or ordering
/// queries.

#include "brute_force.hpp"
#include "neighbor_search.hpp"
#include "tree_order.hpp"
#include <copse/app/mini_app.hpp>
#include <copse/backend/error.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numeric>
#include <string>

namespace copse::peers {
namespace {

struct Queries {
  std::string order;  ///< "input" or "tree"
  std::vector<Point> points;
};

class PeerNeighbors final : public app::MiniApp {
 public:
  std::string name() const override { return "peer_neighbors"; }
  std::string description() const override {
    return "Nearest neighbours and counts within a radius by other libraries' kd-trees.";
  }
  std::vector<std::string> list() const override {
    std::vector<std::string> names;
    for (const Library& library : libraries()) names.emplace_back(library.name);
    return names;
  }
  void add_options(CLI::App& cli) override {
    std::vector<std::string> names = list();
    names.insert(names.begin(), "all");
    app::add_choice_option(cli, "--library", library_, names, "Library that searches");
    app::add_count_option(cli, "--nearest", nearest_,
                          "Neighbours k of each point, itself included");
    app::add_count_option(cli, "--within", within_,
                          "Points a sphere of the search radius holds on average");
  }
  void validate(const app::CommonOptions&) override {
    if (nearest_ > 1024) throw InputError("--nearest is more than 1024");
  }

  void run(app::Session& session) override {
    if (session.ranks() > 1) throw InputError("peer_neighbors runs on one rank");
    if (session.options().dry_run) return;
    const auto particles = session.load_particles(Kokkos::DefaultHostExecutionSpace{});
    const Count n = particles.size();
    if (n < nearest_) throw InputError("--nearest is more than there are particles");
    if (n > Count{1} << 31) throw InputError("ANN counts points in 31 bits");
    std::vector<Point> points(n);
    for (Count i = 0; i < n; ++i)
      points[i] = {particles.position(i, 0), particles.position(i, 1), particles.position(i, 2)};
    // Of a uniform set a sphere of this radius, away from the faces, holds `within_` points.
    constexpr double sphere = 4.18879020478639098;
    const Real radius = static_cast<Real>(std::cbrt(
        static_cast<double>(within_) / static_cast<double>(n) * particles.box.volume() / sphere));
    session.report().results()["radius"] = radius;
    std::vector<Queries> orders{{"input", points}, {"tree", {}}};
    for (const LocalIndex row : tree_order(points)) orders[1].points.push_back(points[row]);
    for (const Library& library : libraries())
      if (library_ == "all" || library_ == library.name)
        measure(session, library, points, orders, radius);
  }

 private:
  void measure(app::Session& session, const Library& library, const std::vector<Point>& points,
               const std::vector<Queries>& orders, Real radius) const {
    const auto search = library.make();
    const std::string name(library.name);
    const int k = static_cast<int>(nearest_);
    const double queries = static_cast<double>(points.size());
    auto& results = session.report().results()[name];
    results["threaded"] = search->threaded();
    const double build =
        session.measure("peer::" + name + "::build", [&](int) { search->build(points); }).median();
    session.print(fmt::format("{}: build {:.3f} s", name, build));
    for (const Queries& order : orders) {
      std::vector<LocalIndex> rows(points.size() * nearest_);
      std::vector<LocalIndex> counts(points.size());
      const std::string nearest_label = fmt::format("peer::{}::nearest_{}", name, order.order);
      const std::string count_label = fmt::format("peer::{}::count_{}", name, order.order);
      const double nearest_seconds =
          session.measure(nearest_label, [&](int) { search->nearest(order.points, k, rows); })
              .median();
      const double count_seconds =
          session.measure(count_label, [&](int) { search->count(order.points, radius, counts); })
              .median();
      results["pairs"] = std::accumulate(counts.begin(), counts.end(), Count{0});
      session.report().add_figure_of_merit(nearest_label, queries / nearest_seconds, "queries/s");
      session.report().add_figure_of_merit(count_label, queries / count_seconds, "queries/s");
      session.print(fmt::format("{}, queries in {} order: {} nearest {:.3f} s, count {:.3f} s",
                                name, order.order, k, nearest_seconds, count_seconds));
      if (!session.options().verify) continue;
      const Findings wrong =
          compare_with_brute_force(points, order.points, k, rows, radius, counts);
      session.verification().check(nearest_label, static_cast<double>(wrong.nearest));
      session.verification().check(count_label, static_cast<double>(wrong.counts));
    }
  }

  std::string library_ = "all";
  Count nearest_ = 8;
  Count within_ = 34;
};

}  // namespace
}  // namespace copse::peers

int main(int argc, char** argv) {
  copse::peers::PeerNeighbors peer;
  return copse::app::run_main(argc, argv, peer);
}
