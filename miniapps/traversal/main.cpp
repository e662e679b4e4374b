/// \file
/// traversal: many queries walk one tree, with five walks and three schedules.

#include "benchmark.hpp"
#include "request.hpp"
#include <copse/app/choices.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/point_models.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace copse::traversal {
namespace {

class Traversal final : public app::MiniApp {
 public:
  std::string name() const override { return "traversal"; }

  std::string description() const override {
    return "Traverses trees for many queries, with several walks and with schedules that group "
           "queries that visit the same nodes.";
  }

  std::vector<std::string> generators() const override {
    std::vector<std::string> names;
    for_each_dimension([&](auto dim) {
      for (const std::string& model : point_model_names(dim()))
        if (std::find(names.begin(), names.end(), model) == names.end()) names.push_back(model);
    });
    return names;
  }

  std::vector<std::string> list() const override {
    std::vector<std::string> lines = app::list_of("benchmarks (--benchmark):", benchmarks());
    for (const char* line :
         {"walks (--walk):",
          "  recursive          each query calls a function for every child; hosts only",
          "  ropes              each query has its own stack",
          "  lockstep           a packet shares a stack of nodes and masks (Goldfarb et al.)",
          "  fsm                a packet shares a stack of nodes; queries remember where they left "
          "it",
          "  group              a packet walks as one box; not for ball and vantage-point trees",
          "schedules (--schedule):", "  none               the order of the input",
          "  sorted             tree order, or a Hilbert curve if queries are not points of the "
          "tree",
          "  hybrid             the order found by inspecting the top of the tree",
          "  auto               none if the input is in order (not for group), else sorted, or "
          "by first leaves"})
      lines.emplace_back(line);
    lines.emplace_back("points (--generate):");
    for (const std::string& model : generators())
      lines.push_back(fmt::format("  {:<19}{}", model, point_model_description(model)));
    return lines;
  }

  void add_options(CLI::App& cli) override { request_.declare(cli); }

  void validate(const app::CommonOptions& options) override { request_.settle(options); }

  void run(app::Session& session) override {
    if (session.ranks() > 1)
      throw InputError("traversal runs on one rank; start it without mpirun");
    if (session.options().dry_run) return estimate(session);
    if (request_.has("--tree")) session.report().results()["tree"] = request_.tree;

    const auto benchmark =
        app::entry_named(benchmarks(), "benchmark", request_.benchmark).load(session, request_);
    const auto build = session.measure("copse::traversal::build", [&](int) { benchmark->build(); });
    const auto measured = benchmark->walk_all();
    benchmark->verify(measured);
    benchmark->report(measured, build.median());
  }

 private:
  /// Memory for points, tree and results on the backend.
  void estimate(app::Session& session) const {
    Count n = session.options().used_particles();
    if (request_.correlation) n += request_.random_points(n);
    const Count d = request_.dimension;
    const Count bucket = request_.bucket_size > 0 ? request_.bucket_size : 32;
    const Count row = (3 * d + d) * sizeof(Real) + 4 * sizeof(LocalIndex);
    const Count results = request_.benchmark == "knn" ? request_.neighbors * 8 : 8;
    const Count bytes = n * (row + results + 12) + 4 * n / bucket * (2 * d + 8) * sizeof(Real);
    session.report_estimate(fmt::format("{} points in {}-D", n, d), bytes);
  }

  Request request_;
};

}  // namespace
}  // namespace copse::traversal

int main(int argc, char** argv) {
  copse::traversal::Traversal traversal;
  return copse::app::run_main(argc, argv, traversal);
}
