// Rejects options that a run would ignore.
#include "request.hpp"
#include <copse/backend/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace copse::traversal {
namespace {

/// An option that only some benchmarks have.
struct OwnedOption {
  const char* name;
  std::vector<std::string> benchmarks;
};

const std::vector<OwnedOption>& owned_options() {
  static const std::vector<std::string> of_points{"point-correlation", "nearest-neighbor", "knn",
                                                  "ball-tree", "vantage-point"};
  static const std::vector<std::string> of_neighbors{of_points.begin() + 1, of_points.end()};
  static const std::vector<OwnedOption> owned{
      {"--tree", {"point-correlation", "nearest-neighbor", "knn"}},
      {"--neighbors", {"knn"}},
      {"--from-root", of_neighbors},
      {"--profile-steps", of_neighbors},
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

}  // namespace

bool Request::has(const std::string& option) const {
  for (const OwnedOption& owned : owned_options())
    if (option == owned.name)
      return std::find(owned.benchmarks.begin(), owned.benchmarks.end(), benchmark) !=
             owned.benchmarks.end();
  return true;
}

void Request::refuse_unused_inspection(const app::CommonOptions& common) const {
  for (const char* option :
       {"--scheduler", "--profile-depth", "--profile-steps", "--profile-memory"})
    if (given(option) && (schedule == "none" || schedule == "sorted"))
      throw InputError(fmt::format("{} is for schedules that inspect walks, not for --schedule {}",
                                   option, schedule));
  const bool guided = has("--profile-steps");  // a neighbour search
  const bool by_first_leaf = guided && scheduler == "device" && profile.steps == 0;
  if (schedule == "auto") {
    // --schedule auto inspects only queries of --queries split that do not walk as groups. It sorts
    // queries by leaves only on a GPU, in trees of balls or shells. It inspects other guided walks
    // to the bottom of the tree (BenchmarkRun::probe).
    const bool on_device = common.backend == "cuda";
    const bool by_leaves = on_device && (benchmark == "ball-tree" || benchmark == "vantage-point");
    const bool as_groups = walks == std::vector{WalkKind::group};
    const bool to_depth = queries == "split" && (by_leaves || (!guided && !as_groups));
    std::vector<const char*> ignored{"--scheduler", "--profile-steps"};
    if (!to_depth) ignored.push_back("--profile-depth");
    for (const char* option : ignored)
      if (given(option))
        throw InputError(fmt::format(
            "{} is for --schedule hybrid: --schedule auto ignores it in this run", option));
  }
  if (given("--profile-memory") && (schedule == "auto" || by_first_leaf))
    throw InputError(
        "--profile-memory limits the matrix of --schedule hybrid: neighbour searches make one only "
        "with --scheduler host or --profile-steps");
}

void Request::refuse_without_effect(const app::CommonOptions& common) const {
  for (const OwnedOption& option : owned_options())
    if (given(option.name) && !has(option.name))
      throw InputError(fmt::format("{} is an option of {}, not of {}", option.name,
                                   fmt::join(option.benchmarks, ", "), benchmark));
  if (given("--radius") && given("--mean-neighbors"))
    throw InputError("--radius and --mean-neighbors exclude each other: give one of them");
  for (const char* option : {"--bins", "--min-separation", "--max-separation", "--random-factor"})
    if (given(option) && !correlation)
      throw InputError(fmt::format("{} belongs to --correlation", option));
  for (const char* option : {"--radius", "--mean-neighbors"})
    if (given(option) && correlation)
      throw InputError(fmt::format(
          "{} is for counts within one radius: --correlation has --max-separation", option));
  if (!common.input && (!columns.empty() || project))
    throw InputError("--columns and --project belong to --input");
  if (benchmark == "barnes-hut" && dimension != 3)
    throw InputError("--benchmark barnes-hut needs --dimension 3");
  if (benchmark == "barnes-hut" && queries == "split")
    throw InputError(
        "--benchmark barnes-hut does not support --queries split: all particles are sources");
  if (common.box && benchmark != "barnes-hut" && !correlation)
    throw InputError(
        "--box is for barnes-hut and --correlation: other benchmarks do not use a box");
  refuse_unused_inspection(common);
  if (from_root && queries == "split")
    throw InputError("--from-root is for --queries own: other queries start at the root anyway");
  if (trace && (common.backend == "cuda" || (walk != "lockstep" && walk != "all")))
    throw InputError("--trace needs --walk lockstep on a host");
  if (trace && !common.json) throw InputError("--trace needs --json, which stores the trace");
  if (common.output) throw InputError("traversal writes no --output; results are in --json");
}

}  // namespace copse::traversal
