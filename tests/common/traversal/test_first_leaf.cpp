// Oracles: the published recursion over bounds copied to the host; the visits recorded by the
// inspector; std::stable_sort; orders that are good or bad by construction.
#include "common/algorithms/on_each_backend.hpp"
#include "point_sets.hpp"
#include "published_order.hpp"
#include "schedule_matrices.hpp"
#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/traversal/make_schedule.hpp>
#include <copse/traversal/visitors/nearest_neighbors.hpp>
#include <copse/traversal/visitors/range_count.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

template <class Space, class Visitor, class Top>
std::vector<LeafKey> keys_of(const Space& space, const Visitor& visitor, const Top& top,
                             Count queries) {
  using Memory = typename Space::memory_space;
  const Kokkos::View<LeafKey*, Kokkos::LayoutLeft, Memory> key("copse::test::key", queries);
  first_leaves(space, visitor, top, QueryList<Memory>{queries, {}}, key);
  space.fence();
  return to_host(key);
}

/// Visitors whose results are not used.
template <int Dim, class Tree, class Points>
NearestNeighbors<2, Tree> neighbors_in(const Tree& tree, const Points& queries) {
  using Memory = typename Points::memory_space;
  const Count n = queries.extent(0);
  return {tree, queries,
          NeighborLists<Memory>{{"copse::test::rows", n, 2}, {"copse::test::d2", n, 2}}};
}

template <class Space, class Tree>
void check_keys(const Space& space, const Tree& tree, const HostPoints<3>& queries) {
  const auto visitor = neighbors_in<3>(tree, points_to_backend<Space, 3>(queries));
  const auto bounds = Kokkos::create_mirror_view_and_copy(Host{}, tree.bounds);
  const std::vector<int> depths{0, 3, tree.levels};
  for (const int depth : depths) {
    INFO("depth " << depth);
    const TopHeap top = top_of(tree, depth);
    std::vector<LeafKey> expected;
    for (Count q = 0; q < queries.extent(0); ++q) {
      std::vector<LeafKey> steps;
      published_order(bounds, LanePoint<OneLane, 3>{queries(q, 0), queries(q, 1), queries(q, 2)},
                      top.columns(), tree.root(), steps);
      expected.push_back(steps.front());
    }
    CHECK(keys_of(space, visitor, top, queries.extent(0)) == expected);
    std::vector<LocalIndex> order(queries.extent(0));
    std::iota(order.begin(), order.end(), LocalIndex{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](LocalIndex a, LocalIndex b) { return expected[a] < expected[b]; });
    Scheduler<Space> scheduler(space);
    const auto made = scheduler.by_first_leaf(visitor, top, queries.extent(0));
    CHECK(to_vector<typename Space::memory_space>(made) == order);
  }
}

TEST_CASE("First leaves are those of the published walk, in trees of every kind") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& kind : point_kinds())
      for (const Count n : {Count{1}, Count{1100}}) {
        INFO(backend_name<Space>() << ", " << kind << ", n = " << n);
        const auto points = points_to_backend<Space, 3>(make_points<3>(kind, n, 1));
        const auto queries = make_points<3>(kind, 300, 2);
        BalancedTreeBuilder<Space, 3> builder(space);
        check_keys(space, builder.kd_tree(points, {.bucket_size = 4}), queries);
        check_keys(space, builder.ball_tree(points, {.bucket_size = 4}), queries);
        check_keys(space, builder.vantage_tree(points, {.bucket_size = 4}), queries);
      }
  });
}

TEST_CASE("The first leaf of an unguided walk is the lowest of those that it visits, if any") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const auto points = points_to_backend<Space, 3>(make_points<3>("uniform", 1500, 1));
    const auto queries = points_to_backend<Space, 3>(make_points<3>("clumps", 200, 2));
    BalancedTreeBuilder<Space, 3> builder(space);
    const auto tree = builder.kd_tree(points, {.bucket_size = 4});
    const RangeCount<3, Memory> visitor{tree, queries, {}, Real(0.3)};
    const TopHeap top = top_of(tree, 6);
    const VisitMatrix<Memory> visits("copse::test::visits", 200, 1);
    inspect(space, visitor, top, 0, 200, visits);
    space.fence();
    const auto words = Kokkos::create_mirror_view_and_copy(Host{}, visits);
    std::vector<LeafKey> expected;
    Count without = 0;
    for (Count q = 0; q < 200; ++q) {
      const VisitWord word = words(q, 0);
      without += word == 0;
      expected.push_back(word == 0 ? 0 : static_cast<LeafKey>(std::countr_zero(word) + 1));
    }
    REQUIRE(without > 0);
    REQUIRE(without < 200);
    CHECK(keys_of(space, visitor, top, 200) == expected);
  });
}

/// The disorder of the order of `queries` in the tree of `points`.
template <int Dim, class Space>
double disorder_of(const Space& space, const HostPoints<Dim>& points,
                   const HostPoints<Dim>& queries) {
  BalancedTreeBuilder<Space, Dim> builder(space);
  const auto tree = builder.kd_tree(points_to_backend<Space, Dim>(points), {.bucket_size = 8});
  Scheduler<Space> scheduler(space);
  return scheduler.disorder(neighbors_in<Dim>(tree, points_to_backend<Space, Dim>(queries)),
                            top_of(tree, tree.levels), queries.extent(0));
}

template <int Dim>
HostPoints<Dim> in_order(const HostPoints<Dim>& points, const std::vector<LocalIndex>& order) {
  HostPoints<Dim> moved("copse::test::points", points.extent(0));
  for (Count i = 0; i < points.extent(0); ++i)
    for (int a = 0; a < Dim; ++a) moved(i, a) = points(order[i], a);
  return moved;
}

template <int Dim>
HostPoints<Dim> along_a_curve(const HostPoints<Dim>& points, Curve curve) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  Workspace<Host> workspace;
  const Count n = points.extent(0);
  const Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, Host> keys("copse::test::keys", n);
  const ScheduleView<Host> order("copse::test::order", n);
  curve_order<Dim>(Space(), points, bounding_box(Space(), points), curve, keys, order, workspace);
  return in_order(points, to_vector<Host>(order));
}

template <int Dim>
void check_disorder(const std::string& kind) {
  const auto points = make_points<Dim>(kind, 6000, 1);
  for (const Count n : {Count{200}, Count{6000}, Count{40000}}) {
    const auto queries = make_points<Dim>(kind, n, 2);
    for_each_backend([&]<class Space>(Space space) {
      INFO(backend_name<Space>() << ", " << Dim << "-D, " << kind << ", " << n << " queries");
      const double random = disorder_of<Dim>(space, points, queries);
      const double hilbert =
          disorder_of<Dim>(space, points, along_a_curve(queries, Curve::hilbert));
      CHECK(random > 0.6);
      CHECK(random < 1.0);
      CHECK(hilbert < 0.7 * random);
      CHECK(hilbert == disorder_of<Dim>(Kokkos::DefaultHostExecutionSpace(), points,
                                        along_a_curve(queries, Curve::hilbert)));
    });
  }
}

TEST_CASE(
    "Queries in random order have a large disorder, queries along a curve a much smaller one") {
  check_disorder<2>("uniform");
  check_disorder<3>("uniform");
  check_disorder<3>("clumps");
  check_disorder<3>("collinear");
  check_disorder<7>("uniform");
}

TEST_CASE("The disorder is zero for one query, for none, and within one leaf") {
  for_each_backend([]<class Space>(Space space) {
    const auto points = make_points<3>("uniform", 1000, 1);
    const auto few = make_points<3>("uniform", 4, 1);
    const std::vector<Count> numbers{0, 1};
    for (const Count n : numbers)
      CHECK(disorder_of<3>(space, points, make_points<3>("uniform", n, 2)) == 0);
    CHECK(disorder_of<3>(space, few, points) == 0);
    CHECK(disorder_of<3>(space, points, make_points<3>("coincident", 500, 1)) == 0);
  });
}

}  // namespace
}  // namespace copse::test
