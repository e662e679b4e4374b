#include "schedule_matrices.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/buckets.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>

namespace copse::test {
namespace {

std::vector<LocalIndex> lexicographic(const StepRows& rows) {
  return stably_sorted(rows.size(), [&](LocalIndex a, LocalIndex b) { return rows[a] < rows[b]; });
}

template <class Space>
std::vector<LocalIndex> by_buckets(const Space& space, const StepRows& rows, Count width,
                                   Count limit) {
  const ScheduleView<Host> order("copse::test::order", rows.size());
  Workspace<Host> workspace;
  buckets(space, step_matrix(rows, width), order, workspace, limit);
  return to_vector<Host>(order);
}

/// Length of the longest minimal block of positions that holds the same queries in both orders; 1
/// if the orders are equal.
Count longest_disagreement(const std::vector<LocalIndex>& a, const std::vector<LocalIndex>& b) {
  std::set<LocalIndex> open;  // queries seen in one order but not yet in the other
  const auto meet = [&](LocalIndex q) {
    if (!open.insert(q).second) open.erase(q);
  };
  Count longest = 0, begin = 0;
  for (Count i = 0; i < a.size(); ++i) {
    meet(a[i]);
    meet(b[i]);
    if (!open.empty()) continue;
    longest = std::max(longest, i + 1 - begin);
    begin = i + 1;
  }
  return longest;
}

/// Figure 3.7 as described in the text: first leaf 8 for ABFH, 10 for CE, 12 for D and 15 for G;
/// then A and F visit 11 before 10, B and H 10 before 11. Top leaf 8 is number 1. The text speaks
/// of pairs of siblings, so both siblings are in a row.
StepRows published_sequences() {
  return {{1, 2, 4, 3}, {1, 2, 3, 4}, {3, 4}, {5, 6}, {3, 4}, {1, 2, 4, 3}, {8, 7}, {1, 2, 3, 4}};
}

TEST_CASE("Buckets bring A to F, B to H and C to E in the published example") {
  for_each_backend([]<class Space>(Space space) {
    const StepRows rows = published_sequences();
    if constexpr (runs_on_host<Space>) {
      CHECK(letters(by_buckets(space, rows, 4, 1)) == "BHAFCEDG");
      CHECK(letters(by_buckets(space, rows, 4, 4)) == "ABFHCEDG");  // the first bucket is not split
      CHECK(letters(by_buckets(space, rows, 4, 8)) == "ABCDEFGH");
    }
  });
}

TEST_CASE("Queries whose walk is over come first in their bucket, in input order") {
  const StepRows rows{{2, 1}, {}, {2}, {2, 3}, {}, {2}, {1}};
  for_each_backend([&]<class Space>(Space space) {
    const std::vector<LocalIndex> expected{1, 4, 6, 2, 5, 0, 3};
    if constexpr (runs_on_host<Space>) CHECK(by_buckets(space, rows, 2, 1) == expected);
  });
}

// Oracle: std::stable_sort of the sequences, which are compared as std::vector compares.
TEST_CASE("Buckets divided to the end are the lexicographic order of the sequences") {
  for (const Count width : {1, 3, 4, 5, 8, 13})
    for (const Count queries : {1, 40, 3000}) {
      StepRows rows = random_step_rows(queries, 16, 13, 21);
      for (auto& row : rows) row.resize(std::min<Count>(row.size(), width));
      const auto expected = lexicographic(rows);
      for_each_backend([&]<class Space>(Space space) {
        INFO(backend_name<Space>() << ", " << width << " steps, " << queries << " queries");
        if constexpr (runs_on_host<Space>) CHECK(by_buckets(space, rows, width, 1) == expected);
      });
    }
}

TEST_CASE("Buckets that stop early differ from the lexicographic order only within buckets") {
  const StepRows rows = random_step_rows(20000, 40, 9, 4);
  const auto expected = lexicographic(rows);
  for_each_backend([&]<class Space>(Space space) {
    if constexpr (runs_on_host<Space>) {
      for (const Count limit : {2, 32, 500}) {
        const auto order = by_buckets(space, rows, 9, limit);
        CHECK(longest_disagreement(order, expected) <= limit);
        CHECK(longest_disagreement(order, expected) > 1);
      }
    }
  });
}

TEST_CASE("Leaves with large numbers are sorted by comparison to the same order") {
  StepRows rows = random_step_rows(300, 16, 6, 8);
  for (auto& row : rows)
    for (auto& step : row) step = static_cast<Step>(65535 - 4000 * (16 - step));
  const auto expected = lexicographic(rows);
  for_each_backend([&]<class Space>(Space space) {
    if constexpr (runs_on_host<Space>) CHECK(by_buckets(space, rows, 6, 1) == expected);
  });
}

}  // namespace
}  // namespace copse::test
