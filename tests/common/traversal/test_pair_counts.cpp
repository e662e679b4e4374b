// Oracle: all pairs on the host, with the suite's definition of distance; for lattice points also
// in integers, where comparisons with the edges are exact.
#include "every_walk.hpp"
#include "point_sets.hpp"
#include <copse/backend/dimensions.hpp>
#include <copse/backend/error.hpp>
#include <copse/traversal/visitors/pair_counts.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

constexpr int max_bins = 8;

using Bins = std::vector<Count>;

/// Edges of one bin, of the maximum number of bins, of bins that begin at 0 and of bins at large
/// separations.
std::vector<std::vector<Real>> edge_lists() {
  return {{0, 0.125f, 0.25f, 0.5f, 2},
          {0.25f, 0.375f},
          {0.01f, 0.02f, 0.04f, 0.08f, 0.16f, 0.32f, 0.64f, 1.28f, 2.56f},
          {0.5f, 3e5f, 1e6f},
          {0, 1e18f}};
}

template <int Dim>
Bins bins_by_brute_force(const HostPoints<Dim>& points, const HostPoints<Dim>& queries,
                         const std::vector<Real>& edges) {
  Bins bins(edges.size() - 1, 0);
  for (Count q = 0; q < queries.extent(0); ++q)
    for (Count i = 0; i < points.extent(0); ++i) {
      const Real d2 = distance2<Dim>(queries, q, points, i);
      for (std::size_t b = 0; b < bins.size(); ++b)
        bins[b] += edges[b] * edges[b] <= d2 && d2 < edges[b + 1] * edges[b + 1];
    }
  return bins;
}

template <class Space, int Dim>
Bins counted(const Space& space, WalkKind kind,
             const BoxTree<Dim, typename Space::memory_space>& tree,
             const Points<Dim, typename Space::memory_space>& queries,
             const std::vector<Real>& edges, const QueryList<typename Space::memory_space>& order) {
  using Memory = typename Space::memory_space;
  const PairTotals<Memory> totals("copse::test::totals", pair_copies, edges.size() - 1);
  walk(space, kind,
       PairCounts<max_bins, Dim, Memory>{tree, queries, totals, pair_edges2<max_bins>(edges)},
       order);
  space.fence();
  return pair_totals<Memory>(totals);
}

TEST_CASE("Every walk counts the pairs of each separation as brute force does") {
  for_each_backend([]<class Space>(Space space) {
    for_each_dimension([&](auto dim) {
      constexpr int Dim = dim();
      for (const std::string& kind : point_kinds())
        for (const Count n : {Count{1}, Count{700}}) {
          const auto points = make_points<Dim>(kind, n, 1);
          const auto queries = make_points<Dim>(kind, 277, 2);
          BalancedTreeBuilder<Space, Dim> builder(space);
          const auto tree =
              builder.kd_tree(points_to_backend<Space, Dim>(points), {.bucket_size = 8});
          const auto device_queries = points_to_backend<Space, Dim>(queries);
          for (const auto& edges : edge_lists()) {
            const Bins expected = bins_by_brute_force<Dim>(points, queries, edges);
            for (const WalkKind walk_kind : walks<Space>())
              for (const auto& order : query_orders<Space>(queries.extent(0))) {
                INFO(backend_name<Space>() << ", " << Dim << "-D, " << kind << ", n = " << n
                                           << ", edges from " << edges[0] << " to " << edges.back()
                                           << ", walk " << static_cast<int>(walk_kind));
                CHECK(counted<Space, Dim>(space, walk_kind, tree, device_queries, edges, order) ==
                      expected);
              }
          }
        }
    });
  });
}

TEST_CASE("Separations that are an edge belong to the bin above it") {
  constexpr int Dim = 3;
  constexpr int side = 9;
  HostPoints<Dim> lattice("copse::test::lattice", side * side * side);
  for (int i = 0; i < side * side * side; ++i) {
    lattice(i, 0) = Real(i % side) / 4;
    lattice(i, 1) = Real(i / side % side) / 4;
    lattice(i, 2) = Real(i / (side * side)) / 4;
  }
  // 5, 7 and 9 are lengths of several lattice vectors: (3, 4, 0), (2, 3, 6), (1, 4, 8).
  const std::vector<Real> edges{0, 0.25f, 1.25f, 1.75f, 2.25f, 4};
  const std::vector<int> lattice_edges{0, 1, 5, 7, 9, 16};
  Bins expected(5, 0);
  for (int i = 0; i < side * side * side; ++i)
    for (int j = 0; j < side * side * side; ++j) {
      const int x = i % side - j % side;
      const int y = i / side % side - j / side % side;
      const int z = i / (side * side) - j / (side * side);
      for (std::size_t b = 0; b < 5; ++b)
        expected[b] += lattice_edges[b] * lattice_edges[b] <= x * x + y * y + z * z &&
                       x * x + y * y + z * z < lattice_edges[b + 1] * lattice_edges[b + 1];
    }
  for_each_backend([&]<class Space>(Space space) {
    BalancedTreeBuilder<Space, Dim> builder(space);
    const auto points = points_to_backend<Space, Dim>(lattice);
    const auto tree = builder.kd_tree(points, {.bucket_size = 4});
    for (const WalkKind kind : walks<Space>())
      CHECK(counted<Space, Dim>(space, kind, tree, points, edges, {lattice.extent(0), {}}) ==
            expected);
  });
}

TEST_CASE("Nodes that no edge cuts are counted without opening them") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    constexpr int Dim = 3;
    BalancedTreeBuilder<Space, Dim> builder(space);
    const auto points = points_to_backend<Space, Dim>(make_points<Dim>("uniform", 2000, 1));
    const auto tree = builder.kd_tree(points, {.bucket_size = 8});
    const PairTotals<Memory> totals("copse::test::totals", pair_copies, 1);
    const PairCounts<max_bins, Dim, Memory> all{tree, points, totals,
                                                pair_edges2<max_bins>({0, 10})};
    const auto counters = count_walk(space, WalkKind::stack, all, {2000, {}});
    CHECK(counters.nodes == 2000);  // the root alone
    CHECK(pair_totals<Memory>(totals) == Bins{2000 * 2000});
  });
}

TEST_CASE("Totals of pairs do not overflow 32 bits") {
  for_each_backend([]<class Space>(Space space) {
    constexpr int Dim = 3;
    BalancedTreeBuilder<Space, Dim> builder(space);
    const Count n = 70000;
    const auto points = points_to_backend<Space, Dim>(make_points<Dim>("uniform", n, 1));
    const auto tree = builder.kd_tree(points, {.bucket_size = 8});
    CHECK(counted<Space, Dim>(space, WalkKind::fsm, tree, points, {0, 10}, {n, {}}) == Bins{n * n});
  });
}

TEST_CASE("Empty sets of points and queries count nothing, and impossible edges are refused") {
  for_each_backend([]<class Space>(Space space) {
    constexpr int Dim = 3;
    BalancedTreeBuilder<Space, Dim> builder(space);
    const auto none = points_to_backend<Space, Dim>(make_points<Dim>("uniform", 0, 1));
    const auto some = points_to_backend<Space, Dim>(make_points<Dim>("uniform", 50, 1));
    const auto empty_tree = builder.kd_tree(none, {.bucket_size = 4});
    const auto tree = builder.kd_tree(some, {.bucket_size = 4});
    for (const WalkKind kind : walks<Space>()) {
      CHECK(counted<Space, Dim>(space, kind, empty_tree, some, {0, 1, 2}, {50, {}}) == Bins{0, 0});
      CHECK(counted<Space, Dim>(space, kind, tree, none, {0, 1, 2}, {0, {}}) == Bins{0, 0});
    }
  });
  const Real infinity = Kokkos::Experimental::infinity_v<Real>;
  CHECK_THROWS_AS(pair_edges2<2>({}), InputError);
  CHECK_THROWS_AS(pair_edges2<2>({1}), InputError);
  CHECK_THROWS_AS(pair_edges2<2>({0, 1, 2, 3}), InputError);
  CHECK_THROWS_AS(pair_edges2<2>({-1, 1}), InputError);
  CHECK_THROWS_AS(pair_edges2<2>({1, 1}), InputError);
  CHECK_THROWS_AS(pair_edges2<2>({2, 1}), InputError);
  CHECK_THROWS_AS(pair_edges2<2>({0, infinity}), InputError);
  CHECK_THROWS_AS(pair_edges2<2>({0, infinity - infinity}), InputError);
}

}  // namespace
}  // namespace copse::test
