// Oracles: the definition of a packet's cost, counted leaf by leaf, and the order along a curve,
// which knows the positions of the queries.
#include "schedule.hpp"

#include "common/algorithms/on_each_backend.hpp"
#include "common/traversal/point_sets.hpp"
#include "common/traversal/walks_in_cube.hpp"
#include "lab.hpp"
#include <copse/traversal/inspector.hpp>
#include <copse/traversal/visitors/range_count.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace copse::labs {
namespace {

using Order = std::vector<std::uint32_t>;
using Reached = std::vector<std::uint64_t>;

Order input_order(std::size_t n) {
  Order order(n);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

/// Leaves that packets of 32 visit: a packet visits every leaf that one of its queries reaches.
int packet_visits(const Reached& reached, const Order& order) {
  int visits = 0;
  for (std::size_t first = 0; first < order.size(); first += 32) {
    std::uint64_t any = 0;
    for (std::size_t i = first; i < std::min(first + 32, order.size()); ++i)
      any |= reached[order[i]];
    visits += std::popcount(any);
  }
  return visits;
}

void check_order(const Reached& reached, const Order& order) {
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == input_order(reached.size()));
  std::map<std::uint64_t, std::uint32_t> last;  // query of each set of leaves
  bool stable = true;
  for (const std::uint32_t query : order) {
    const auto [place, is_new] = last.try_emplace(reached[query], query);
    stable = stable && (is_new || place->second < query);
    place->second = query;
  }
  CHECK(stable);
}

TEST_CASE("Every query walks once, and queries that reach the same leaves stay in input order") {
  for (const Reached& reached :
       {Reached{}, Reached{5}, Reached(100, 0), Reached(100, ~std::uint64_t{0}),
        Reached{1, 0, 1, ~std::uint64_t{0}, 0, 1}})
    check_order(reached, schedule(reached));
}

TEST_CASE("Packets visit few leaves without knowing where the queries are") {
  const test::WalksInCube<2> square(6, 0.1);
  const auto queries = test::random_points<2>(20000, 4);
  Reached reached;
  for (const auto& query : queries) {
    reached.push_back(0);
    for (const Step leaf : square.walk(query, false))
      reached.back() |= std::uint64_t{1} << (leaf - 1);
  }
  const Order order = schedule(reached);
  check_order(reached, order);
  Order along_curve = input_order(queries.size());
  std::sort(along_curve.begin(), along_curve.end(), [&](std::uint32_t a, std::uint32_t b) {
    return square.tree_key(queries[a]) < square.tree_key(queries[b]);
  });
  const int in_order = packet_visits(reached, order);
  CHECK(in_order <= packet_visits(reached, along_curve));
  CHECK(7 * in_order <= packet_visits(reached, input_order(queries.size())));
}

TEST_CASE("queries a second, inspection and schedule included", "[.measure]") {
  using Space = Kokkos::DefaultExecutionSpace;
  using Memory = Space::memory_space;
  const Space space;
  const Count n = 300000;
  const auto points = test::points_to_backend<Space, 3>(test::make_points<3>("uniform", n, 1));
  BalancedTreeBuilder<Space, 3> builder(space);
  const auto tree = builder.kd_tree(points, {});
  const auto radius = static_cast<Real>(std::cbrt(30.0 * 3 / (4 * M_PI * static_cast<double>(n))));
  const Kokkos::View<std::uint32_t*, Memory> counts("copse::labs::counts", n);
  const RangeCount<3, Memory> visitor{tree, points, counts, radius * radius};
  const VisitMatrix<Memory> matrix("copse::labs::matrix", n, 1);
  const double seconds = fastest([&] {
    Kokkos::deep_copy(space, matrix, VisitWord{0});
    inspect(space, visitor, top_of(tree, 6), 0, n, matrix);
    space.fence("copse::labs::inspect");
    const auto reached = test::to_host(Kokkos::subview(matrix, Kokkos::ALL, 0));
    walk(space, WalkKind::fsm, visitor,
         QueryList<Memory>{n, test::to_backend<Space>(schedule(reached)), 0});
  });
  report("queries_per_second", static_cast<double>(n) / seconds, "1/s");
}

}  // namespace
}  // namespace copse::labs
