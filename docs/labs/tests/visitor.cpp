// Oracle: all pairs on the host.
#include "visitor.hpp"

#include "common/algorithms/on_each_backend.hpp"
#include "common/traversal/every_walk.hpp"
#include "common/traversal/point_sets.hpp"
#include "lab.hpp"
#include <copse/tree/balanced_builder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace copse::labs {
namespace {

constexpr int dim = 3;

/// The half side of the smallest window around a query that holds a point, as computed.
Real half_to(const test::HostPoints<dim>& queries, Count q, const test::HostPoints<dim>& points,
             Count i) {
  Real most = 0;
  for (int a = 0; a < dim; ++a) most = std::max(most, std::abs(points(i, a) - queries(q, a)));
  return most;
}

std::vector<std::uint32_t> counted(const test::HostPoints<dim>& points,
                                   const test::HostPoints<dim>& queries, Real half) {
  std::vector<std::uint32_t> counts(queries.extent(0), 0);
  for (Count q = 0; q < queries.extent(0); ++q)
    for (Count i = 0; i < points.extent(0); ++i)
      counts[q] += half_to(queries, q, points, i) <= half;
  return counts;
}

TEST_CASE("Every walk counts the points of a window as all pairs do") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    for (const std::string& kind : test::point_kinds())
      for (const Count n : {Count{1}, Count{9}, Count{1200}}) {
        const auto points = test::make_points<dim>(kind, n, 1);
        const auto queries = test::make_points<dim>(kind, 133, 2);
        BalancedTreeBuilder<Space, dim> builder(space);
        const auto tree =
            builder.kd_tree(test::points_to_backend<Space, dim>(points), {.bucket_size = 8});
        const auto there = test::points_to_backend<Space, dim>(queries);
        std::vector<Real> halves{0, Real(0.125), Real(4e5)};
        for (Count i = 0; i < 9 && i < n; ++i)  // a point on the face of a window
          halves.push_back(half_to(queries, i, points, i));
        for (const Real half : halves) {
          const auto expected = counted(points, queries, half);
          for (const WalkKind walk_kind : test::walks<Space>()) {
            INFO(backend_name<Space>() << ", " << kind << ", n = " << n << ", half " << half << ", "
                                       << walk_name(walk_kind));
            const Kokkos::View<std::uint32_t*, Memory> counts("copse::labs::counts", 133);
            walk(space, walk_kind, WindowCount<dim, Memory>{tree, there, counts, half},
                 QueryList<Memory>{133, {}, 0});
            CHECK(test::to_host(counts) == expected);
          }
        }
      }
  });
}

TEST_CASE("A window around all points accepts the root, and one apart from them skips it") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const auto points =
        test::points_to_backend<Space, dim>(test::make_points<dim>("uniform", 999, 1));
    BalancedTreeBuilder<Space, dim> builder(space);
    const auto tree = builder.kd_tree(points, {.bucket_size = 8});
    const Points<dim, Memory> far("copse::labs::far", 999);
    Kokkos::deep_copy(far, Real(7));
    const Kokkos::View<std::uint32_t*, Memory> counts("copse::labs::counts", 999);
    const QueryList<Memory> queries{999, {}, 0};
    for (const auto& [where, count] : {std::pair{points, 999U}, std::pair{far, 0U}}) {
      const WindowCount<dim, Memory> visitor{tree, where, counts, Real(2)};
      CHECK(count_walk(space, WalkKind::stack, visitor, queries).lane_nodes == 999);
      CHECK(test::to_host(counts) == std::vector<std::uint32_t>(999, count));
    }
  });
}

TEST_CASE("queries a second of a window count", "[.measure]") {
  using Space = Kokkos::DefaultExecutionSpace;
  using Memory = Space::memory_space;
  const Space space;
  const Count n = 300000;
  const auto points = test::points_to_backend<Space, dim>(test::make_points<dim>("uniform", n, 1));
  BalancedTreeBuilder<Space, dim> builder(space);
  const auto tree = builder.kd_tree(points, {});
  const auto half = static_cast<Real>(std::cbrt(30.0 / static_cast<double>(n)) / 2);
  const Kokkos::View<std::uint32_t*, Memory> counts("copse::labs::counts", n);
  const WindowCount<dim, Memory> visitor{tree, tree.points, counts, half};
  const QueryList<Memory> queries{n, {}, 0};
  const double seconds = fastest([&] { walk(space, WalkKind::fsm, visitor, queries); });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree.points);
  const test::HostPoints<dim> some = Kokkos::subview(host, std::pair{0, 16}, Kokkos::ALL);
  const auto found = test::to_host(Kokkos::subview(counts, std::pair{0, 16}));
  REQUIRE(found == counted(host, some, half));
  report("queries_per_second", static_cast<double>(n) / seconds, "1/s");
}

}  // namespace
}  // namespace copse::labs
