// Oracles: boxes around the points of each top leaf, computed on the host; and the published
// recursion ([Liu 2019] figures 3.3 and 3.4) over bounds copied to the host.
#include "common/algorithms/on_each_backend.hpp"
#include "point_sets.hpp"
#include "published_order.hpp"
#include "schedule_matrices.hpp"
#include <copse/traversal/inspector.hpp>
#include <copse/traversal/visitors/nearest_neighbors.hpp>
#include <copse/traversal/visitors/range_count.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

constexpr int dim = 3;

template <class Element, class Space, class Visitor, class Top>
auto inspected(const Space& space, const Visitor& visitor, const Top& top, Count first, Count count,
               Count width) {
  using Memory = typename Space::memory_space;
  const Kokkos::View<Element**, Kokkos::LayoutLeft, Memory> matrix("copse::test::matrix", count,
                                                                   width);
  inspect(space, visitor, top, first, count, matrix);
  space.fence();
  return Kokkos::create_mirror_view_and_copy(Host{}, matrix);
}

template <class Matrix>
Count differences(const Matrix& found, const Matrix& expected) {
  Count wrong = 0;
  for (Count q = 0; q < expected.extent(0); ++q)
    for (Count c = 0; c < expected.extent(1); ++c) wrong += found(q, c) != expected(q, c);
  return wrong;
}

/// The bounding box of a top leaf's points.
BoxBound<dim> box_of(const HostPoints<dim>& points, const std::vector<LocalIndex>& permutation,
                     const Segment& rows) {
  constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
  BoxBound<dim> box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (Count row = rows.begin; row < rows.end; ++row)
    for (int a = 0; a < dim; ++a) {
      box.lower[a] = std::min(box.lower[a], points(permutation[row], a));
      box.upper[a] = std::max(box.upper[a], points(permutation[row], a));
    }
  return box;
}

/// A top leaf is reached if the query's sphere touches its box but does not contain it.
template <class Tree>
VisitMatrix<Host> boxes_on_the_sphere(const Tree& tree, int depth, const HostPoints<dim>& points,
                                      const HostPoints<dim>& queries, Real radius2) {
  const auto permutation = to_host(tree.permutation);
  const Count columns = Count{1} << depth;
  VisitMatrix<Host> visits("copse::test::visits", queries.extent(0), visit_words(columns));
  for (Count c = 0; c < columns; ++c) {
    const BoxBound<dim> box =
        box_of(points, permutation, tree.rows_of(static_cast<std::uint32_t>(columns + c)));
    for (Count q = 0; q < queries.extent(0); ++q) {
      const LanePoint<OneLane, dim> x{queries(q, 0), queries(q, 1), queries(q, 2)};
      if (box.min_distance2<OneLane>(x) <= radius2 && box.max_distance2<OneLane>(x) > radius2)
        visits(q, c / 64) |= VisitWord{1} << c % 64;
    }
  }
  return visits;
}

TEST_CASE("Visits are the top leaves that cross the sphere of a query") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    for (const std::string& kind : point_kinds()) {
      const auto points = make_points<dim>(kind, 1500, 1);
      const auto queries = make_points<dim>(kind, 190, 2);
      BalancedTreeBuilder<Space, dim> builder(space);
      const auto tree = builder.kd_tree(points_to_backend<Space, dim>(points), {.bucket_size = 4});
      for (const Real radius : {Real(0), Real(0.3), Real(3e5)}) {
        const RangeCount<dim, Memory> visitor{
            tree, points_to_backend<Space, dim>(queries), {}, radius * radius};
        // A named list: nvcc rejects a braced one in a generic lambda.
        const std::vector<int> depths{0, 1, 4, 7, tree.levels, tree.levels + 5};
        for (const int depth : depths) {
          INFO(backend_name<Space>()
               << ", " << kind << ", radius " << radius << ", depth " << depth);
          const TopHeap top = top_of(tree, depth);
          const int cut = std::min(depth, tree.levels);
          REQUIRE(top.columns() == Count{1} << cut);
          const Count words = visit_words(top.columns());
          const auto all = boxes_on_the_sphere(tree, cut, points, queries, radius * radius);
          CHECK(differences(inspected<VisitWord>(space, visitor, top, 0, 190, words), all) == 0);
          // A batch: queries 64 to 189 in rows 0 to 125.
          const VisitMatrix<Host> batch("copse::test::batch", 126, words);
          for (Count q = 0; q < 126; ++q)
            for (Count w = 0; w < words; ++w) batch(q, w) = all(64 + q, w);
          CHECK(differences(inspected<VisitWord>(space, visitor, top, 64, 126, words), batch) == 0);
        }
      }
    }
  });
}

template <class Space, class Tree>
void check_steps(const Space& space, const Tree& tree, const HostPoints<dim>& queries) {
  using Memory = typename Space::memory_space;
  const Count n = queries.extent(0);
  const NeighborLists<Memory> lists{{"copse::test::rows", n, 5}, {"copse::test::distance2", n, 5}};
  const NearestNeighbors<8, Tree> visitor{tree, points_to_backend<Space, dim>(queries), lists};
  const auto bounds = Kokkos::create_mirror_view_and_copy(Host{}, tree.bounds);
  const std::vector<int> depths{0, 3, tree.levels, tree.levels + 9};
  for (const int depth : depths) {
    const TopHeap top = top_of(tree, depth);
    StepRows expected(n);
    for (Count q = 0; q < n; ++q)
      published_order(bounds, LanePoint<OneLane, dim>{queries(q, 0), queries(q, 1), queries(q, 2)},
                      top.columns(), tree.root(), expected[q]);
    const std::vector<Count> all_steps{1, 3, top.columns()};
    for (const Count steps : all_steps) {
      INFO("depth " << depth << ", " << steps << " steps");
      CHECK(differences(inspected<Step>(space, visitor, top, 0, n, steps),
                        step_matrix(expected, steps)) == 0);
    }
  }
}

TEST_CASE("Steps are the top leaves in the published order, as many as a row has room for") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& kind : point_kinds())
      for (const Count n : {Count{5}, Count{1100}}) {
        INFO(backend_name<Space>() << ", " << kind << ", n = " << n);
        const auto points = points_to_backend<Space, dim>(make_points<dim>(kind, n, 1));
        const auto queries = make_points<dim>(kind, 70, 2);
        BalancedTreeBuilder<Space, dim> builder(space);
        check_steps(space, builder.kd_tree(points, {.bucket_size = 8}), queries);
        check_steps(space, builder.ball_tree(points, {.bucket_size = 8}), queries);
        check_steps(space, builder.vantage_tree(points, {.bucket_size = 8}), queries);
      }
  });
}

TEST_CASE("In an empty tree no query reaches a leaf, and no queries leave no rows") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    BalancedTreeBuilder<Space, dim> builder(space);
    const auto none = points_to_backend<Space, dim>(make_points<dim>("uniform", 0, 1));
    const auto some = points_to_backend<Space, dim>(make_points<dim>("uniform", 50, 1));
    const auto empty_tree = builder.kd_tree(none, {.bucket_size = 4});
    const RangeCount<dim, Memory> in_empty{empty_tree, some, {}, Real(100)};
    const TopHeap top = top_of(empty_tree, 6);
    REQUIRE(top.columns() == 1);
    CHECK(differences(inspected<VisitWord>(space, in_empty, top, 0, 50, 1),
                      VisitMatrix<Host>("copse::test::none", 50, 1)) == 0);
    const auto tree = builder.kd_tree(some, {.bucket_size = 4});
    const RangeCount<dim, Memory> without_queries{tree, none, {}, Real(100)};
    CHECK(inspected<VisitWord>(space, without_queries, top_of(tree, 2), 0, 0, 1).extent(0) == 0);
  });
}

TEST_CASE("A guided walk without room for steps records none") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    BalancedTreeBuilder<Space, dim> builder(space);
    const auto points = points_to_backend<Space, dim>(make_points<dim>("uniform", 50, 1));
    const auto tree = builder.kd_tree(points, {.bucket_size = 4});
    const NeighborLists<Memory> lists{{"copse::test::rows", 50, 1}, {"copse::test::d2", 50, 1}};
    const NearestNeighbors<1, BoxTree<dim, Memory>> visitor{tree, points, lists};
    CHECK(inspected<Step>(space, visitor, top_of(tree, 3), 0, 50, 0).size() == 0);
  });
}

}  // namespace
}  // namespace copse::test
