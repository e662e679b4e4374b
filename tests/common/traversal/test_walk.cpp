// Oracle: all pairs on the host, with the suite's definition of distance.
#include "every_walk.hpp"
#include "point_sets.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/traversal/visitors/nearest_neighbors.hpp>
#include <copse/traversal/visitors/range_count.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

namespace copse::test {
namespace {

template <int Dim>
std::vector<std::uint32_t> counts_by_brute_force(const HostPoints<Dim>& points,
                                                 const HostPoints<Dim>& queries, Real radius2) {
  std::vector<std::uint32_t> counts(queries.extent(0), 0);
  for (Count q = 0; q < queries.extent(0); ++q)
    for (Count i = 0; i < points.extent(0); ++i)
      counts[q] += distance2<Dim>(queries, q, points, i) <= radius2;
  return counts;
}

TEST_CASE("Every walk counts the points within a radius as brute force does") {
  for_each_backend([]<class Space>(Space space) {
    for_each_dimension([&](auto dim) {
      constexpr int Dim = dim();
      using Memory = typename Space::memory_space;
      for (const std::string& kind : point_kinds())
        for (const Count n : {Count{1}, Count{31}, Count{1500}}) {
          const auto points = make_points<Dim>(kind, n, 1);
          const auto queries = make_points<Dim>(kind, 277, 2);
          BalancedTreeBuilder<Space, Dim> builder(space);
          const auto tree =
              builder.kd_tree(points_to_backend<Space, Dim>(points), {.bucket_size = 8});
          const auto device_queries = points_to_backend<Space, Dim>(queries);
          for (const Real radius :
               {Real(0), Real(0.3), Real(3e5), Kokkos::Experimental::infinity_v<Real>}) {
            const auto expected = counts_by_brute_force<Dim>(points, queries, radius * radius);
            for (const WalkKind walk_kind : walks<Space>(true))
              for (const auto& order : query_orders<Space>(queries.extent(0))) {
                INFO(backend_name<Space>()
                     << ", " << Dim << "-D, " << kind << ", n = " << n << ", radius " << radius
                     << ", walk " << static_cast<int>(walk_kind));
                const Kokkos::View<std::uint32_t*, Memory> counts("copse::test::counts",
                                                                  queries.extent(0));
                walk(space, walk_kind,
                     RangeCount<Dim, Memory>{tree, device_queries, counts, radius * radius}, order);
                CHECK(to_host(counts) == expected);
              }
          }
        }
    });
  });
}

/// Squared distances to the k nearest points, ascending, query after query.
template <int Dim>
std::vector<Real> nearest_by_brute_force(const HostPoints<Dim>& points,
                                         const HostPoints<Dim>& queries, int k) {
  std::vector<Real> nearest;
  for (Count q = 0; q < queries.extent(0); ++q) {
    std::vector<Real> all;
    for (Count i = 0; i < points.extent(0); ++i)
      all.push_back(distance2<Dim>(queries, q, points, i));
    all.resize(std::max<std::size_t>(all.size(), k), Kokkos::Experimental::infinity_v<Real>);
    std::sort(all.begin(), all.end());
    nearest.insert(nearest.end(), all.begin(), all.begin() + k);
  }
  return nearest;
}

/// Walks the tree with capacity K and compares the k neighbours with `expected`. The rows must be
/// distinct points at the stored distances.
template <int K, class Space, class Tree>
void check_nearest(const Space& space, const Tree& tree, const HostPoints<Tree::dimension>& points,
                   const HostPoints<Tree::dimension>& queries, int k,
                   const std::vector<Real>& expected) {
  constexpr int Dim = Tree::dimension;
  using Memory = typename Space::memory_space;
  const Count n = queries.extent(0);
  const auto device_queries = points_to_backend<Space, Dim>(queries);
  const auto permutation = to_host(tree.permutation);
  std::vector<LocalIndex> first_rows;
  // In random order the box of a packet is as large as the domain, along a curve it is small.
  std::vector<QueryList<Memory>> orders = query_orders<Space>(n);
  BalancedTreeBuilder<Space, Dim> sorter(space);
  orders.push_back(
      {n, sorter.curve_tree(device_queries, Curve::hilbert, {.bucket_size = 8}).permutation});
  for (const WalkKind walk_kind : walks<Space>(BoxSearchVisitor<NearestNeighbors<K, Tree>>))
    for (const auto& order : orders) {
      NeighborLists<Memory> lists{{"copse::test::rows", n, static_cast<std::size_t>(k)},
                                  {"copse::test::distance2", n, static_cast<std::size_t>(k)}};
      walk(space, walk_kind, NearestNeighbors<K, Tree>{tree, device_queries, lists}, order);
      const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lists.rows);
      const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lists.distance2);
      INFO("walk " << static_cast<int>(walk_kind));
      int wrong = 0;
      std::vector<LocalIndex> all_rows;
      for (Count q = 0; q < n; ++q)
        for (int j = 0; j < k; ++j) {
          const LocalIndex row = rows(q, j);
          all_rows.push_back(row);
          wrong += found(q, j) != expected[q * static_cast<Count>(k) + static_cast<Count>(j)];
          const bool exists = row != NeighborLists<Memory>::no_neighbor;
          wrong += exists != (static_cast<Count>(j) < points.extent(0));
          if (!exists) continue;
          wrong += distance2<Dim>(queries, q, points, permutation[row]) != found(q, j);
          for (int before = 0; before < j; ++before) wrong += rows(q, before) == row;
        }
      CHECK(wrong == 0);
      if (first_rows.empty()) first_rows = all_rows;
      CHECK(all_rows == first_rows);
    }
}

TEST_CASE("Every walk in every tree finds the neighbours that brute force finds") {
  for_each_backend([]<class Space>(Space space) {
    for_each_dimension([&](auto dim) {
      constexpr int Dim = dim();
      for (const std::string& kind : point_kinds())
        for (const Count n : {Count{1}, Count{7}, Count{1100}}) {
          const auto points = make_points<Dim>(kind, n, 1);
          const auto queries = make_points<Dim>(kind, 77, 2);
          INFO(backend_name<Space>() << ", " << Dim << "-D, " << kind << ", n = " << n);
          BalancedTreeBuilder<Space, Dim> builder(space);
          const auto device_points = points_to_backend<Space, Dim>(points);
          const BalancedOptions options{.bucket_size = 8};
          const auto five = nearest_by_brute_force<Dim>(points, queries, 5);
          check_nearest<8>(space, builder.kd_tree(device_points, options), points, queries, 5,
                           five);
          // Long lists are heaps on a device.
          check_nearest<16>(space, builder.kd_tree(device_points, options), points, queries, 16,
                            nearest_by_brute_force<Dim>(points, queries, 16));
          // Beyond all points, where no leaf overlaps the box of a packet.
          HostPoints<Dim> beyond("copse::test::beyond", queries.extent(0));
          for (Count q = 0; q < queries.extent(0); ++q)
            for (int a = 0; a < Dim; ++a) beyond(q, a) = queries(q, a) + Real(20);
          const auto eight = nearest_by_brute_force<Dim>(points, beyond, 8);
          check_nearest<8>(space, builder.curve_tree(device_points, Curve::hilbert, options),
                           points, beyond, 8, eight);
          const auto one = nearest_by_brute_force<Dim>(points, queries, 1);
          check_nearest<1>(space, builder.kd_tree(device_points, options), points, queries, 1, one);
          check_nearest<1>(space, builder.ball_tree(device_points, options), points, queries, 1,
                           one);
          check_nearest<1>(space, builder.vantage_tree(device_points, options), points, queries, 1,
                           one);
        }
    });
  });
}

TEST_CASE("Searches that begin at the point's own leaf find the same as from the root") {
  for_each_backend([]<class Space>(Space space) {
    for_each_dimension([&](auto dim) {
      constexpr int Dim = dim();
      using Memory = typename Space::memory_space;
      using Tree = BoxTree<Dim, Memory>;
      constexpr int k = 4;
      for (const std::string& kind : point_kinds())
        for (const Count n : {Count{3}, Count{40}, Count{300}}) {
          const auto points = points_to_backend<Space, Dim>(make_points<Dim>(kind, n, 1));
          BalancedTreeBuilder<Space, Dim> builder(space);
          // Leaves smaller and larger than a packet. Queries in tree order, where packets share
          // leaves, and in input order.
          for (const std::uint32_t bucket_size : {5u, 70u}) {
            const Tree tree = builder.kd_tree(points, {.bucket_size = bucket_size});
            const Kokkos::View<LocalIndex*, Memory> row_of_query("copse::test::row_of_query", n);
            invert_permutation(space, tree.permutation, row_of_query);
            const auto find = [&](WalkKind walk_kind, const auto& own, const auto& order) {
              const NeighborLists<Memory> lists{{"copse::test::rows", n, k},
                                                {"copse::test::distance2", n, k}};
              walk(space, walk_kind, NearestNeighbors<k, Tree>{tree, points, lists, own}, order);
              const auto rows =
                  Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lists.rows);
              return std::vector<LocalIndex>(rows.data(), rows.data() + rows.size());
            };
            const Kokkos::View<const LocalIndex*, Memory> strangers;
            std::vector<QueryList<Memory>> orders = query_orders<Space>(n);
            orders.push_back({n, tree.permutation});
            const auto from_root = find(WalkKind::stack, strangers, orders.front());
            for (const WalkKind walk_kind : walks<Space>(true))
              for (const auto& order : orders) {
                INFO(backend_name<Space>()
                     << ", " << Dim << "-D, " << kind << ", n = " << n << ", leaves of "
                     << bucket_size << ", walk " << static_cast<int>(walk_kind));
                CHECK(find(walk_kind, row_of_query, order) == from_root);
              }
          }
        }
    });
  });
}

TEST_CASE("The group walk has a first bound also for queries whose leaves are not known") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    using Tree = BoxTree<3, Memory>;
    constexpr int k = 8;
    constexpr Count n = 20000;
    BalancedTreeBuilder<Space, 3> builder(space);
    for (const char* kind : {"uniform", "clumps"}) {
      const auto points = points_to_backend<Space, 3>(make_points<3>(kind, n, 1));
      const BalancedOptions odd{.bucket_size = 20};  // no packet begins with every leaf
      for (const Tree& tree :
           {builder.kd_tree(points, {.bucket_size = 16}), builder.kd_tree(points, odd),
            builder.curve_tree(points, Curve::hilbert, odd)}) {
        const Kokkos::View<LocalIndex*, Memory> row_of_query("copse::test::row_of_query", n);
        invert_permutation(space, tree.permutation, row_of_query);
        const auto count = [&](const Kokkos::View<const LocalIndex*, Memory>& own) {
          const NeighborLists<Memory> lists{{"copse::test::rows", n, k},
                                            {"copse::test::distance2", n, k}};
          const NearestNeighbors<k, Tree> visitor{tree, points, lists, own};
          return count_walk(space, WalkKind::group, visitor, {n, tree.permutation});
        };
        const auto known = count(row_of_query), unknown = count({});
        INFO(backend_name<Space>()
             << ", " << kind << ", leaves of " << tree.bucket_size << ", with own leaves "
             << known.rows << " rows searched, " << known.lane_rows << " compared");
        CHECK(known.rows > 0);
        CHECK(unknown.rows <= known.rows + known.rows / 4);
        CHECK(unknown.lane_rows <= known.lane_rows + known.lane_rows / 5);
      }
    }
  });
}

TEST_CASE("Walks handle an empty tree and an empty list of queries") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    constexpr int Dim = 3;
    BalancedTreeBuilder<Space, Dim> builder(space);
    const auto none = points_to_backend<Space, Dim>(make_points<Dim>("uniform", 0, 1));
    const auto some = points_to_backend<Space, Dim>(make_points<Dim>("uniform", 50, 1));
    const auto empty_tree = builder.kd_tree(none, {.bucket_size = 4});
    const auto tree = builder.kd_tree(some, {.bucket_size = 4});
    for (const WalkKind kind : walks<Space>(true)) {
      const Kokkos::View<std::uint32_t*, Memory> counts("copse::test::counts", 50);
      Kokkos::deep_copy(counts, 99);
      walk(space, kind, RangeCount<Dim, Memory>{empty_tree, some, counts, Real(100)}, {50, {}});
      CHECK(to_host(counts) == std::vector<std::uint32_t>(50, 0));
      walk(space, kind, RangeCount<Dim, Memory>{tree, none, counts, Real(100)}, {0, {}});
      CHECK(to_host(counts) == std::vector<std::uint32_t>(50, 0));
    }
  });
}

TEST_CASE("Packets visit every node that one of their queries visits, and truncate the others") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    constexpr int Dim = 3;
    const auto points = points_to_backend<Space, Dim>(make_points<Dim>("uniform", 3000, 1));
    BalancedTreeBuilder<Space, Dim> builder(space);
    const auto tree = builder.kd_tree(points, {.bucket_size = 8});
    const Kokkos::View<std::uint32_t*, Memory> counts("copse::test::counts", 3000);
    const RangeCount<Dim, Memory> visitor{tree, points, counts, Real(0.01)};
    const QueryList<Memory> sorted{3000, tree.permutation};
    const QueryList<Memory> unsorted{3000, {}};
    const auto alone = count_walk(space, WalkKind::stack, visitor, unsorted);
    for (const WalkKind kind : {WalkKind::lockstep, WalkKind::fsm}) {
      const auto in_order = count_walk(space, kind, visitor, sorted);
      const auto at_random = count_walk(space, kind, visitor, unsorted);
      // In an unguided walk every query visits the nodes that it would visit alone, whatever its
      // packet does.
      CHECK(in_order.lane_nodes == alone.nodes);
      CHECK(at_random.lane_nodes == alone.nodes);
      CHECK(in_order.nodes < at_random.nodes);
      CHECK(in_order.utilisation() > at_random.utilisation());
      CHECK(at_random.truncations > in_order.truncations);
      CHECK(in_order.lane_rows == alone.rows);
      CHECK(in_order.rows < at_random.rows);
    }
  });
}

TEST_CASE("In a tree of one leaf every query and every packet searches all rows") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    constexpr int Dim = 3;
    constexpr Count n = 300;
    const auto points = points_to_backend<Space, Dim>(make_points<Dim>("uniform", n, 1));
    BalancedTreeBuilder<Space, Dim> builder(space);
    const auto tree = builder.kd_tree(points, {.bucket_size = n});
    const Kokkos::View<std::uint32_t*, Memory> counts("copse::test::counts", n);
    const RangeCount<Dim, Memory> visitor{tree, points, counts, Real(0.01)};
    for (const WalkKind kind : {WalkKind::stack, WalkKind::lockstep, WalkKind::fsm}) {
      const auto counted = count_walk(space, kind, visitor, {n, {}});
      CHECK(counted.lane_rows == n * n);
      CHECK(counted.rows == counted.packets * n);
    }
    // In a group walk, lanes test points against the box, and queries compare only points near the
    // box.
    const auto group = count_walk(space, WalkKind::group, visitor, {n, {}});
    CHECK(group.nodes == group.packets);
    CHECK(group.rows == group.packets * n);
    CHECK(group.lane_rows <= group.rows * static_cast<Count>(group.width));
  });
}

}  // namespace
}  // namespace copse::test
