#pragma once
/// \file
/// What a run of the mini-app is asked to do: its options, and what they come to.
///
/// Options of another benchmark, and those of --correlation without it, are refused.

#include <copse/app/command_line.hpp>
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
  hybrid,  ///< as the inspector finds; see Request::scheduler
  automatic
};
const char* schedule_name(ScheduleKind kind);

/// The most bins of separations: a query counts each in a register of its own.
inline constexpr int most_separation_bins = 16;

struct Request {
  std::string benchmark = "point-correlation";
  Count dimension = 3;
  std::string tree = "auto";  ///< kd, hilbert or morton of benchmarks over boxes, once settled
  Count bucket_size = 0;      ///< 0: the backend's best
  std::string walk = "auto";
  std::string schedule = "auto";
  std::string scheduler = "device";  ///< or host, as published: makes hybrid schedules
  Count profile_depth = 0;           ///< see --profile-depth
  ProfileOptions profile{.depth = 0, .steps = 0};  ///< depth once settled; 0: see the options
  std::string queries = "own";  ///< or split: a random half of the points asks the other half
  Count neighbors = 8;          ///< k
  bool from_root = false;       ///< points do not begin with the leaf they lie in
  /// Of point-correlation; without: as many neighbours as `mean_neighbors`, were points uniform.
  std::optional<double> radius;
  double mean_neighbors = 34.0;
  bool correlation = false;  ///< of point-correlation: the correlation function
  Count bins = 8;            ///< of separations, equally wide in their logarithm
  std::optional<double> least_separation;
  std::optional<double> most_separation;
  Count random_factor = 4;  ///< random points for each point of the data
  double theta = 0.6;       ///< opening angle of barnes-hut
  double softening = 0.0;   ///< Plummer softening length of barnes-hut
  bool monopole = false;    ///< of barnes-hut; else up to quadrupoles
  std::string columns;      ///< of a text file
  bool project = false;
  bool trace = false;  ///< report which lanes of one packet visit which nodes
  std::string sabotage;

  std::vector<WalkKind> walks;          ///< what `walk` comes to, once settled
  std::vector<ScheduleKind> schedules;  ///< what `schedule` comes to

  /// `cli` must exist until `settle`.
  void declare(CLI::App& cli);
  /// Checks the options against each other and fills `tree`, `walks` and `schedules`.
  /// \throws InputError for impossible values and combinations
  void settle(const app::CommonOptions& common);

  /// May a run of the benchmark have `option`?
  bool has(const std::string& option) const;

  /// The edges of the bins of separations. Without --max-separation they reach to `reach`, without
  /// --min-separation they begin at a hundredth of the largest.
  /// \throws InputError unless the separations are positive, ascending, and apart as `Real` squares
  std::vector<Real> separation_edges(double reach) const;
  /// Random points of --correlation for `points` of data.
  /// \throws InputError if one rank cannot hold them
  Count random_points(Count points) const;

 private:
  void refuse_without_effect(const app::CommonOptions& common) const;
  void refuse_impossible(const app::CommonOptions& common) const;
  void check_correlation(const app::CommonOptions& common) const;
  std::vector<WalkKind> wanted_walks(const app::CommonOptions& common) const;
  bool given(const std::string& option) const;

  const CLI::App* cli_ = nullptr;
};

}  // namespace copse::traversal
