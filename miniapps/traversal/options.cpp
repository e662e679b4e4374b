#include "options.hpp"

#include "benchmarks/benchmarks.hpp"
#include <copse/backend/dimensions.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/point_models.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace copse::traversal {
namespace {

std::vector<std::string> names_and(std::vector<std::string> names,
                                   const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

/// An option that only some benchmarks have.
struct OwnedOption {
  const char* name;
  std::vector<std::string> benchmarks;
};

const std::vector<OwnedOption>& owned_options() {
  static const std::vector<std::string> of_points{"point-correlation", "nearest-neighbor", "knn",
                                                  "ball-tree", "vantage-point"};
  static const std::vector<OwnedOption> owned{
      {"--tree", {"point-correlation", "nearest-neighbor", "knn"}},
      {"--neighbors", {"knn"}},
      {"--from-root", {"nearest-neighbor", "knn", "ball-tree", "vantage-point"}},
      {"--radius", {"point-correlation"}},
      {"--mean-neighbors", {"point-correlation"}},
      {"--correlation", {"point-correlation"}},
      {"--theta", {"barnes-hut"}},
      {"--softening", {"barnes-hut"}},
      {"--monopole", {"barnes-hut"}},
      {"--columns", of_points},
      {"--project", of_points}};
  return owned;
}

/// Those whose packets can walk as one.
const std::vector<std::string>& benchmarks_with_groups() {
  static const std::vector<std::string> with{"point-correlation", "nearest-neighbor", "knn",
                                             "barnes-hut"};
  return with;
}
bool has_groups(const std::string& benchmark) {
  const auto& with = benchmarks_with_groups();
  return std::find(with.begin(), with.end(), benchmark) != with.end();
}

/// CLI11's ranges let through what is not a number.
void refuse_not_a_number(const char* option, double value) {
  if (std::isnan(value)) throw InputError(fmt::format("{} is not a number", option));
}

}  // namespace

bool Options::has(const std::string& option, const std::string& benchmark) {
  for (const OwnedOption& owned : owned_options())
    if (option == owned.name)
      return std::find(owned.benchmarks.begin(), owned.benchmarks.end(), benchmark) !=
             owned.benchmarks.end();
  return true;
}

void Options::declare(CLI::App& cli) {
  cli_ = &cli;
  app::add_choice_option(cli, "--benchmark", values_.benchmark, benchmark_names(),
                         "What the queries ask");
  app::add_count_option(cli, "--dimension", dimension_, "Dimension of the points");
  app::add_choice_option(cli, "--walk", walk_, names_and(walk_names(), {"auto", "all"}),
                         "How the tree is walked; auto: group where packets of a GPU lie together, "
                         "else fsm; all: each, but group in the order of the input");
  app::add_choice_option(cli, "--schedule", schedule_, names_and(schedule_names(), {"all"}),
                         "The order of the queries");
  app::add_choice_option(cli, "--scheduler", scheduler_, {"device", "host"},
                         "Who makes hybrid schedules: the backend, or the host as published");
  app::add_count_option(cli, "--profile-depth", profile_depth_,
                        "Depth of the top tree that is inspected; 0: a third of the tree's, or all "
                        "of it if --profile-steps is 0 and the backend schedules guided walks",
                        0);
  app::add_count_option(cli, "--profile-steps", values_.profile.steps,
                        "Top leaves recorded of a query of a guided walk; 0: the first alone on "
                        "the backend, 4 on the host",
                        0);
  app::add_count_option(cli, "--profile-memory", values_.profile.memory,
                        "Bytes that the scheduling matrix may take on the backend");
  app::add_choice_option(cli, "--tree", tree_, box_tree_names(),
                         "What orders the points of a tree of boxes; auto: the backend's best");
  app::add_count_option(cli, "--bucket-size", bucket_size_,
                        "Points in a leaf of the tree; 0: 32, and 16 of barnes-hut", 0);
  app::add_choice_option(cli, "--queries", queries_, {"own", "split"},
                         "All points, or a random half that asks the other half");
  app::add_count_option(cli, "--neighbors", values_.neighbors, "Neighbours of a knn query");
  cli.add_flag("--from-root", values_.from_root,
               "Points of the tree look for neighbours from the root, not from their own leaf");
  cli.add_option("--radius", values_.radius,
                 "Radius of point-correlation; without, see --mean-neighbors")
      ->check(CLI::NonNegativeNumber);
  cli.add_option("--mean-neighbors", values_.mean_neighbors,
                 "Points within the radius if they were uniform in their box")
      ->check(CLI::PositiveNumber);
  cli.add_flag("--correlation", correlate_,
               "Of point-correlation: the correlation function by pairs with random points");
  app::add_count_option(cli, "--bins", correlation_.bins,
                        fmt::format("Bins of separations of --correlation, logarithmic, up to {}",
                                    most_separation_bins));
  cli.add_option("--min-separation", correlation_.least,
                 "Least separation of --correlation; without: a hundredth of the largest")
      ->check(CLI::PositiveNumber);
  cli.add_option("--max-separation", correlation_.most,
                 "Largest separation of --correlation; without: a twentieth of the box's shortest "
                 "side")
      ->check(CLI::PositiveNumber);
  app::add_count_option(cli, "--random-factor", correlation_.random_factor,
                        "Random points of --correlation for each point");
  cli.add_option("--theta", values_.theta, "Opening angle of barnes-hut")
      ->check(CLI::Range(0.0, 2.0));
  cli.add_option("--softening", values_.softening, "Plummer softening length of barnes-hut")
      ->check(CLI::NonNegativeNumber);
  cli.add_flag("--monopole", values_.monopole, "Leave out the quadrupoles of barnes-hut");
  cli.add_option("--columns", values_.columns, "Columns of a text --input: 1-7 or lat,lon");
  cli.add_flag("--project", values_.project,
               "Project the rows of --input at random to --dimension numbers");
  cli.add_flag("--trace", values_.trace,
               "Report which queries of one packet visit which nodes in lockstep, on a host");
  cli.add_option("--sabotage", values_.sabotage, "Corrupt the result before --verify")->group("");
}

Request Options::request(const app::CommonOptions& common) const {
  refuse_impossible(common);
  refuse_without_effect(common);
  if (correlate_) check_correlation(common);
  Request request = values_;
  request.dimension = static_cast<int>(dimension_);
  request.tree = box_tree_named(tree_);
  if (request.tree == BoxTreeKind::automatic) request.tree = best_box_tree(common.backend);
  request.bucket_size = static_cast<std::uint32_t>(bucket_size_);
  request.profile.depth = static_cast<int>(profile_depth_);
  request.on_host = scheduler_ == "host";
  request.split_queries = queries_ == "split";
  request.walks = walks(common);
  request.all_walks = walk_ == "all";
  request.schedules = schedules();
  if (correlate_) request.correlation = correlation_;
  return request;
}

void Options::refuse_impossible(const app::CommonOptions& common) const {
  if (dimension_ < 1 || dimension_ > 8)
    throw InputError(fmt::format("--dimension {} is not from 1 to 8", dimension_));
  dispatch_dimension(static_cast<int>(dimension_), [](auto) {});
  if (bucket_size_ > 65536)
    throw InputError(fmt::format("--bucket-size {} is more than the largest, 65536", bucket_size_));
  if (profile_depth_ > 15)
    throw InputError(
        fmt::format("--profile-depth {} is more than the largest, 15", profile_depth_));
  if (values_.neighbors > 32)
    throw InputError(
        fmt::format("--neighbors {} is more than the largest number, 32", values_.neighbors));
  refuse_not_a_number("--radius", values_.radius.value_or(0));
  refuse_not_a_number("--mean-neighbors", values_.mean_neighbors);
  refuse_not_a_number("--min-separation", correlation_.least.value_or(0));
  refuse_not_a_number("--max-separation", correlation_.most.value_or(0));
  refuse_not_a_number("--theta", values_.theta);
  refuse_not_a_number("--softening", values_.softening);
  if (!common.input)
    check_point_model({common.generate, common.particles, common.seed},
                      static_cast<int>(dimension_));
  if (common.dry_run && common.input)
    throw InputError("--dry-run knows no sizes of files: give --particles instead of --input");
}

void Options::refuse_without_effect(const app::CommonOptions& common) const {
  for (const OwnedOption& option : owned_options())
    if (given(option.name) && !has(option.name, values_.benchmark))
      throw InputError(fmt::format("{} is an option of {}, not of {}", option.name,
                                   fmt::join(option.benchmarks, ", "), values_.benchmark));
  if (given("--radius") && given("--mean-neighbors"))
    throw InputError("--radius and --mean-neighbors exclude each other: give one of them");
  for (const char* option : {"--bins", "--min-separation", "--max-separation", "--random-factor"})
    if (given(option) && !correlate_)
      throw InputError(fmt::format("{} belongs to --correlation", option));
  for (const char* option : {"--radius", "--mean-neighbors"})
    if (given(option) && correlate_)
      throw InputError(fmt::format(
          "{} is for counts within one radius: --correlation has --max-separation", option));
  if (!common.input && (!values_.columns.empty() || values_.project))
    throw InputError("--columns and --project belong to --input");
  if (common.box && values_.benchmark != "barnes-hut" && !correlate_)
    throw InputError("--box is for barnes-hut and --correlation: other benchmarks know no box");
  if (values_.from_root && queries_ == "split")
    throw InputError("--from-root is for --queries own: others begin at the root anyway");
  if (values_.trace && (common.backend == "cuda" || (walk_ != "lockstep" && walk_ != "all")))
    throw InputError("--trace follows --walk lockstep on a host");
  if (values_.trace && !common.json) throw InputError("--trace needs --json, where it goes");
  if (common.output) throw InputError("traversal writes no --output; results are in --json");
  if (!values_.sabotage.empty() && !common.verify)
    throw InputError("--sabotage makes sense only with --verify");
}

void Options::check_correlation(const app::CommonOptions& common) const {
  if (queries_ == "split")
    throw InputError("--correlation has no --queries split: the pairs of all points count");
  if (common.box && dimension_ != 3)
    throw InputError(
        "--box has three dimensions: in others the random points of --correlation "
        "fill the bounding box of the data");
  if (common.box)
    for (const bool periodic : common.box->periodic)
      if (periodic) throw InputError("--correlation measures separations in no periodic --box");
  // Separations that depend on the points are checked when these are there.
  if (correlation_.bins > most_separation_bins)
    throw InputError(fmt::format("--bins {} is more than the largest number, {}", correlation_.bins,
                                 most_separation_bins));
  if (correlation_.most) separation_edges(correlation_, *correlation_.most);
}

std::vector<WalkKind> Options::walks(const app::CommonOptions& common) const {
  const bool on_device = common.backend == "cuda";
  if (on_device && walk_ == "recursive")
    throw InputError("--walk recursive runs on hosts only, not on --backend cuda");
  const bool groups = has_groups(values_.benchmark) && !correlate_;
  if (walk_ == "group" && !groups)
    throw InputError(fmt::format("--walk group is for --benchmark {}, and not for --correlation",
                                 fmt::join(benchmarks_with_groups(), ", ")));
  if (walk_ == "auto") {
    const bool together = queries_ == "own" && (schedule_ == "auto" || schedule_ == "sorted");
    return {on_device && groups && together ? WalkKind::group : WalkKind::fsm};
  }
  if (walk_ != "all") return {walk_named(walk_)};
  std::vector<WalkKind> all{WalkKind::lockstep, WalkKind::fsm, WalkKind::stack};
  if (groups) all.push_back(WalkKind::group);
  if (!on_device) all.push_back(WalkKind::recursive);
  return all;
}

std::vector<ScheduleKind> Options::schedules() const {
  if (schedule_ != "all") return {schedule_named(schedule_)};
  return {ScheduleKind::none, ScheduleKind::sorted, ScheduleKind::hybrid, ScheduleKind::automatic};
}

bool Options::given(const std::string& option) const {
  return cli_->count(option) > 0;
}

}  // namespace copse::traversal
