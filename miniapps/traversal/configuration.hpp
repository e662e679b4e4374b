#pragma once
/// \file
/// A configuration of a run (one walk with one schedule) and its measurements.

#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/traversal/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace copse::traversal {

struct Measured {
  WalkKind walk = WalkKind::fsm;
  ScheduleKind schedule = ScheduleKind::none;  ///< never automatic
  bool automatic = false;                      ///< the schedule was chosen by the program
  app::Samples schedule_time;
  app::Samples walk_time;
  WalkCounters counters;
  std::uint64_t fingerprint = 0;  ///< of the results, by query

  std::string name() const;
  double seconds() const { return schedule_time.median() + walk_time.median(); }

  /// Adds another walk of the same configuration.
  void add(const Measured& other);
};

/// Prints the table of configurations and adds them to the report, with the figures of merit.
/// `build_seconds` is the tree's build time, `queries` the number of queries.
void report_configurations(app::Session& session, const std::vector<Measured>& measured,
                           double build_seconds, Count queries);

/// Adds the node visits of a packet to the report's `traces`: each node with its active lanes as a
/// string of 0 and 1, lane 0 first.
void report_trace(app::Session& session, const std::string& configuration, Count packet,
                  const std::vector<TracedVisit>& visits);

}  // namespace copse::traversal
