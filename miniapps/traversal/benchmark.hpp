#pragma once
/// \file
/// The benchmarks of [Liu 2019] section 3.4.1: their registry, and what a run of one measures.

#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/traversal/correlation.hpp>
#include <copse/traversal/trace.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace copse::traversal {

/// The measurements of one configuration: one walk with one schedule.
struct Measured {
  WalkKind walk = WalkKind::fsm;
  ScheduleKind schedule = ScheduleKind::none;  ///< that of the walk; not automatic once measured
  bool automatic = false;                      ///< --schedule auto chose the schedule
  app::Samples schedule_time{};
  app::Samples walk_time{};
  WalkCounters counters{};
  std::uint64_t fingerprint = 0;  ///< of the results, by query

  std::string name() const;
  double seconds() const { return schedule_time.median() + walk_time.median(); }

  /// Adds another walk of the same configuration.
  void add(const Measured& other);
};

/// A benchmark on one backend: points, a tree over them, and queries that walk it.
class Benchmark {
 public:
  virtual ~Benchmark() = default;
  virtual void build() = 0;
  /// Measures every configuration.
  virtual std::vector<Measured> walk_all() = 0;
  /// Checks the results of `walk_all` if --verify is given.
  virtual void verify(const std::vector<Measured>& measured) = 0;
  virtual void report(const std::vector<Measured>& measured, double build_seconds) = 0;
};

struct BenchmarkInfo {
  std::string name;
  std::string description;
  /// Loads the points. \throws InputError for input that the benchmark does not support
  std::unique_ptr<Benchmark> (*load)(app::Session&, const Request&);
};

/// All benchmarks, in the order they are documented.
const std::vector<BenchmarkInfo>& benchmarks();

std::vector<std::string> benchmark_names();

/// point-correlation with --correlation.
std::unique_ptr<Benchmark> load_correlation(app::Session& session, const Request& request);

/// Prints the table of configurations and adds them to the report, with the figures of merit.
/// `build_seconds` is the tree's build time, `queries` the number of queries.
void report_configurations(app::Session& session, const std::vector<Measured>& measured,
                           double build_seconds, Count queries);

/// Prints the correlation function with the pair counts, and adds them to the report.
void report_correlation(app::Session& session, const std::vector<Real>& edges,
                        const SeparationCounts& pairs);

/// Adds the node visits of a packet to the report's `traces`: each node with its active lanes as a
/// string of 0 and 1, lane 0 first.
void report_trace(app::Session& session, const std::string& configuration, Count packet,
                  const std::vector<TracedVisit>& visits);

}  // namespace copse::traversal
