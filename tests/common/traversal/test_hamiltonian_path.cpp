// SCHED is NP-hard: the reduction of the Hamiltonian path problem of [Liu 2019] section 3.1.1,
// carried out on every graph of up to five vertices.

#include "sched.hpp"
#include "schedule_matrices.hpp"

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

using Edge = std::pair<Count, Count>;

struct Graph {
  Count vertices;
  std::vector<Edge> edges;

  /// Graph `number` with `v` vertices: bit k of the number is the k-th possible edge.
  Graph(Count v, Count number) : vertices(v) {
    for (Count a = 0, k = 0; a < v; ++a)
      for (Count b = a + 1; b < v; ++b, ++k)
        if ((number >> k & 1) != 0) edges.emplace_back(a, b);
  }
  static Count count(Count v) { return Count{1} << v * (v - 1) / 2; }

  bool adjacent(Count a, Count b) const {
    return std::count(edges.begin(), edges.end(), Edge(std::min(a, b), std::max(a, b))) > 0;
  }

  /// The largest number of consecutive vertices joined by an edge, over all orders of the vertices.
  /// A Hamiltonian path exists if it is the number of vertices minus one.
  Count most_adjacent_pairs() const {
    std::vector<Count> order(vertices);
    std::iota(order.begin(), order.end(), Count{0});
    Count most = 0;
    do {
      Count here = 0;
      for (Count i = 1; i < vertices; ++i) here += adjacent(order[i - 1], order[i]);
      most = std::max(most, here);
    } while (std::next_permutation(order.begin(), order.end()));
    return most;
  }
};

/// Point v < |V| visits the leaves of its edges. Point |V| is p_x and visits the nodes below y;
/// point |V| + 1 is p_y and visits the nodes below x. There are `hanging` nodes below each, 4 |E|
/// in the paper. Nodes that every point visits are omitted, as they do not change the differences.
BitRows walks_of(const Graph& graph, Count hanging) {
  const Count e = graph.edges.size();
  BitRows rows(graph.vertices + 2, std::vector<int>(e + 2 * hanging));
  for (Count k = 0; k < e; ++k) rows[graph.edges[k].first][k] = rows[graph.edges[k].second][k] = 1;
  for (Count i = 0; i < hanging; ++i)
    rows[graph.vertices][e + i] = rows[graph.vertices + 1][e + hanging + i] = 1;
  return rows;
}

Count least_difference(const BitRows& rows) {
  const DifferenceTable difference(visit_matrix(rows));
  return difference.cost(sched_optimum(difference));
}

TEST_CASE("The differences of the reduction are those of the paper") {
  for (Count number = 0; number < Graph::count(4); ++number) {
    const Graph graph(4, number);
    const Count e = graph.edges.size();
    const DifferenceTable difference(visit_matrix(walks_of(graph, 4 * e)));
    std::vector<Count> degree(4);
    for (const auto& [a, b] : graph.edges) ++degree[a], ++degree[b];
    for (Count v = 0; v < 4; ++v) {
      CHECK(difference(4, v) == 4 * e + degree[v]);
      CHECK(difference(5, v) == 4 * e + degree[v]);
      for (Count u = 0; u < v; ++u)
        CHECK(difference(u, v) == degree[u] + degree[v] - 2 * Count{graph.adjacent(u, v)});
    }
    CHECK(difference(4, 5) == 8 * e);
  }
}

// Oracle: all orders of the vertices.
TEST_CASE("The least Delta is 8|E| + 4|E| - 2Q, and reaches Q = |V| - 1 with a Hamiltonian path") {
  for (Count v = 1; v <= 5; ++v) {
    Count with_path = 0;
    for (Count number = 0; number < Graph::count(v); ++number) {
      const Graph graph(v, number);
      const Count e = graph.edges.size();
      const Count q = graph.most_adjacent_pairs();
      const Count least = least_difference(walks_of(graph, 4 * e));
      REQUIRE(least == 12 * e - 2 * q);
      REQUIRE((least + 2 * (v - 1) == 12 * e) == (q == v - 1));
      with_path += q == v - 1;
    }
    // Labelled graphs with a Hamiltonian path: sequence A326206 of the OEIS (which begins 0, 0).
    const Count known[] = {0, 1, 1, 4, 34, 633};
    CHECK(with_path == known[v]);
  }
}

TEST_CASE("Without p_x and p_y a smaller Delta does not imply a path") {
  Count wrong = 0;
  for (Count number = 0; number < Graph::count(5); ++number) {
    const Graph graph(5, number);
    BitRows rows = walks_of(graph, 0);
    rows.resize(5);
    const DifferenceTable difference(visit_matrix(rows));
    const HostSchedule best = sched_optimum(difference);
    Count pairs = 0;
    for (Count i = 1; i < 5; ++i) pairs += graph.adjacent(best[i - 1], best[i]);
    wrong += pairs < graph.most_adjacent_pairs();
  }
  CHECK(wrong > 0);
}

TEST_CASE("Subtrees of more nodes than the largest degree can replace those of 4|E|") {
  for (Count number = 0; number < Graph::count(5); ++number) {
    const Graph graph(5, number);
    const Count e = graph.edges.size();
    const Count hanging = 5;  // the maximum degree of five vertices, plus one
    REQUIRE(least_difference(walks_of(graph, hanging)) ==
            2 * hanging + 4 * e - 2 * graph.most_adjacent_pairs());
  }
}

}  // namespace
}  // namespace copse::test
