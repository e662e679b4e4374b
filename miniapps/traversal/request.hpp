#pragma once
/// \file
/// What a run of the mini-app is asked to do.

#include <copse/backend/types.hpp>
#include <copse/traversal/make_schedule.hpp>
#include <copse/traversal/walk.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace copse::traversal {

enum class ScheduleKind : std::uint8_t {
  none,    ///< the order of the input
  sorted,  ///< tree order if the queries are the tree's points, else along a Hilbert curve
  hybrid,  ///< as the inspector finds; see Request::on_host
  automatic
};

/// What brings the points of a tree of boxes into order.
enum class BoxTreeKind : std::uint8_t { automatic, kd, hilbert, morton };

/// The most bins of separations: a query counts each in a register of its own.
inline constexpr int most_separation_bins = 16;

/// Of point-correlation: the two-point correlation function instead of counts within a radius.
struct CorrelationRequest {
  Count bins = 8;  ///< of separations, equally wide in their logarithm
  std::optional<double> least;
  std::optional<double> most;
  Count random_factor = 4;  ///< random points for each point of the data
};

struct Request {
  std::string benchmark = "point-correlation";
  int dimension = 3;
  BoxTreeKind tree = BoxTreeKind::kd;  ///< of the benchmarks over trees of boxes; never automatic
  std::uint32_t bucket_size = 0;       ///< 0: the backend's best
  std::vector<WalkKind> walks;
  bool all_walks = false;  ///< --walk all, which leaves out what nobody would wait for
  std::vector<ScheduleKind> schedules;
  bool on_host = false;  ///< hybrid schedules are made by the host, as published
  ProfileOptions profile{.depth = 0, .steps = 0};  ///< 0: see --profile-depth and --profile-steps
  bool split_queries = false;  ///< a random half of the points asks the other half
  Count neighbors = 8;         ///< k
  bool from_root = false;      ///< points look for their neighbours from the root, as strangers do
  /// Of point-correlation; without: as many neighbours as `mean_neighbors`, were points uniform.
  std::optional<double> radius;
  double mean_neighbors = 34.0;
  std::optional<CorrelationRequest> correlation;
  double theta = 0.6;      ///< opening angle of barnes-hut
  double softening = 0.0;  ///< Plummer softening length of barnes-hut
  bool monopole = false;   ///< of barnes-hut; else up to quadrupoles
  std::string columns;     ///< of a text file
  bool project = false;
  bool trace = false;  ///< report which lanes of one packet visit which nodes
  std::string sabotage;
};

std::vector<std::string> walk_names();
std::vector<std::string> schedule_names();
WalkKind walk_named(const std::string& name);
ScheduleKind schedule_named(const std::string& name);
std::vector<std::string> box_tree_names();
BoxTreeKind box_tree_named(const std::string& name);
/// What builds and walks fastest. On a GPU a curve is sorted in a few passes over memory, where a
/// kd-tree takes some for every level, and its larger boxes cost walks less than that, in 7
/// dimensions as in 3.
BoxTreeKind best_box_tree(const std::string& backend);

/// The edges of the bins of separations. Without --max-separation they reach to `reach`, without
/// --min-separation they begin at a hundredth of the largest.
/// \throws InputError unless the separations are positive, ascending, and apart as `Real` squares
std::vector<Real> separation_edges(const CorrelationRequest& request, double reach);

/// Random points that stand beside `points` of data.
/// \throws InputError if one rank cannot hold them
Count random_points(Count points, Count factor);

}  // namespace copse::traversal
