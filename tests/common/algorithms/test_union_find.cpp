/// Sets joined by many threads, compared with components found by a flood fill on one thread.

#include "on_each_backend.hpp"
#include <copse/algorithms/union_find.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

namespace copse::test {
namespace {

struct Graph {
  LocalIndex rows = 0;
  std::vector<LocalIndex> from{}, to{};

  void add(LocalIndex a, LocalIndex b) {
    from.push_back(a);
    to.push_back(b);
  }
};

/// The smallest row of each row's component, by flood fill.
std::vector<LocalIndex> smallest_reachable(const Graph& graph) {
  std::vector<std::vector<LocalIndex>> neighbours(graph.rows);
  for (std::size_t e = 0; e < graph.from.size(); ++e) {
    neighbours[graph.from[e]].push_back(graph.to[e]);
    neighbours[graph.to[e]].push_back(graph.from[e]);
  }
  constexpr LocalIndex not_reached = ~LocalIndex{0};
  std::vector<LocalIndex> label(graph.rows, not_reached), front;
  for (LocalIndex first = 0; first < graph.rows; ++first) {
    if (label[first] != not_reached) continue;
    label[first] = first;
    front.push_back(first);
    while (!front.empty()) {
      const LocalIndex row = front.back();
      front.pop_back();
      for (const LocalIndex next : neighbours[row]) {
        if (label[next] != not_reached) continue;
        label[next] = first;
        front.push_back(next);
      }
    }
  }
  return label;
}

/// Joins edge i mod `edges`, and counts the joins that report merging two sets. With `by_roots` the
/// roots are found first, and others may join them before `unite_roots` does.
template <class MemorySpace, class Order>
struct JoinEdges {
  UnionFind<MemorySpace, Order> sets;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> from, to;
  bool by_roots;
  KOKKOS_FUNCTION void operator()(const Count i, Count& joined) const {
    const Count edge = i % from.extent(0);
    LocalIndex a = from(edge);
    LocalIndex b = to(edge);
    if (by_roots) {
      sets.climb(a, b);
      joined += sets.unite_roots(a, b) ? 1 : 0;
      if (a != b) joined += 1000000;  // both must name one row of the joined set
    } else {
      joined += sets.unite(a, b) ? 1 : 0;
    }
  }
};

/// Roots found without path splitting.
template <class MemorySpace>
struct ClimbToRoots {
  UnionFind<MemorySpace, ScatteredFirst> sets;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> root;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    root(i) = sets.root_by_now(static_cast<LocalIndex>(i));
  }
};

/// Rows whose path to the root has a step that violates the order.
template <class Order>
Count steps_against(const std::vector<LocalIndex>& forest) {
  Count against = 0;
  for (LocalIndex row = 0; row < forest.size(); ++row)
    against += forest[row] != row && !Order::is_before(forest[row], row);
  return against;
}

/// Rows whose root belongs to another component, or that differ from the root of their own.
Count rows_apart(const std::vector<LocalIndex>& roots, const std::vector<LocalIndex>& expected) {
  Count apart = 0;
  for (LocalIndex row = 0; row < roots.size(); ++row) {
    apart += roots[row] != roots[expected[row]];
    apart += expected[roots[row]] != expected[row];
  }
  return apart;
}

/// Joins every edge `times` times, concurrently, on every backend.
template <class Order>
void check_components_in(const Graph& graph, Count times, bool by_roots) {
  const auto expected = smallest_reachable(graph);
  Count components = 0;
  for (LocalIndex row = 0; row < graph.rows; ++row) components += expected[row] == row;

  for_each_backend([&]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<Count>>;
    UnionFind<Memory, Order> sets{
        Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Memory>("copse::test::parent", graph.rows)};
    make_singletons(space, sets);
    Count joined = 0;
    if (!graph.from.empty())
      Kokkos::parallel_reduce("copse::test::join", Range(space, 0, times * graph.from.size()),
                              JoinEdges<Memory, Order>{sets, to_backend<Space>(graph.from),
                                                       to_backend<Space>(graph.to), by_roots},
                              joined);
    CHECK(joined == graph.rows - components);

    space.fence();
    const auto forest = to_host(sets.parent);
    Count across = 0;
    for (LocalIndex row = 0; row < graph.rows; ++row)
      across += expected[forest[row]] != expected[row];
    CHECK(across == 0);
    CHECK(steps_against<Order>(forest) == 0);

    if constexpr (std::is_same_v<Order, ScatteredFirst>) {  // the other order's paths are too long
      const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Memory> roots("copse::test::roots",
                                                                        graph.rows);
      Kokkos::parallel_for("copse::test::climb", Range(space, 0, graph.rows),
                           ClimbToRoots<Memory>{sets, roots});
      space.fence();
      const bool paths_stay = to_host(sets.parent) == forest;
      CHECK(paths_stay);
      CHECK(rows_apart(to_host(roots), expected) == 0);
    }

    flatten_sets(space, sets);
    space.fence();
    CHECK(rows_apart(to_host(sets.parent), expected) == 0);
    if constexpr (std::is_same_v<Order, SmallestFirst>) {
      const bool labels_agree = to_host(sets.parent) == expected;
      CHECK(labels_agree);
    }
  });
}

void check_components(const Graph& graph, Count times = 1) {
  check_components_in<SmallestFirst>(graph, times, false);
  check_components_in<ScatteredFirst>(graph, times, false);
  check_components_in<ScatteredFirst>(graph, times, true);  // climbing needs short paths
}

Graph shuffled(Graph graph, unsigned seed) {
  std::vector<std::size_t> order(graph.from.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  Graph result{.rows = graph.rows};
  for (const std::size_t e : order) {
    if (random() % 2 == 0) {
      result.add(graph.from[e], graph.to[e]);
    } else {
      result.add(graph.to[e], graph.from[e]);
    }
  }
  return result;
}

TEST_CASE("Rows without joins stay sets of their own") {
  check_components({.rows = 0});
  check_components({.rows = 1000});
}

TEST_CASE("A path becomes one set for joins in any direction and order") {
  constexpr LocalIndex n = 100000;
  Graph up{.rows = n}, down{.rows = n};
  for (LocalIndex i = 0; i + 1 < n; ++i) {
    up.add(i, i + 1);
    down.add(n - 1 - i, n - 2 - i);
  }
  check_components(up);
  check_components(down);
  check_components(shuffled(up, 1));
}

TEST_CASE("A path through rows in random order becomes one set") {
  constexpr LocalIndex n = 100000;
  std::vector<LocalIndex> rows(n);
  std::iota(rows.begin(), rows.end(), LocalIndex{0});
  std::shuffle(rows.begin(), rows.end(), std::mt19937(2));
  Graph path{.rows = n};
  for (LocalIndex i = 0; i + 1 < n; ++i) path.add(rows[i], rows[i + 1]);
  check_components(path);
}

TEST_CASE("A star becomes one set for any centre row") {
  constexpr LocalIndex n = 50000;
  for (const LocalIndex middle : {LocalIndex{0}, n / 2, n - 1}) {
    Graph star{.rows = n};
    for (LocalIndex i = 0; i < n; ++i) star.add(middle, i);  // with a self-join
    check_components(star);
  }
}

/// Rows 3 k and 3 k + 1 are joined with row 3 k + 2.
TEST_CASE("Adjacent threads that hook one root under different rows join all three") {
  Graph triples{.rows = 90000};
  for (LocalIndex i = 0; i < triples.rows; i += 3) {
    triples.add(i, i + 2);
    triples.add(i + 1, i + 2);
  }
  check_components(triples);
}

TEST_CASE("Two host threads in lockstep hook one root under different rows") {
  // Started together for every three rows so that they collide; threads of one kernel would not.
  constexpr LocalIndex rounds = 50000;
  const UnionFind<Kokkos::HostSpace> sets{
      Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>("copse::test::parent",
                                                                       3 * rounds)};
  for (LocalIndex row = 0; row < 3 * rounds; ++row) sets.parent(row) = row;
  std::atomic<LocalIndex> arrived{0};
  const auto join_all = [&](LocalIndex own_row, Count& joined) {
    for (LocalIndex round = 0; round < rounds; ++round) {
      // The waiting thread sees the other's arrival late, so the other adds a delay from none to
      // too long.
      const bool is_last = ++arrived == 2 * (round + 1);
      for (LocalIndex pause = round % 64; is_last && pause > 0; --pause) arrived.load();
      for (int waited = 0; arrived.load() < 2 * (round + 1); ++waited)
        if (waited > 1000) std::this_thread::yield();
      joined += sets.unite(3 * round + own_row, 3 * round + 2) ? 1 : 0;
    }
  };
  Count joined = 0, joined_by_other = 0;
  std::thread other([&] { join_all(1, joined_by_other); });
  join_all(0, joined);
  other.join();
  CHECK(joined + joined_by_other == 2 * rounds);
  Count apart = 0;
  for (LocalIndex row = 0; row < 3 * rounds; ++row) apart += sets.find(row) != row - row % 3;
  CHECK(apart == 0);
}

TEST_CASE("Cliques become sets, and at most one join per row merges two sets") {
  Graph cliques{.rows = 600};
  for (LocalIndex i = 0; i < 600; ++i)
    for (LocalIndex j = 0; j < 600; ++j)
      if (i % 3 == j % 3) cliques.add(i, j);
  check_components(cliques);
  check_components(shuffled(cliques, 3));
}

TEST_CASE("Random sparse graphs have the components that a flood fill finds") {
  // Fewer edges than half the rows: small trees. About half: the giant component emerges. More: it
  // holds most rows.
  constexpr LocalIndex n = 100000;
  for (const std::size_t edges : {20000u, 50000u, 150000u}) {
    std::mt19937 random(static_cast<unsigned>(edges));
    std::uniform_int_distribution<LocalIndex> row(0, n - 1);
    Graph graph{.rows = n};
    while (graph.from.size() < edges) {
      const LocalIndex a = row(random), b = row(random);
      graph.add(a, b);
    }
    check_components(graph);
  }
}

TEST_CASE("The same edges joined by many threads concurrently are joined once") {
  Graph one{.rows = 10};
  one.add(7, 3);
  check_components(one, 100000);

  Graph few{.rows = 64};
  for (LocalIndex i = 0; i < 63; ++i) few.add(63 - i, (i * 7) % 64);
  check_components(few, 2000);
}

TEST_CASE("A row joined with itself changes nothing") {
  Graph selves{.rows = 1000};
  for (LocalIndex i = 0; i < 1000; ++i) selves.add(i, i);
  check_components(selves, 10);
}

/// Joins each row with the next in the worst case of concurrency: no path is split before all rows
/// are joined.
template <class Order>
Count longest_path_of_a_chain(LocalIndex rows) {
  std::vector<LocalIndex> parent(rows);
  std::iota(parent.begin(), parent.end(), LocalIndex{0});
  const auto root_of = [&](LocalIndex row) {
    while (parent[row] != row) row = parent[row];
    return row;
  };
  // From last to first: with SmallestFirst no join climbs now, and the later searches climb the
  // chain.
  for (LocalIndex row = rows - 1; row > 0; --row) {
    const LocalIndex a = root_of(row - 1), b = root_of(row);
    if (Order::is_before(a, b)) {
      parent[b] = a;
    } else {
      parent[a] = b;
    }
  }
  Count longest = 0;
  for (LocalIndex row = 0; row < rows; ++row) {
    Count length = 0;
    for (LocalIndex here = row; parent[here] != here; here = parent[here]) ++length;
    longest = std::max(longest, length);
  }
  return longest;
}

TEST_CASE(
    "A chain joined concurrently has a path as long as itself with SmallestFirst, a short one with "
    "ScatteredFirst") {
  constexpr LocalIndex n = 1 << 14;
  CHECK(longest_path_of_a_chain<SmallestFirst>(n) == n - 1);
  CHECK(longest_path_of_a_chain<ScatteredFirst>(n) <= 4 * 14);
}

TEST_CASE("The scattered order gives every row a distinct position") {
  constexpr LocalIndex n = 1 << 20;
  std::vector<std::uint32_t> places(n);
  for (LocalIndex row = 0; row < n; ++row) places[row] = ScatteredFirst::scrambled(row);
  std::sort(places.begin(), places.end());
  CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
}

}  // namespace
}  // namespace copse::test
