#include "schedule_matrices.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/sandpile.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

/// The paper's algorithm literally (figure 3.6, corrected), with its vectors.
std::vector<LocalIndex> sandpile_by_vectors(const BitRows& rows) {
  std::vector<LocalIndex> pile(rows.size());
  std::iota(pile.begin(), pile.end(), LocalIndex{0});
  for (Count c = 0; c < rows[0].size(); ++c) {
    std::vector<LocalIndex> taken, untaken;
    for (const LocalIndex q : pile) (rows[q][c] != 0 ? taken : untaken).push_back(q);
    taken.insert(taken.end(), untaken.begin(), untaken.end());
    pile = taken;
  }
  return pile;
}

/// Sort by whole rows: compares from the last column back, reached before not reached.
std::vector<LocalIndex> sorted_by_rows(const BitRows& rows) {
  return stably_sorted(rows.size(), [&](LocalIndex a, LocalIndex b) {
    return std::lexicographical_compare(rows[b].rbegin(), rows[b].rend(), rows[a].rbegin(),
                                        rows[a].rend());
  });
}

template <class Space>
std::vector<LocalIndex> on_host(const Space& space, const BitRows& rows) {
  const ScheduleView<Host> order("copse::test::order", rows.size());
  Workspace<Host> workspace;
  sandpile(space, visit_matrix(rows), rows[0].size(), order, workspace);
  return to_vector<Host>(order);
}

TEST_CASE("The sandpile gives the published schedule of points A to H") {
  for_each_backend([]<class Space>(Space space) {
    if constexpr (runs_on_host<Space>)
      CHECK(letters(on_host(space, published_rows())) == "DHAEBCGF");
  });
}

// Oracles: the paper's own vectors, and std::stable_sort by whole rows.
TEST_CASE("The sandpile is the stable sort by rows whose last column decides first") {
  for (const Count columns : {1, 7, 63, 64, 65, 128, 200})
    for (const Count queries : {1, 2, 33, 5000}) {
      const BitRows rows = random_bit_rows(queries, columns, 11);
      const auto expected = sandpile_by_vectors(rows);
      REQUIRE(sorted_by_rows(rows) == expected);
      for_each_backend([&]<class Space>(Space space) {
        INFO(backend_name<Space>() << ", " << columns << " columns, " << queries << " queries");
        if constexpr (runs_on_host<Space>) CHECK(on_host(space, rows) == expected);
      });
    }
}

TEST_CASE("The order of the sandpile does not depend on its chunks") {
  const BitRows rows = random_bit_rows(6 * detail::sandpile_chunk + 5, 20, 3);
  const auto expected = sandpile_by_vectors(rows);
  for_each_backend([&]<class Space>(Space space) {
    if constexpr (runs_on_host<Space>) CHECK(on_host(space, rows) == expected);
  });
}

}  // namespace
}  // namespace copse::test
