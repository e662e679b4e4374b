#pragma once
/// \file
/// The common driver of all benchmarks. It measures the configurations (a walk with a schedule) in
/// turn: every timed run schedules and walks each of them once. Then each is scheduled and walked
/// once more, untimed, for the results, and walked again with counters.
///
/// A benchmark is a class with
///
///     void build();                            // builds the tree
///     auto visitor() const;                    // writes results and discards earlier ones
///     auto results() const;                    // copies them to the host
///     void clear() const;                      // clears them
///     // Checks results against brute force; the names of the checks begin with `prefix`.
///     void verify(app::Verification&, const std::string& prefix, const Results&);
///     Count queries() const;
///     auto top(int depth) const;               // top of the tree, for the inspector
///     int levels() const;                      // depth of the tree
///     ScheduleView sorted(Workspace&) const;   // the application's own order of queries
///     bool order_is_free() const;              // does that order already exist?
///
/// optionally
///
///     ScheduleView coarsely_sorted(Workspace&) const;  // a sort precise enough for packets
///     static constexpr bool first_leaf_pays;           // is sorting by first leaf faster?
///     bool sort_never_pays(WalkKind) const;            // does a sort cost more than it saves?
///     void report(app::Session&);                      // results beyond the configurations
///
/// and an entry in benchmark.cpp. If the results have a `fingerprint` (brute_force.hpp), those of
/// all configurations must be bitwise equal, and the last ones are verified; otherwise those of
/// each configuration are verified, after set_walk(WalkKind, QueryList) has named it.

#include "benchmark.hpp"
#include "brute_force.hpp"
#include "request.hpp"
#include <copse/app/corruptible.hpp>
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
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace copse::traversal {

/// The requested depth if given; all levels for first-leaf schedules; otherwise a third of the
/// levels as in [Liu 2019], but at least 6 and no more than a step of the matrix can represent.
inline int profile_depth(const ProfileOptions& options, int levels, bool first_leaves) {
  if (options.depth > 0) return std::min(options.depth, 15);
  return first_leaves ? levels : std::clamp(levels / 3, 6, 15);
}

template <class ExecutionSpace, class Traversal>
class BenchmarkRun final : public Benchmark {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Results = decltype(std::declval<const Traversal&>().results());
  static constexpr bool bitwise = requires(const Results& results) { fingerprint(results); };

  /// `arguments` construct the Traversal. A benchmark of several walks runs in parts; the names of
  /// their phases and checks begin with `part`.
  template <class... Arguments>
  BenchmarkRun(app::Session& session, const ExecutionSpace& space, const Request& request,
               const std::string& part, Arguments&&... arguments)
      : session_(session),
        space_(space),
        request_(request),
        benchmark_(space, std::forward<Arguments>(arguments)..., request),
        part_(part.empty() ? "" : part + "_"),
        scheduler_(space) {}

  Traversal& traversal() { return benchmark_; }

  void build() override { benchmark_.build(); }

  std::vector<Measured> walk_all() override {
    queries_ = benchmark_.queries();
    profile_ = request_.profile;
    profile_.depth = profile_depth(request_.profile, benchmark_.levels(), by_first_leaf());
    if (profile_.steps == 0) profile_.steps = ProfileOptions{}.steps;
    session_.report().results()[part_ + "profile_depth"] = profile_.depth;
    session_.report().results()[part_ + "tree_levels"] = benchmark_.levels();
    std::vector<Measured> measured;
    for (const WalkKind walk_kind : request_.walks)
      for (const ScheduleKind schedule : request_.schedules)
        if (!left_out(walk_kind, schedule))
          measured.push_back({.walk = walk_kind,
                              .schedule = schedule,
                              .automatic = schedule == ScheduleKind::automatic});
    measure(measured);
    for (Measured& m : measured) inspect(m);
    session_.timer().drop_sample();  // inspections are no samples
    return measured;
  }

  void verify(const std::vector<Measured>& measured) override {
    if (!session_.options().verify) return;
    auto& verification = session_.verification();
    Results results = benchmark_.results();
    if constexpr (bitwise) {
      // Brute force checks the results written by the last counting walk.
      verification.require(part_ + "counting_changes_no_result",
                           fingerprint(results) == measured.back().fingerprint);
      for (std::size_t m = 1; m < measured.size(); ++m)
        verification.require(part_ + measured[m].name() + "_equals_" + measured.front().name(),
                             measured[m].fingerprint == measured.front().fingerprint);
    }
    app::corruptible(results, part_);
    benchmark_.verify(verification, bitwise ? part_ : part_ + "final_", results);
  }

  void report(const std::vector<Measured>& measured, double build_seconds) override {
    report_configurations(session_, measured, build_seconds, queries_);
    if constexpr (requires { benchmark_.report(session_); }) benchmark_.report(session_);
  }

 private:
  /// The bounding box of an unsorted packet is the whole domain, so the packet visits the whole
  /// tree: minutes for 10^5 queries. `--walk all` skips this combination.
  bool left_out(WalkKind walk_kind, ScheduleKind schedule) const {
    return request_.walk == "all" && walk_kind == WalkKind::group && schedule == ScheduleKind::none;
  }

  /// A run measures all configurations in turn, so a change of the machine's speed, as on shared
  /// virtual machines, affects all of them. The configurations share the workspaces: an order is
  /// valid only until the next configuration is scheduled.
  void measure(std::vector<Measured>& measured) {
    std::vector<app::Step> steps;
    for (Measured& m : measured) {
      const std::string name = part_ + m.name();
      steps.push_back(
          {"copse::traversal::" + name, [this, &m, name](int) {
             QueryList<MemorySpace> list;
             {
               const Kokkos::Profiling::ScopedRegion region("copse::traversal::schedule_" + name);
               if (m.automatic) m.schedule = probe(m.walk);
               list = order(m.schedule, m.automatic);
             }
             const Kokkos::Profiling::ScopedRegion region("copse::traversal::walk_" + name);
             walk(space_, m.walk, benchmark_.visitor(), list);
           }});
    }
    session_.measure("copse::traversal::" + part_ + "walks", steps);
    for (Measured& m : measured) {
      const std::string name = part_ + m.name();
      m.schedule_time = session_.last_samples("copse::traversal::schedule_" + name);
      m.walk_time = session_.last_samples("copse::traversal::walk_" + name);
    }
  }

  /// Schedules again and walks twice more, untimed: for the results and for the counters.
  void inspect(Measured& m) {
    const std::string name = part_ + m.name();
    const QueryList<MemorySpace> list = order(m.schedule, m.automatic);
    benchmark_.clear();
    walk(space_, m.walk, benchmark_.visitor(), list);
    space_.fence("copse::traversal::results");
    if constexpr (bitwise) {
      Results results = benchmark_.results();
      app::corruptible(results, part_, m.name());
      m.fingerprint = fingerprint(results);
    } else if (session_.options().verify) {
      benchmark_.set_walk(m.walk, list);
      benchmark_.verify(session_.verification(), name + "_", benchmark_.results());
    }
    if (request_.trace) trace(m, list);  // before the counting walk, which restores the results
    m.counters = count_walk(space_, m.walk, benchmark_.visitor(), list);
  }

  /// Adds the visits of the middle packet to the report.
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
    return {queries_, by_host() ? scheduler_.by_host(visitor, top, queries_, profile_)
                                : scheduler_.by_signature(visitor, top, queries_, profile_)};
  }

  bool by_host() const { return request_.scheduler == "host"; }

  /// First-leaf schedules are the default for guided walks on the backend, unless more steps are
  /// requested.
  bool by_first_leaf() const {
    return decltype(benchmark_.visitor())::guided && !by_host() && request_.profile.steps == 0;
  }

  /// If the queries are the tree's points, tree order costs nothing. Groups need queries that are
  /// sorted without exception: one far from the rest of its packet makes the packet's box large.
  /// Queries whose sort never pays keep their order. Otherwise a sample of first leaves shows
  /// whether the input order is good enough; if not, the queries are sorted (docs/scheduling.md).
  ScheduleKind probe(WalkKind walk_kind) {
    if (benchmark_.order_is_free() || walk_kind == WalkKind::group) return ScheduleKind::sorted;
    if constexpr (requires { benchmark_.sort_never_pays(walk_kind); }) {
      if (benchmark_.sort_never_pays(walk_kind)) return ScheduleKind::none;
    }
    constexpr bool sort_by_leaf = requires {
      requires Traversal::first_leaf_pays;
    };
    if (sort_by_leaf && by_first_leaf() && queries_ <= sooner_sorted) return ScheduleKind::hybrid;
    const auto visitor = benchmark_.visitor();
    const int depth = decltype(visitor)::guided ? benchmark_.levels() : profile_.depth;
    const double disorder = scheduler_.disorder(visitor, benchmark_.top(depth), queries_);
    if (disorder < good_order) return ScheduleKind::none;
    return sort_by_leaf && by_first_leaf() ? ScheduleKind::hybrid : ScheduleKind::sorted;
  }

  /// The input order is kept if its disorder (first_leaf.hpp) is below this value. Orders along a
  /// curve have 0.04 to 0.2 in three dimensions. A curve order with a fifth of the queries at
  /// random places has the same disorder but walks slower.
  static constexpr double good_order = 0.15;
  /// Up to this number of queries, sorting by first leaf on a device takes less than twice the time
  /// of a sample, so no sample is taken.
  static constexpr Count sooner_sorted = Count{1} << 18;

  app::Session& session_;
  ExecutionSpace space_;
  const Request& request_;
  Traversal benchmark_;
  Count queries_ = 0;
  std::string part_;
  ProfileOptions profile_;
  Scheduler<ExecutionSpace> scheduler_;
  Workspace<MemorySpace> workspace_;
};

}  // namespace copse::traversal
