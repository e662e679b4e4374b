// Oracle: the walk of the whole tree from the root, and brute force.
#include "every_walk.hpp"
#include "gravity_problem.hpp"
#include "point_sets.hpp"
#include <copse/traversal/partial_walk.hpp>
#include <copse/traversal/visitors/nearest_neighbors.hpp>
#include <copse/traversal/visitors/range_count.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>

namespace copse::test {
namespace {

constexpr int dim = 3;
constexpr Real radius2 = Real(0.04);

template <class Space>
struct CountProblem {
  using Memory = typename Space::memory_space;
  using Counts = Kokkos::View<std::uint32_t*, Memory>;

  Points<dim, Memory> points, queries;
  BoxTree<dim, Memory> tree;

  CountProblem(const Space& space, Count n, Count n_queries, unsigned seed = 1)
      : points(points_to_backend<Space, dim>(make_points<dim>("clumps", n, seed))),
        queries(points_to_backend<Space, dim>(make_points<dim>("clumps", n_queries, 2))),
        tree(BalancedTreeBuilder<Space, dim>(space).kd_tree(points, {.bucket_size = 8})) {}

  Counts counts() const { return Counts("copse::test::counts", queries.extent(0)); }
  RangeCount<dim, Memory> visitor(const Counts& counts) const {
    return {tree, queries, counts, radius2};
  }
  std::vector<std::uint32_t> from_root(const Space& space) const {
    const Counts found = counts();
    walk(space, WalkKind::stack, visitor(found), {queries.extent(0), {}});
    return to_host(found);
  }
};

/// Marks about a third of the heap's nodes at some depths as having missing children.
template <class Space>
auto some_nodes(const BalancedHeap& heap, int from_depth, int to_depth, unsigned seed) {
  std::vector<std::uint8_t> elsewhere(heap.node_slots(), 0);
  std::mt19937 random(seed);
  for (Node node = Node{1} << from_depth; node < Node{1} << to_depth; ++node)
    elsewhere[node] = random() % 3 == 0;
  return Kokkos::View<const std::uint8_t*, typename Space::memory_space>(
      to_backend<Space>(elsewhere));
}

/// Every packet begins with the same nodes, with all lanes.
template <class Space>
FromEntries<typename Space::memory_space> same_entries(Count packets,
                                                       const std::vector<Node>& nodes) {
  std::vector<Count> first;
  std::vector<MaskedNode> entries;
  for (Count p = 0; p <= packets; ++p) first.push_back(p * nodes.size());
  for (Count p = 0; p < packets; ++p)
    for (const Node node : nodes) entries.push_back({node, ~0u});
  return {to_backend<Space>(first), to_backend<Space>(entries)};
}

template <class Space>
Count packets_of(WalkKind kind, const QueryList<typename Space::memory_space>& queries) {
  return queries.packets(walk_width<Space>(kind));
}

TEST_CASE(
    "A walk from given nodes finds everything below them, and from all nodes of one depth "
    "everything") {
  for_each_backend([]<class Space>(Space space) {
    const CountProblem<Space> problem(space, 2000, 277);
    const auto whole = problem.from_root(space);
    const auto host_points = make_points<dim>("clumps", 2000, 1);
    const auto host_queries = make_points<dim>("clumps", 277, 2);
    const auto permutation = to_host(problem.tree.permutation);
    const Segment below = problem.tree.rows_of(5);
    std::vector<std::uint32_t> restricted(277, 0);
    for (Count q = 0; q < 277; ++q)
      for (Count row = below.begin; row < below.end; ++row)
        restricted[q] += distance2<dim>(host_queries, q, host_points, permutation[row]) <= radius2;
    for (const WalkKind kind : walks<Space>(true))
      for (const auto& order : query_orders<Space>(277)) {
        INFO(backend_name<Space>() << ", walk " << walk_name(kind));
        const Count packets = packets_of<Space>(kind, order);
        const auto counts = problem.counts();
        Kokkos::deep_copy(counts, 99);
        walk(space, kind, problem.visitor(counts), order,
             same_entries<Space>(packets, {8, 9, 10, 11, 12, 13, 14, 15}));
        CHECK(to_host(counts) == whole);
        walk(space, kind, problem.visitor(counts), order, same_entries<Space>(packets, {5}));
        CHECK(to_host(counts) == restricted);
        walk(space, kind, problem.visitor(counts), order, same_entries<Space>(packets, {}));
        CHECK(to_host(counts) == std::vector<std::uint32_t>(277, 0));
      }
  });
}

TEST_CASE("Walks that found missing nodes are resumed and count what one walk counts") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const CountProblem<Space> problem(space, 2000, 277);
    const auto whole = problem.from_root(space);
    using Partial = PartialWalk<RangeCount<dim, Memory>, Memory>;
    for (const WalkKind kind : walks<Space>(true))
      for (const auto& order : query_orders<Space>(277)) {
        INFO(backend_name<Space>() << ", walk " << walk_name(kind));
        const Count packets = packets_of<Space>(kind, order);
        const auto counts = problem.counts();
        const MissedNodes<Memory> above(100000), below(100000);
        walk(space, kind,
             Partial{problem.visitor(counts), some_nodes<Space>(problem.tree, 1, 4, 7), above},
             order);
        CHECK(above.size() > 0);
        CHECK(to_host(counts) != whole);
        // Deeper nodes are still missing when the walk resumes.
        walk(space, kind,
             Partial{problem.visitor(counts), some_nodes<Space>(problem.tree, 4, 7, 7), below},
             order, above.entries(space, packets));
        CHECK(below.size() > 0);
        CHECK(to_host(counts) != whole);
        walk(space, kind, problem.visitor(counts), order, below.entries(space, packets));
        CHECK(to_host(counts) == whole);
      }
  });
}

TEST_CASE("Searches that found missing nodes are resumed with the neighbours found so far") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    using Visitor = NearestNeighbors<8, BoxTree<dim, Memory>>;
    constexpr Count k = 5;
    const CountProblem<Space> problem(space, 2000, 277);
    const auto find = [&](WalkKind kind, const QueryList<Memory>& order, bool missing) {
      const NeighborLists<Memory> lists{{"copse::test::rows", 277, k},
                                        {"copse::test::distance2", 277, k}};
      const Visitor visitor{problem.tree, problem.queries, lists};
      if (missing) {
        const MissedNodes<Memory> missed(100000);
        walk(
            space, kind,
            PartialWalk<Visitor, Memory>{visitor, some_nodes<Space>(problem.tree, 1, 6, 7), missed},
            order);
        CHECK(missed.size() > 0);
        walk(space, kind, visitor, order, missed.entries(space, packets_of<Space>(kind, order)));
      } else {
        walk(space, kind, visitor, order);
      }
      const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lists.rows);
      return std::vector<LocalIndex>(rows.data(), rows.data() + rows.size());
    };
    const auto whole = find(WalkKind::stack, {277, {}}, false);
    for (const WalkKind kind : walks<Space>(true))
      for (const auto& order : query_orders<Space>(277)) {
        INFO(backend_name<Space>() << ", walk " << walk_name(kind));
        CHECK(find(kind, order, true) == whole);
      }
  });
}

TEST_CASE("Gravity of nodes that were missing is added to that of the others") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const Count n = 1500;
    const auto points = make_points<3>("uniform", n, 3);
    const HostMasses masses("copse::test::masses", n);
    for (Count i = 0; i < n; ++i) masses(i) = Real(1 + i % 3);
    GravityProblem<Space> problem(space, points, masses, {.bucket_size = 8});
    problem.open_at(0.6);
    std::vector<std::uint8_t> elsewhere(problem.tree.nodes.extent(0));
    for (std::size_t node = 1; node < elsewhere.size(); ++node) elsewhere[node] = node % 7 == 0;
    const QueryList<Memory> all{n, {}};
    for (const WalkKind kind : walks<Space>(true)) {
      INFO(backend_name<Space>() << ", walk " << walk_name(kind));
      const auto whole = problem.template fields<2>(kind, 0.01);
      const auto visitor = problem.template visitor<2>(0.01);
      const Kokkos::View<const std::uint8_t*, Memory> marks = to_backend<Space>(elsewhere);
      // [begin resume]
      using Partial = PartialWalk<BarnesHut<2, Memory>, Memory>;
      const MissedNodes<Memory> missed(1000000);  // has room for so many
      walk(space, kind, Partial{visitor, marks, missed}, all);
      CHECK(missed.size() > 0);
      walk(space, kind, visitor, all, missed.entries(space, packets_of<Space>(kind, all)));
      // [end resume]
      const auto fields = problem.on_host(visitor.results);
      double worst = 0;
      for (Count i = 0; i < n; ++i) worst = std::max(worst, relative_error(fields[i], whole[i]));
      CHECK(worst < 1e-5);  // measured: 3.2e-6
    }
  });
}

TEST_CASE("A walk of a second tree adds to what the first one found") {
  for_each_backend([]<class Space>(Space space) {
    const CountProblem<Space> a(space, 1100, 277, 1), b(space, 900, 277, 5);
    auto expected = a.from_root(space);
    const auto of_b = b.from_root(space);
    for (std::size_t q = 0; q < expected.size(); ++q) expected[q] += of_b[q];
    for (const WalkKind kind : walks<Space>(true))
      for (const auto& order : query_orders<Space>(277)) {
        INFO(backend_name<Space>() << ", walk " << walk_name(kind));
        const auto counts = a.counts();
        walk(space, kind, a.visitor(counts), order);
        walk(space, kind, b.visitor(counts), order, FromRoot<true>{});
        CHECK(to_host(counts) == expected);
      }
  });
}

TEST_CASE("More missing nodes than there is room for are an error") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const CountProblem<Space> problem(space, 500, 100);
    const MissedNodes<Memory> missed(3);
    walk(space, WalkKind::fsm,
         PartialWalk<RangeCount<dim, Memory>, Memory>{
             problem.visitor(problem.counts()), some_nodes<Space>(problem.tree, 0, 6, 7), missed},
         {100, {}});
    CHECK_THROWS_AS(missed.size(), InputError);
  });
}

/// Counts the points of all leaves within reach of the query's bucket.
template <class Memory>
struct RowsNearBucket {
  static constexpr bool guided = false;
  static constexpr bool shares_path = true;

  BoxTree<dim, Memory> tree;
  Kokkos::View<std::uint32_t*, Memory> rows;

  template <class L>
  struct State {
    LanePoint<L, dim> x;
    typename L::Index rows;
  };
  template <class L>
  KOKKOS_FUNCTION State<L> start(typename L::Index query) const {
    return {lane_point<L, dim>(tree.points, query), typename L::Index(0u)};
  }
  template <class L>
  KOKKOS_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                      typename L::Mask active) const {
    return Outcome<L>(active & (tree.bounds(node).template min_distance2<L>(state.x) <=
                                typename L::Real(radius2)));
  }
  KOKKOS_FUNCTION Outcome<OneLane> classify_box(const BoxBound<dim>& box, Node node) const {
    return Outcome<OneLane>(distance2(box, tree.bounds(node)) <= radius2);
  }
  template <class L>
  KOKKOS_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask mask) const {
    const typename L::Index here(static_cast<std::uint32_t>(tree.rows_of(node).size()));
    state.rows = select(mask, state.rows + here, state.rows);
  }
  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    scatter(rows.data(), query, state.rows, valid);
  }
  KOKKOS_FUNCTION static Real distance2(const BoxBound<dim>& a, const BoxBound<dim>& b) {
    Real sum = 0;
    for (int i = 0; i < dim; ++i) {
      const Real gap =
          Kokkos::max(Real(0), Kokkos::max(a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]));
      sum += gap * gap;
    }
    return sum;
  }
};

/// The leaves of a tree as buckets of queries; the queries are the tree's points.
template <class Space>
BucketList<typename Space::memory_space> leaves_as_buckets(const BalancedHeap& heap) {
  std::vector<Count> begin;
  for (Count leaf = 0; leaf <= heap.leaves(); ++leaf)
    begin.push_back(std::min<Count>(leaf * heap.bucket_size, heap.rows));
  BucketList<typename Space::memory_space> buckets;
  buckets.count = heap.rows;
  buckets.begin = to_backend<Space>(begin);
  return buckets;
}

TEST_CASE("A bucket is one target: its box decides for all of its queries") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const CountProblem<Space> problem(space, 1501, 1);
    const auto& tree = problem.tree;
    const Kokkos::View<std::uint32_t*, Memory> rows("copse::test::rows", 1501);
    walk(space, WalkKind::group, RowsNearBucket<Memory>{tree, rows}, leaves_as_buckets<Space>(tree),
         FromRoot<>{});
    const auto bounds = to_host(tree.bounds);
    std::vector<std::uint32_t> expected;
    for (Count bucket = 0; bucket < tree.leaves(); ++bucket) {
      std::uint32_t near = 0;
      for (Count leaf = 0; leaf < tree.leaves(); ++leaf)
        if (RowsNearBucket<Memory>::distance2(bounds[tree.leaf_slots() + bucket],
                                              bounds[tree.leaf_slots() + leaf]) <= radius2)
          near += static_cast<std::uint32_t>(
              tree.rows_of(static_cast<Node>(tree.leaf_slots() + leaf)).size());
      const Count size = tree.rows_of(static_cast<Node>(tree.leaf_slots() + bucket)).size();
      expected.insert(expected.end(), size, near);
    }
    CHECK(to_host(rows) == expected);
  });
}

TEST_CASE("Queries in buckets find what they find in packets") {
  for_each_backend([]<class Space>(Space space) {
    CountProblem<Space> problem(space, 1501, 1);
    problem.queries = problem.tree.points;
    const auto whole = problem.from_root(space);
    const auto buckets = leaves_as_buckets<Space>(problem.tree);
    for (const WalkKind kind : walks<Space>(true)) {
      INFO(backend_name<Space>() << ", walk " << walk_name(kind));
      const auto counts = problem.counts();
      walk(space, kind, problem.visitor(counts), buckets, FromRoot<>{});
      CHECK(to_host(counts) == whole);
    }
  });
}

TEST_CASE("The gravity of buckets is at least as accurate as that of queries in packets") {
  for_each_backend([]<class Space>(Space space) {
    const Count n = 1500;
    const auto points = make_points<3>("uniform", n, 3);
    const HostMasses masses("copse::test::masses", n);
    for (Count i = 0; i < n; ++i) masses(i) = Real(1);
    GravityProblem<Space> problem(space, points, masses, {.bucket_size = 8});
    problem.open_at(0.8);
    std::vector<Count> begin;
    for (Count i = 0; i < n; i += 8) begin.push_back(i);
    begin.push_back(n);
    BucketList<typename Space::memory_space> buckets;
    buckets.count = n;
    buckets.begin = to_backend<Space>(begin);
    const auto visitor = problem.template visitor<1>(0.01);
    walk(space, WalkKind::group, visitor, buckets, FromRoot<>{});
    const auto by_bucket = problem.on_host(visitor.results);
    const auto alone = problem.template fields<1>(WalkKind::stack, 0.01);
    problem.open_at(0);
    const auto exact = problem.template fields<1>(WalkKind::stack, 0.01);
    double of_buckets = 0, of_queries = 0;
    for (Count i = 0; i < n; ++i) {
      of_buckets += relative_error(by_bucket[i], exact[i]);
      of_queries += relative_error(alone[i], exact[i]);
    }
    CHECK(of_buckets > 0);
    CHECK(of_buckets < of_queries);
  });
}

}  // namespace
}  // namespace copse::test
