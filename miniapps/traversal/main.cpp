/// \file
/// traversal: many queries walk one tree, in four ways and in the order of three schedules.

#include "benchmarks/benchmarks.hpp"
#include "request.hpp"
#include <copse/app/mini_app.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/point_models.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace copse::traversal {
namespace {

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const BenchmarkInfo& info : benchmarks()) names.push_back(info.name);
  return names;
}

std::vector<std::string> with_all(std::vector<std::string> names) {
  names.push_back("all");
  return names;
}

class Traversal final : public app::MiniApp {
 public:
  std::string name() const override { return "traversal"; }

  std::string description() const override {
    return "Tree traversals of many queries: four walks, and schedules that group queries which "
           "visit the same nodes.";
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
    std::vector<std::string> lines{"benchmarks (--benchmark):"};
    for (const BenchmarkInfo& info : benchmarks())
      lines.push_back(fmt::format("  {:<19}{}", info.name, info.description));
    for (const char* line :
         {"walks (--walk):",
          "  recursive          each query calls a function for every child; hosts only",
          "  ropes              each query has a stack of its own",
          "  lockstep           a packet shares a stack of nodes and masks (Goldfarb et al.)",
          "  fsm                a packet shares a stack of nodes; queries remember where they left",
          "  group              a packet opens what any of its queries must; barnes-hut only",
          "schedules (--schedule):", "  none               the order of the input",
          "  sorted             tree order, or along a Hilbert curve if the queries are others",
          "  hybrid             as an inspection of the top of the tree suggests",
          "  auto               hybrid, unless a probe finds nothing to gain"})
      lines.emplace_back(line);
    lines.emplace_back("points (--generate):");
    for (const std::string& model : generators())
      lines.push_back(fmt::format("  {:<19}{}", model, point_model_description(model)));
    return lines;
  }

  void add_options(CLI::App& cli) override {
    app::add_choice_option(cli, "--benchmark", request_.benchmark, benchmark_names(),
                           "What the queries ask");
    app::add_count_option(cli, "--dimension", dimension_, "Dimension of the points");
    app::add_choice_option(cli, "--walk", walk_, with_all(walk_names()), "How the tree is walked");
    app::add_choice_option(cli, "--schedule", schedule_, with_all(schedule_names()),
                           "The order of the queries");
    app::add_choice_option(cli, "--scheduler", scheduler_, {"device", "host"},
                           "Who makes hybrid schedules: the backend by signatures, or the host as "
                           "published");
    app::add_count_option(cli, "--profile-depth", profile_depth_,
                          "Depth of the top tree that is inspected; 0: a third of the tree's", 0);
    app::add_count_option(cli, "--profile-steps", request_.profile.steps,
                          "Top leaves recorded of a query of a guided walk");
    app::add_count_option(cli, "--profile-memory", request_.profile.memory,
                          "Bytes that the scheduling matrix may take on the backend");
    app::add_count_option(cli, "--bucket-size", bucket_size_,
                          "Points in a leaf of the tree; 0: 32, and 16 of barnes-hut", 0);
    app::add_choice_option(cli, "--queries", queries_, {"own", "split"},
                           "All points, or a random half that asks the other half");
    app::add_count_option(cli, "--neighbors", request_.neighbors, "Neighbours of a knn query");
    cli.add_option("--radius", request_.radius,
                   "Radius of point-correlation; without, see --mean-neighbors")
        ->check(CLI::NonNegativeNumber);
    cli.add_option("--mean-neighbors", request_.mean_neighbors,
                   "Points within the radius if they were uniform in their box")
        ->check(CLI::PositiveNumber);
    cli.add_option("--theta", request_.theta, "Opening angle of barnes-hut")
        ->check(CLI::Range(0.0, 2.0));
    cli.add_option("--softening", request_.softening, "Plummer softening length of barnes-hut")
        ->check(CLI::NonNegativeNumber);
    cli.add_flag("--monopole", request_.monopole, "Leave out the quadrupoles of barnes-hut");
    cli.add_option("--columns", request_.columns, "Columns of a text --input: 1-7 or lat,lon");
    cli.add_flag("--project", request_.project,
                 "Project the rows of --input at random to --dimension numbers");
    cli.add_option("--sabotage", request_.sabotage, "Corrupt the result before --verify")
        ->group("");
  }

  void validate(const app::CommonOptions& options) override {
    if (dimension_ < 1 || dimension_ > 8)
      throw InputError(fmt::format("--dimension {} is not from 1 to 8", dimension_));
    request_.dimension = static_cast<int>(dimension_);
    dispatch_dimension(request_.dimension, [](auto) {});
    if (bucket_size_ > 65536)
      throw InputError(
          fmt::format("--bucket-size {} is more than the largest, 65536", bucket_size_));
    request_.bucket_size = static_cast<std::uint32_t>(bucket_size_);
    if (profile_depth_ > 15)
      throw InputError(
          fmt::format("--profile-depth {} is more than the largest, 15", profile_depth_));
    request_.profile.depth = static_cast<int>(profile_depth_);
    request_.on_host = scheduler_ == "host";
    request_.split_queries = queries_ == "split";
    request_.walks = walks(options);
    request_.schedules = schedules();
    if (!options.input) {
      if (!request_.columns.empty() || request_.project)
        throw InputError("--columns and --project belong to --input");
      check_point_model({options.generate, options.particles, options.seed}, request_.dimension);
    }
    if (options.dry_run && options.input)
      throw InputError("--dry-run knows no sizes of files: give --particles instead of --input");
    if (request_.neighbors > 32)
      throw InputError(
          fmt::format("--neighbors {} is more than the largest number, 32", request_.neighbors));
    if (options.output) throw InputError("traversal writes no --output; results are in --json");
    if (!request_.sabotage.empty() && !options.verify)
      throw InputError("--sabotage makes sense only with --verify");
  }

  void run(app::Session& session) override {
    if (session.ranks() > 1)
      throw InputError("traversal runs on one rank; start it without mpirun");
    if (session.options().dry_run) return estimate(session);
    for (const BenchmarkInfo& info : benchmarks())
      if (info.name == request_.benchmark) info.run(session, request_);
  }

 private:
  std::vector<WalkKind> walks(const app::CommonOptions& options) const {
    const bool on_device = options.backend == "cuda";
    if (on_device && walk_ == "recursive")
      throw InputError("--walk recursive runs on hosts only, not on --backend cuda");
    const bool groups = request_.benchmark == "barnes-hut";
    if (walk_ == "group" && !groups)
      throw InputError("--walk group is for --benchmark barnes-hut alone");
    if (walk_ != "all") return {walk_named(walk_)};
    std::vector<WalkKind> all{WalkKind::lockstep, WalkKind::fsm, WalkKind::ropes};
    if (groups) all.push_back(WalkKind::group);
    if (!on_device) all.push_back(WalkKind::recursive);
    return all;
  }

  std::vector<ScheduleKind> schedules() const {
    if (schedule_ != "all") return {schedule_named(schedule_)};
    return {ScheduleKind::none, ScheduleKind::sorted, ScheduleKind::hybrid,
            ScheduleKind::automatic};
  }

  /// Points, tree and results, each of which the backend holds.
  void estimate(app::Session& session) const {
    const Count n = session.options().particles;
    const Count d = static_cast<Count>(request_.dimension);
    const Count bucket = std::max<Count>(bucket_size_ > 0 ? bucket_size_ : 32, 1);
    const Count row = (3 * d + d) * sizeof(Real) + 4 * sizeof(LocalIndex);
    const Count results = request_.benchmark == "knn" ? request_.neighbors * 8 : 8;
    const Count bytes = n * (row + results + 12) + 4 * n / bucket * (2 * d + 8) * sizeof(Real);
    session.print(fmt::format("{} points in {}-D: {} in the memory of {}", n, d,
                              app::format_bytes(static_cast<double>(bytes)),
                              session.options().backend));
    session.report().results()["estimated_bytes"] = bytes;
  }

  Request request_;
  Count dimension_ = 3;
  Count bucket_size_ = 0;
  Count profile_depth_ = 0;
  std::string walk_ = "fsm";
  std::string schedule_ = "auto";
  std::string scheduler_ = "device";
  std::string queries_ = "own";
};

}  // namespace
}  // namespace copse::traversal

int main(int argc, char** argv) {
  copse::traversal::Traversal traversal;
  return copse::app::run_main(argc, argv, traversal);
}
