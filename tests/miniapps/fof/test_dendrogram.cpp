// Oracles: a tree by hand, and the flood fill of reference.hpp for every relevant linking length.
#include "mst_problems.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fof/mst/dendrogram.hpp>
#include <fof/mst/output.hpp>
#include <fof/reference.hpp>
#include <map>

namespace copse::fof::test {
namespace {

GroupCounts counts_by_flood_fill(const NamedProblem& named, Real reach2, Count min_members) {
  HostProblem problem = named.problem;
  problem.friendship.reach2 = reach2;
  std::map<LocalIndex, Count> members;
  for (const LocalIndex label : reference_labels(problem, named.box)) ++members[label];
  GroupCounts counts;
  counts.components = members.size();
  for (const auto& [label, size] : members) {
    counts.groups += size >= min_members;
    counts.largest = std::max(counts.largest, size);
  }
  return counts;
}

/// The counts at one linking length: those of the last event below it.
GroupCounts counts_below(const std::vector<MergeEvent>& events, Real reach2, GroupCounts alone) {
  for (const MergeEvent& event : events)
    if (event.distance2 < reach2) alone = event.after;
  return alone;
}

TEST_CASE("Groups of five particles on a line merge at the lengths of the gaps between them") {
  // Positions 0, 1, 3, 5 and 9: gaps of 1, 2, 2 and 4.
  const std::vector<TreeEdge> edges{{1, 0, 1}, {4, 1, 2}, {4, 2, 3}, {16, 3, 4}};
  const Dendrogram pairs{edges, 5, 2};
  const auto events = merge_events(pairs);
  REQUIRE(events.size() == 3);
  CHECK(events[0].distance2 == 1);
  CHECK(events[0].after == GroupCounts{4, 1, 2});
  CHECK(events[1].distance2 == 4);
  CHECK(events[1].after == GroupCounts{2, 1, 4});
  CHECK(events[2].distance2 == 16);
  CHECK(events[2].after == GroupCounts{1, 1, 5});
  // Groups of one particle and more, then of five and more.
  CHECK(merge_events({edges, 5, 1})[0].after == GroupCounts{4, 4, 2});
  CHECK(merge_events({edges, 5, 5})[1].after == GroupCounts{2, 0, 4});
}

TEST_CASE("The number of groups changes at the rows of the curve and nowhere else") {
  // Positions 0, 1, 3, 5 and 9: gaps of 1, 2, 2 and 4. Then two pairs that become one group.
  const std::vector<TreeEdge> line{{1, 0, 1}, {4, 1, 2}, {4, 2, 3}, {16, 3, 4}};
  const auto rows = dendrogram_rows({line, 5, 2});
  REQUIRE(rows.size() == 3);
  CHECK((rows[0].length == 0 && rows[0].counts == GroupCounts{5, 0, 1}));
  CHECK((rows[1].length == 1 && rows[1].counts == GroupCounts{4, 1, 2}));
  CHECK((rows[2].length == 4 && rows[2].counts == GroupCounts{1, 1, 5}));
  const std::vector<TreeEdge> pairs{{0, 0, 1}, {9, 2, 3}, {25, 0, 2}};
  const auto steps = dendrogram_rows({pairs, 4, 2});
  REQUIRE(steps.size() == 3);
  CHECK((steps[0].length == 0 && steps[0].counts == GroupCounts{3, 1, 2}));
  CHECK((steps[1].length == 3 && steps[1].counts == GroupCounts{2, 2, 2}));
  CHECK((steps[2].length == 5 && steps[2].counts == GroupCounts{1, 1, 4}));
  // The two particles at one position are one component from the start, but too few for a group.
  const auto large = dendrogram_rows({pairs, 4, 3});
  REQUIRE(large.size() == 2);
  CHECK((large[0].length == 0 && large[0].counts == GroupCounts{3, 0, 2}));
  CHECK((large[1].length == 5 && large[1].counts == GroupCounts{1, 1, 4}));
  CHECK(dendrogram_rows({{}, 0, 1}).front().counts == GroupCounts{0, 0, 0});
  CHECK(dendrogram_rows({{}, 1, 1}).front().counts == GroupCounts{1, 1, 1});
}

TEST_CASE("Every linking length has the groups that linking with it finds") {
  for (const ProblemKind& kind : problem_kinds()) {
    const NamedProblem named = make_problem(kind);
    const std::vector<TreeEdge> tree = prim(named.problem);
    const auto events = merge_events({tree, named.problem.size(), 5});
    const GroupCounts alone{named.problem.size(), 0, named.problem.size() > 0};
    for (const double b : {0.01, 0.03, 0.05, 0.13, 0.3, 0.5}) {
      const Real reach2 = static_cast<Real>(b * b);
      INFO(named.name << ", reach2 " << reach2);
      CHECK(counts_below(events, reach2, alone) == counts_by_flood_fill(named, reach2, 5));
    }
  }
}

TEST_CASE("Every event describes the groups up to the next event") {
  for (const ProblemKind& kind :
       {ProblemKind{"uniform", 60, 0.1, true, true}, ProblemKind{"lattice", 60, 0.1}}) {
    const NamedProblem named = make_problem(kind);
    const std::vector<TreeEdge> tree = prim(named.problem);
    const auto events = merge_events({tree, named.problem.size(), 3});
    REQUIRE(!events.empty());
    CHECK(events.back().after.components == 1);
    for (std::size_t e = 0; e + 1 < events.size(); ++e) {
      INFO(named.name << ", event " << e);
      CHECK(events[e].distance2 < events[e + 1].distance2);
      CHECK(events[e].after == counts_by_flood_fill(named, events[e + 1].distance2, 3));
    }
  }
}

TEST_CASE("No particle and a single particle have no events") {
  CHECK(merge_events({{}, 0, 1}).empty());
  CHECK(merge_events({{}, 1, 1}).empty());
}

}  // namespace
}  // namespace copse::fof::test
