/// \file
/// peer_groups: groups of friends by fof's default method, by spanning trees and by the programs of
/// others, on the same particles in the same run.
///
/// Without `--library` all others are measured.
///
/// | name | what | backends |
/// |---|---|---|
/// | copse | leaf-pairs | all |
/// | emst_boruvka | spanning trees that grow up to the linking length | all |
/// | copse_mst | the tree of all particles with sorted edges, cut at the linking length | all |
/// | arborx, arborx_dense_box | ArborX's DBSCAN, both implementations | all |
/// | arborx_mst | ArborX's tree of all particles, cut at the linking length | all |
/// | washington | the University of Washington's `fof`, one thread | serial |
///
/// Every finder starts from particles in the memory of its backend and in its own layout, and
/// builds its tree anew; the memory of fof's own is kept between runs, as its interface provides.
/// The box is not periodic. Times are compared only if all groups are equal, and the total lengths
/// of the trees of all particles.

#include "../name_list.hpp"
#include "group_finder.hpp"
#include <copse/app/coordinate_checksum.hpp>
#include <copse/app/corruptible.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <fof/verify.hpp>
#include <functional>

namespace copse::peers {
namespace {

/// The most by which total lengths of spanning trees may differ, as a part of the length. They
/// differed by at most 5.3e-14, the rounding of sums in different orders (134 runs with 300 to 10^6
/// particles, uniform, normal, plummer, soneira-peebles and nfw, serial and openmp).
constexpr double length_tolerance = 2e-13;

struct Finder {
  std::string name;
  std::function<std::unique_ptr<GroupFinder>(const std::string& region)> make;
};

class PeerGroups final : public app::MiniApp {
 public:
  std::string name() const override { return "peer_groups"; }
  std::string description() const override {
    return "Friends of friends by fof and by other programs, on the same particles.";
  }
  void add_options(CLI::App& cli) override {
    cli.add_option("--b", b_, "Linking length in units of the mean separation")
        ->check(CLI::PositiveNumber);
    cli.add_option(
        "--library", library_,
        "Methods and programs beside fof's default: a list of names, or all; those that are not "
        "there are left out");
    cli.add_option("--washington", washington_,
                   "The program fof of the University of Washington, measured with --backend "
                   "serial; default: the environment variable COPSE_WASHINGTON_FOF");
  }
  void validate(const app::CommonOptions& options) override {
    chosen_ = chosen_names(
        "--library", library_,
        {"emst_boruvka", "copse_mst", "arborx", "arborx_dense_box", "arborx_mst", "washington"});
    if (!washington_.empty() && options.backend != "serial")
      throw InputError("--washington runs on one thread and is compared with --backend serial");
    const char* known = std::getenv("COPSE_WASHINGTON_FOF");
    if (washington_.empty() && known && options.backend == "serial") washington_ = known;
    if (!washington_.empty() && !std::filesystem::is_regular_file(washington_))
      throw InputError(fmt::format("--washington {}: there is no such file", washington_));
  }

  void run(app::Session& session) override {
    if (session.ranks() > 1) throw InputError("peer_groups runs on one rank");
    if (session.options().dry_run) return;
    const Kokkos::DefaultHostExecutionSpace host;
    auto particles = session.load_particles(host);
    const Count n = particles.size();
    if (n >= Count{1} << 31) throw InputError("ArborX numbers points in 31 bits");
    particles.box.periodic = {};
    const ClearProblem problem =
        clear_problem(particles, b_ * std::cbrt(particles.box.volume() / static_cast<double>(n)));
    session.record_input(particles.box, app::coordinate_checksum(host, particles.position));
    session.report().results()["linking_length"] = problem.length;

    std::vector<LocalIndex> ours;
    double our_seconds = 0;
    FirstTree first_tree;
    for (const Finder& finder : finders(session, problem)) {
      const std::string region = "peer::groups::" + finder.name;
      std::vector<LocalIndex> labels;
      TreeEdges tree;
      {
        const auto made = finder.make(region);
        session.measure("peer::run::" + finder.name, [&](int) { made->find(); });
        labels = smallest_members(made->names());
        app::corruptible(labels, finder.name);
        tree = made->tree();
      }
      const double seconds = session.last_samples(region).median();
      Count groups = 0;
      for (Count i = 0; i < n; ++i) groups += labels[i] == i;
      session.report().results()["finders"][finder.name]["groups"] = groups;
      session.print(fmt::format("{:<17} {} groups {:10.4f} s", finder.name, groups, seconds));
      if (ours.empty()) {
        ours = labels;
        our_seconds = seconds;
        continue;
      }
      Count unlike = 0;
      for (Count i = 0; i < n; ++i) unlike += labels[i] != ours[i];
      session.verification().check("labels_unlike_" + finder.name, static_cast<double>(unlike));
      session.report().add_figure_of_merit("speedup::" + finder.name, seconds / our_seconds, "x");
      if (!tree.empty()) compare_tree(session, problem, finder.name, tree, seconds, first_tree);
    }
    if (session.options().verify) verify(session, particles, problem, ours);
  }

 private:
  std::vector<Finder> finders(const app::Session& session, const ClearProblem& problem) const {
    const std::string& backend = session.options().backend;
    std::vector<Finder> found{{"copse", [=](const std::string& region) {
                                 return make_copse_groups(backend, problem, region, false);
                               }}};
    if (contains(chosen_, "emst_boruvka"))
      found.push_back({"emst_boruvka", [=](const std::string& region) {
                         return make_copse_groups(backend, problem, region, true);
                       }});
    if (contains(chosen_, "copse_mst"))
      found.push_back({"copse_mst", [=](const std::string& region) {
                         return make_copse_tree(backend, problem, region);
                       }});
#if defined(COPSE_HAVE_ARBORX)
    for (const bool dense_box : {false, true}) {
      const std::string name = dense_box ? "arborx_dense_box" : "arborx";
      if (contains(chosen_, name))
        found.push_back({name, [=](const std::string& region) {
                           return make_arborx_groups(backend, problem, region, dense_box);
                         }});
    }
    if (contains(chosen_, "arborx_mst"))
      found.push_back({"arborx_mst", [=](const std::string& region) {
                         return make_arborx_tree(backend, problem, region);
                       }});
#endif
    if (!washington_.empty() && contains(chosen_, "washington"))
      found.push_back({"washington", [=, this](const std::string& region) {
                         return make_washington_groups(washington_, problem, region);
                       }});
    return found;
  }

  /// The length of the first tree of a run, and the seconds that it took.
  struct FirstTree {
    double length = 0;
    double seconds = 0;
  };

  /// Checks that the edges are a tree of all particles, and compares it with the first one.
  static void compare_tree(app::Session& session, const ClearProblem& problem,
                           const std::string& name, TreeEdges& tree, double seconds,
                           FirstTree& first) {
    app::corruptible(tree, name);
    TreeSummary summary = summary_of(tree, problem);
    app::corruptible(summary, name);
    session.report().results()["finders"][name]["tree_length"] = summary.length;
    session.verification().check("tree_parts_too_many_" + name,
                                 static_cast<double>(summary.parts - 1));
    session.verification().check("tree_cycles_" + name, static_cast<double>(summary.cycles));
    if (first.seconds == 0) {
      first = {summary.length, seconds};
      return;
    }
    session.verification().check("tree_length_unlike_" + name,
                                 std::abs(summary.length - first.length),
                                 length_tolerance * first.length);
    session.report().add_figure_of_merit("tree_speedup::" + name, seconds / first.seconds, "x");
  }

  /// Compares fof's groups with its reference.
  static void verify(app::Session& session, const Particles<Kokkos::HostSpace>& particles,
                     const ClearProblem& problem, const std::vector<LocalIndex>& labels) {
    fof::LinkedInput input;
    input.particles = particles;
    input.links = {.length = problem.length, .velocity = std::numeric_limits<double>::infinity()};
    input.friendship = fof::make_friendship(input.links, particles.box);
    input.total_linked = particles.size();
    const fof::Labels<Kokkos::HostSpace> copy("peer::labels", labels.size());
    std::copy(labels.begin(), labels.end(), copy.data());
    session.print(fof::verify_labels(input, copy, session.verification()));
  }

  double b_ = 0.2;
  std::string library_ = "all";
  std::vector<std::string> chosen_;
  std::string washington_;
};

}  // namespace
}  // namespace copse::peers

int main(int argc, char** argv) {
  copse::peers::PeerGroups peer;
  return copse::app::run_main(argc, argv, peer);
}
