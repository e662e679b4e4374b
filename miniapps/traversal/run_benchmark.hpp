#pragma once
/// \file
/// Runs one benchmark: builds its tree, then for each walk and schedule orders the queries, walks,
/// counts and checks. A benchmark of several walks is run in `part`s, each over a tree that is
/// there, whose phases and checks begin with the name of the part.
///
/// A benchmark is a class with
///
///     static constexpr bool bitwise;             // are results the same bits for every walk?
///     void build();                              // the tree, timed; not of one that is there
///     auto visitor() const;                      // writes results, and forgets earlier ones
///     auto top(int depth) const;                 // of the tree, for the inspector
///     int levels() const;                        // depth of the tree
///     ScheduleView sorted(Workspace&) const;     // the application's own order of queries
///     bool order_is_free() const;                // is that order there already?
///     ScheduleView coarsely_sorted(Workspace&) const;  // optional: as far as packets can tell
///     static constexpr bool first_leaf_pays;     // optional: is it worse than by first leaves?
///     void clear() const;                        // forgets the results
///     std::uint64_t fingerprint() const;         // of the results
///     void corrupt(const std::string&) const;    // --sabotage
///     void verify(app::Verification&) const;     // against brute force
///     void check_configuration(app::Verification&, name);  // optional: of each configuration,
///                                                // where fingerprints cannot be equal

#include "configuration.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/backends.hpp>
#include <copse/traversal/make_schedule.hpp>
#include <copse/traversal/trace.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace copse::traversal {

/// What is asked for; or all of the tree if first leaves are looked for; or a third of the tree's
/// levels, as the paper has it, but at least 6 and no more than a step of the matrix can name.
inline int profile_depth(const ProfileOptions& options, int levels, bool first_leaves) {
  if (options.depth > 0) return std::min(options.depth, 15);
  return first_leaves ? levels : std::clamp(levels / 3, 6, 15);
}

template <class ExecutionSpace, class Benchmark>
class BenchmarkRun {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  BenchmarkRun(app::Session& session, const ExecutionSpace& space, const Request& request,
               Benchmark& benchmark, Count queries, const std::string& part = "")
      : session_(session),
        space_(space),
        request_(request),
        benchmark_(benchmark),
        queries_(queries),
        part_(part.empty() ? "" : part + "_"),
        scheduler_(space) {}

  void run() {
    const auto build =
        session_.measure("copse::traversal::build", [&](int) { benchmark_.build(); });
    report_configurations(session_, measure_all(), build.median(), queries_);
  }

  /// Measures and checks every configuration on a tree that is there.
  std::vector<Measured> measure_all() {
    profile_ = request_.profile;
    profile_.depth = profile_depth(request_.profile, benchmark_.levels(), by_first_leaf());
    if (profile_.steps == 0) profile_.steps = ProfileOptions{}.steps;
    session_.report().results()[part_ + "profile_depth"] = profile_.depth;
    session_.report().results()[part_ + "tree_levels"] = benchmark_.levels();
    std::vector<Measured> measured;
    for (const WalkKind walk_kind : request_.walks)
      for (const ScheduleKind schedule : request_.schedules)
        if (!left_out(walk_kind, schedule)) measured.push_back(measure(walk_kind, schedule));
    check(measured);
    return measured;
  }

 private:
  /// A group of strangers has a box as large as all of space, and walks all of the tree: minutes
  /// for 10^5 queries. Only who asks for that gets it.
  bool left_out(WalkKind walk_kind, ScheduleKind schedule) const {
    return request_.all_walks && walk_kind == WalkKind::group && schedule == ScheduleKind::none;
  }

  Measured measure(WalkKind walk_kind, ScheduleKind asked) {
    Measured m;
    m.walk = walk_kind;
    m.automatic = asked == ScheduleKind::automatic;
    benchmark_.clear();
    QueryList<MemorySpace> list;
    const std::string name = part_ + (m.schedule = asked, m.name());
    session_.measure("copse::traversal::" + name, [&](int) {
      {
        const Kokkos::Profiling::ScopedRegion region("copse::traversal::schedule_" + name);
        m.schedule = m.automatic ? probe() : asked;
        list = order(m.schedule, m.automatic);
      }
      const Kokkos::Profiling::ScopedRegion region("copse::traversal::walk_" + name);
      walk(space_, walk_kind, benchmark_.visitor(), list);
    });
    m.schedule_time = session_.last_samples("copse::traversal::schedule_" + name);
    m.walk_time = session_.last_samples("copse::traversal::walk_" + name);
    // What is checked is what this walk alone writes, not what the probe or a repeat has left.
    benchmark_.clear();
    walk(space_, walk_kind, benchmark_.visitor(), list);
    space_.fence("copse::traversal::results");
    m.fingerprint = benchmark_.fingerprint();
    if constexpr (requires { benchmark_.check_configuration(session_.verification(), name); }) {
      if (session_.options().verify) benchmark_.check_configuration(session_.verification(), name);
    }
    m.counters = count_walk(space_, walk_kind, benchmark_.visitor(), list);
    if (request_.trace) trace(m, list);
    return m;
  }

  /// Enters the visits of the packet in the middle into the report.
  void trace(const Measured& m, const QueryList<MemorySpace>& list) {
    if constexpr (runs_on_host<ExecutionSpace>) {
      const Count packets = (queries_ + VectorLanes::width - 1) / VectorLanes::width;
      if (m.walk != WalkKind::lockstep || packets == 0) return;
      const std::vector<TracedVisit> visits = trace_packet(benchmark_.visitor(), list, packets / 2);
      report_trace(session_, part_ + m.name(), packets / 2, visits);
    }
  }

  QueryList<MemorySpace> order(ScheduleKind schedule, bool automatic) {
    if (schedule == ScheduleKind::none) return {queries_, {}};
    if constexpr (requires { benchmark_.coarsely_sorted(workspace_); }) {
      if (schedule == ScheduleKind::sorted && automatic)
        return {queries_, benchmark_.coarsely_sorted(workspace_)};
    }
    if (schedule == ScheduleKind::sorted) return {queries_, benchmark_.sorted(workspace_)};
    const auto top = benchmark_.top(profile_.depth);
    const auto visitor = benchmark_.visitor();
    if constexpr (decltype(visitor)::guided) {
      if (by_first_leaf()) return {queries_, scheduler_.by_first_leaf(visitor, top, queries_)};
    }
    return {queries_, request_.on_host ? scheduler_.by_host(visitor, top, queries_, profile_)
                                       : scheduler_.by_signature(visitor, top, queries_, profile_)};
  }

  /// The backend's own schedules of guided walks, unless more steps are asked for.
  bool by_first_leaf() const {
    return decltype(benchmark_.visitor())::guided && !request_.on_host &&
           request_.profile.steps == 0;
  }

  /// Where the queries are the tree's points, its order costs nothing. Else a look at where some
  /// walks begin tells whether their order is good already; if not, the best one is made
  /// (docs/scheduling.md).
  ScheduleKind probe() {
    if (benchmark_.order_is_free()) return ScheduleKind::sorted;
    constexpr bool sort_by_leaf = requires {
      requires Benchmark::first_leaf_pays;
    };
    if (sort_by_leaf && by_first_leaf() && queries_ <= sooner_sorted) return ScheduleKind::hybrid;
    const auto visitor = benchmark_.visitor();
    const int depth = decltype(visitor)::guided ? benchmark_.levels() : profile_.depth;
    const double disorder = scheduler_.disorder(visitor, benchmark_.top(depth), queries_);
    if (disorder < good_order) return ScheduleKind::none;
    return sort_by_leaf && by_first_leaf() ? ScheduleKind::hybrid : ScheduleKind::sorted;
  }

  /// Every configuration must have the results of the first, and those must be right.
  void check(const std::vector<Measured>& measured) {
    if (session_.options().verify) {
      // Brute force looks at what the last walk that counted has written.
      if constexpr (Benchmark::bitwise) {
        session_.verification().require(part_ + "counting_changes_no_result",
                                        benchmark_.fingerprint() == measured.back().fingerprint);
        for (const Measured& m : measured)
          session_.verification().require(part_ + m.name() + "_equals_" + measured.front().name(),
                                          m.fingerprint == measured.front().fingerprint);
      }
    }
    if (!request_.sabotage.empty()) benchmark_.corrupt(request_.sabotage);
    if (!session_.options().verify) return;
    benchmark_.verify(session_.verification());
  }

  /// Disorder (first_leaf.hpp) below which the order of the input is kept. Along a curve it is 0.04
  /// to 0.2 in three dimensions; strangers in a fifth of the places make as much, and are worse.
  static constexpr double good_order = 0.15;
  /// So few queries a device sorts by their first leaves in twice the time that a sample takes: too
  /// little to ask first, even if some are in order already.
  static constexpr Count sooner_sorted = Count{1} << 18;

  app::Session& session_;
  ExecutionSpace space_;
  const Request& request_;
  Benchmark& benchmark_;
  Count queries_;
  std::string part_;
  ProfileOptions profile_;
  Scheduler<ExecutionSpace> scheduler_;
  Workspace<MemorySpace> workspace_;
};

}  // namespace copse::traversal
