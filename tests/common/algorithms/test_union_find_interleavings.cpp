/// Exhaustive proof that the races of UnionFind are harmless: a few threads, one memory access at a
/// time, in every order.

#include "interleavings.hpp"
#include <copse/algorithms/union_find.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <compare>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace copse::test {
namespace {

using Parents = std::vector<LocalIndex>;
using Join = std::pair<LocalIndex, LocalIndex>;

/// UnionFind::unite, split at each access to the parent array; the private steps that follow an
/// access belong to it.
struct UnitingThread {
  enum class Access { load, load_next, shorten, exchange, overwrite };
  enum class Wants { first_root, second_root, new_root };

  std::vector<Join> joins{};
  std::size_t next_join = 0;
  LocalIndex united = 0;  ///< joins that merged two sets
  Access access = Access::load;
  Wants wants = Wants::first_root;
  LocalIndex here = 0, above = 0, next = 0;
  LocalIndex larger = 0, smaller = 0;

  bool looks_first = false;  ///< deliberate error: the compare-and-swap in two accesses

  explicit UnitingThread(std::vector<Join> all) : joins(std::move(all)) { begin(); }

  auto operator<=>(const UnitingThread&) const = default;
  bool done() const { return next_join == joins.size(); }

  void step(Parents& parent) {
    switch (access) {
      case Access::load:
        above = parent[here];
        return look_up();
      case Access::load_next:
        next = parent[above];
        if (next != above) {
          access = Access::shorten;
          return;
        }
        return climb();
      case Access::shorten:
        if (parent[here] == above) parent[here] = next;
        return climb();
      case Access::exchange: {
        const LocalIndex seen = parent[larger];
        if (seen != larger) return find(seen, Wants::new_root);
        if (looks_first) {
          access = Access::overwrite;
          return;
        }
        return hang(parent);
      }
      case Access::overwrite:
        return hang(parent);
    }
  }

 private:
  void begin() {
    if (!done()) find(joins[next_join].first, Wants::first_root);
  }
  void hang(Parents& parent) {
    parent[larger] = smaller;
    ++united;
    end();
  }
  void end() {
    ++next_join;
    begin();
  }
  void find(LocalIndex row, Wants what) {
    here = row;
    wants = what;
    access = Access::load;
  }
  void climb() {
    here = above;
    above = next;
    look_up();
  }
  void look_up() {
    if (above != here) {
      access = Access::load_next;
      return;
    }
    if (wants == Wants::first_root) {
      larger = here;
      return find(joins[next_join].second, Wants::second_root);
    }
    (wants == Wants::second_root ? smaller : larger) = here;
    if (larger == smaller) return end();
    if (larger < smaller) std::swap(larger, smaller);
    access = Access::exchange;
  }
};

/// One row of flatten_sets, split into single accesses.
struct FlatteningThread {
  enum class Access { load, load_next, shorten, finish };

  LocalIndex row = 0;
  bool writes_plainly = false;  ///< deliberate error: an unconditional store of the shortcut
  Access access = Access::load;
  bool finished = false;
  LocalIndex here = 0, above = 0, next = 0;

  FlatteningThread(LocalIndex mine, bool plainly)
      : row(mine), writes_plainly(plainly), here(mine) {}

  auto operator<=>(const FlatteningThread&) const = default;
  bool done() const { return finished; }

  void step(Parents& parent) {
    switch (access) {
      case Access::load:
        above = parent[here];
        return look_up();
      case Access::load_next:
        next = parent[above];
        if (next == above) return climb();
        access = Access::shorten;
        return;
      case Access::shorten:
        if (writes_plainly || parent[here] == above) parent[here] = next;
        return climb();
      case Access::finish:
        parent[row] = here;
        finished = true;
        return;
    }
  }

 private:
  void climb() {
    here = above;
    above = next;
    look_up();
  }
  void look_up() { access = above != here ? Access::load_next : Access::finish; }
};

/// Flattens a chain of rows with one thread per row except the root. \return final states that are
/// not flat
Count ends_not_flat(LocalIndex rows, bool plainly) {
  Parents chain(rows, 0);
  std::vector<FlatteningThread> threads;
  for (LocalIndex row = 1; row < rows; ++row) {
    chain[row] = row - 1;
    threads.emplace_back(row, plainly);
  }
  Count wrong = 0;
  explore_interleavings(
      chain, threads, [](const Parents&) {},
      [&](const Parents& parent, const auto&) { wrong += parent != Parents(rows, 0); });
  return wrong;
}

Parents each_its_own(LocalIndex rows) {
  Parents parent(rows);
  std::iota(parent.begin(), parent.end(), LocalIndex{0});
  return parent;
}

LocalIndex root_of(const Parents& parent, LocalIndex row) {
  while (parent[row] != row) row = parent[row];
  return row;
}

/// Components without a forest: labels decrease until the ends of all edges agree.
Parents components(LocalIndex rows, const std::vector<std::vector<Join>>& threads) {
  Parents label = each_its_own(rows);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& joins : threads)
      for (const auto& [a, b] : joins) {
        const LocalIndex least = std::min(label[a], label[b]);
        changed = changed || label[a] != least || label[b] != least;
        label[a] = label[b] = least;
      }
  }
  return label;
}

/// Explores all interleavings. \return the number of states
Count check_all_interleavings(LocalIndex rows, const std::vector<std::vector<Join>>& all_joins) {
  std::vector<UnitingThread> threads;
  for (const auto& joins : all_joins) threads.emplace_back(joins);
  const Parents expected = components(rows, all_joins);
  Count sets = 0;
  for (LocalIndex row = 0; row < rows; ++row) sets += expected[row] == row;

  Count rising = 0, across = 0, ends = 0, wrong_labels = 0, wrong_counts = 0;
  const Count states = explore_interleavings(
      each_its_own(rows), threads,
      [&](const Parents& parent) {
        for (LocalIndex row = 0; row < rows; ++row) {
          rising += parent[row] > row;
          across += expected[parent[row]] != expected[row];
        }
      },
      [&](const Parents& parent, const std::vector<UnitingThread>& finished) {
        ++ends;
        for (LocalIndex row = 0; row < rows; ++row)
          wrong_labels += root_of(parent, row) != expected[row];
        Count united = 0;
        for (const auto& thread : finished) united += thread.united;
        wrong_counts += united != rows - sets;
      });
  CHECK(rising == 0);
  CHECK(across == 0);
  CHECK(ends > 0);
  CHECK(wrong_labels == 0);
  CHECK(wrong_counts == 0);
  return states;
}

TEST_CASE("The steps match UnionFind: one thread builds the same forest") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    constexpr LocalIndex rows = 12;
    std::vector<Join> joins;
    for (int j = 0; j < 12; ++j) {
      const auto a = static_cast<LocalIndex>(random() % rows);
      const auto b = static_cast<LocalIndex>(random() % rows);
      joins.emplace_back(a, b);
    }
    Parents parent = each_its_own(rows);
    UnitingThread thread(joins);
    while (!thread.done()) thread.step(parent);

    Parents real = each_its_own(rows);
    const UnionFind<Kokkos::HostSpace> sets{
        Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>("copse::test::parent",
                                                                         rows)};
    for (LocalIndex row = 0; row < rows; ++row) sets.parent(row) = row;
    LocalIndex united = 0;
    for (const auto& [a, b] : joins) united += sets.unite(a, b) ? 1 : 0;
    for (LocalIndex row = 0; row < rows; ++row) real[row] = sets.parent(row);
    CHECK(parent == real);
    CHECK(thread.united == united);
  }
}

TEST_CASE("Two threads that hook the same root under different rows join all three") {
  check_all_interleavings(3, {{{0, 2}}, {{1, 2}}});
  check_all_interleavings(3, {{{0, 2}}, {{1, 2}}, {{2, 0}, {2, 1}}});
}

TEST_CASE("Rows that are flattened concurrently all end directly under their root") {
  for (LocalIndex rows = 2; rows <= 5; ++rows) CHECK(ends_not_flat(rows, false) == 0);
}

TEST_CASE("With plain stores of shortcuts, a flattened row would be moved away from its root") {
  CHECK(ends_not_flat(5, true) > 0);
}

TEST_CASE("If checking and hooking a root were two accesses, a row would be lost") {
  std::vector<UnitingThread> threads{UnitingThread({{0, 2}}), UnitingThread({{1, 2}})};
  for (auto& thread : threads) thread.looks_first = true;
  std::set<Parents> ends;
  explore_interleavings(
      each_its_own(3), threads, [](const Parents&) {},
      [&](const Parents& parent, const auto&) { ends.insert(parent); });
  CHECK(ends.count({0, 0, 0}) == 1);
  CHECK(ends.count({0, 1, 0}) == 1);  // 2 was hooked under 1 and then under 0
  CHECK(ends.count({0, 1, 1}) == 1);
}

TEST_CASE("One edge joined by three threads is joined once") {
  check_all_interleavings(2, {{{0, 1}}, {{1, 0}}, {{0, 1}}});
}

TEST_CASE("Two threads with three joins each: paths are shortened while their roots are hooked") {
  const Count states =
      check_all_interleavings(5, {{{3, 4}, {2, 3}, {0, 4}}, {{2, 4}, {1, 2}, {1, 4}}});
  CHECK(states > 100);
}

TEST_CASE("Three threads on a cycle of four rows") {
  check_all_interleavings(4, {{{0, 3}, {3, 2}}, {{1, 2}}, {{1, 0}, {2, 3}}});
}

TEST_CASE("All pairs of two joins per thread on four rows, two threads") {
  std::vector<Join> edges;
  for (LocalIndex a = 0; a < 4; ++a)
    for (LocalIndex b = 0; b < a; ++b) edges.emplace_back(a, b);
  for (const auto& first : edges)
    for (const auto& second : edges)
      for (const auto& third : edges) check_all_interleavings(4, {{first, second}, {third, first}});
}

TEST_CASE("Random joins, two per thread, three threads on four rows") {
  std::mt19937 random(2);
  const auto join = [&random] {
    const auto a = static_cast<LocalIndex>(random() % 4);
    return Join{a, static_cast<LocalIndex>((a + 1 + random() % 3) % 4)};
  };
  Count states = 0;
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<std::vector<Join>> threads(3);
    for (auto& joins : threads)
      for (int j = 0; j < 2; ++j) joins.push_back(join());
    states += check_all_interleavings(4, threads);
  }
  CHECK(states > 30000);
}

}  // namespace
}  // namespace copse::test
