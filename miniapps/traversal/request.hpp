#pragma once
/// \file
/// The request: the command-line options of a run, the settings derived from them, and the points
/// of the run.
///
/// Options of other benchmarks are rejected, and so are options of --correlation without it.

#include <copse/app/command_line.hpp>
#include <copse/app/session.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>
#include <copse/traversal/make_schedule.hpp>
#include <copse/traversal/walk_kind.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace copse::traversal {

enum class ScheduleKind : std::uint8_t {
  none,    ///< input order
  sorted,  ///< tree order if the queries are the tree's points, else along a Hilbert curve
  hybrid,  ///< order found by the inspector; see Request::scheduler
  automatic
};
const char* schedule_name(ScheduleKind kind);

/// Maximum number of separation bins: a query counts each in its own register.
inline constexpr int most_separation_bins = 16;

struct Request {
  std::string benchmark = "point-correlation";
  Count dimension = 3;
  std::string tree = "auto";  ///< for benchmarks over boxes; settled to kd, hilbert or morton
  Count bucket_size = 0;      ///< 0: the backend's best
  std::string walk = "auto";
  std::string schedule = "auto";
  std::string scheduler = "device";  ///< scheduler of hybrid: device, or host as published
  Count profile_depth = 0;           ///< see --profile-depth
  ProfileOptions profile{.depth = 0, .steps = 0};  ///< depth set by `settle`; 0: see the options
  std::string queries = "own";  ///< own, or split: a random half of the points queries the other
                                ///< half
  Count neighbors = 8;          ///< k
  bool from_root = false;       ///< skip the own-leaf search before the root
  /// Radius of point-correlation. Default: the one with `mean_neighbors` neighbours on average if
  /// the points were uniform.
  std::optional<double> radius;
  double mean_neighbors = 34.0;
  bool correlation = false;  ///< point-correlation: compute the correlation function
  Count bins = 8;            ///< number of logarithmic separation bins
  std::optional<double> least_separation;
  std::optional<double> most_separation;
  Count random_factor = 4;  ///< random points per data point
  double theta = 0.6;       ///< opening angle of barnes-hut
  double softening = 0.0;   ///< Plummer softening length of barnes-hut
  bool monopole = false;    ///< barnes-hut: monopoles only, otherwise up to quadrupoles
  std::string columns;      ///< of a text file
  bool project = false;
  bool trace = false;  ///< report node visits and active lanes of one packet

  std::vector<WalkKind> walks;          ///< `walk` expanded by `settle`
  std::vector<ScheduleKind> schedules;  ///< `schedule` expanded by `settle`

  /// `cli` must outlive the call of `settle`.
  void declare(CLI::App& cli);
  /// Checks that the options are consistent and fills `tree`, `walks` and `schedules`.
  /// \throws InputError for impossible values and combinations
  void settle(const app::CommonOptions& common);

  /// Does the benchmark accept `option`?
  bool has(const std::string& option) const;

  /// --radius, or the radius that contains --mean-neighbors of `points` uniform points in a box of
  /// this volume, on average. \throws InputError if the volume is needed and is 0
  double radius_in(double volume, Count points) const;
  /// The edges of the separation bins. Default --max-separation is `reach`; default
  /// --min-separation is a hundredth of the largest.
  /// \throws InputError unless the separations are positive, ascending, and distinct as `Real`
  ///         squares
  std::vector<Real> separation_edges(double reach) const;
  /// Number of random points of --correlation for `points` data points.
  /// \throws InputError if one rank cannot hold them
  Count random_points(Count points) const;

 private:
  void refuse_without_effect(const app::CommonOptions& common) const;
  void refuse_unused_inspection(const app::CommonOptions& common) const;
  void refuse_impossible(const app::CommonOptions& common) const;
  void check_correlation(const app::CommonOptions& common) const;
  std::vector<WalkKind> wanted_walks(const app::CommonOptions& common) const;
  bool given(const std::string& option) const;

  const CLI::App* cli_ = nullptr;
};

template <int Dim, class MemorySpace>
struct PointInput {
  Points<Dim, MemorySpace> points;   ///< of the tree
  Points<Dim, MemorySpace> queries;  ///< the same View if every point is a query
  bool own = true;                   ///< every tree point is a query
};

/// Generates or reads the points, splits off queries if requested, and records the input in the
/// report.
/// \throws InputError as the generators and readers, or if the split leaves a side without points
template <int Dim, class ExecutionSpace>
PointInput<Dim, typename ExecutionSpace::memory_space> load_input(app::Session& session,
                                                                  const ExecutionSpace& space,
                                                                  const Request& request);

#define COPSE_DECLARE_LOAD(ExecutionSpace, Dim)                                  \
  extern template PointInput<Dim, ExecutionSpace::memory_space> load_input<Dim>( \
      app::Session&, const ExecutionSpace&, const Request&);
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_DECLARE_LOAD)
#undef COPSE_DECLARE_LOAD

}  // namespace copse::traversal
