// Oracles: the published schedule of [Liu 2019] section 3.2.2; std::is_permutation; walks without a
// schedule.
#include "common/algorithms/on_each_backend.hpp"
#include "point_sets.hpp"
#include "schedule_matrices.hpp"
#include <copse/traversal/make_schedule.hpp>
#include <copse/traversal/visitors/nearest_neighbors.hpp>
#include <copse/traversal/visitors/range_count.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace copse::test {
namespace {

constexpr int dimension = 3;

/// A walk with prescribed openings: query q opens the nodes whose bits are set in its row, and
/// every node from 16 on. Counts the opened leaves.
template <class MemorySpace>
struct OpensByTable {
  static constexpr bool guided = false;
  BalancedHeap tree;
  Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace> rows;  ///< bit n of row q: node n
  Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace> leaves;

  template <class L>
  struct State {
    typename L::Index row;
    typename L::Index leaves;
  };
  template <class L>
  KOKKOS_FUNCTION State<L> start(typename L::Index query) const {
    return {gather(rows.data(), query), typename L::Index(0)};
  }
  template <class L>
  KOKKOS_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                      typename L::Mask active) const {
    if (node >= 16) return Outcome<L>(active);
    // Tests bit `node` of the row: the shifted value is odd.
    const typename L::Index shifted = state.row / typename L::Index(1u << node);
    const typename L::Index half = shifted / typename L::Index(2u);
    return Outcome<L>(active & (shifted > half * typename L::Index(2u)));
  }
  template <class L>
  KOKKOS_FUNCTION void leaf(State<L>& state, Node, typename L::Mask active) const {
    state.leaves = select(active, state.leaves + typename L::Index(1), state.leaves);
  }
  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    scatter(leaves.data(), query, state.leaves, valid);
  }
};

/// Table 3.1 with its inner columns.
std::vector<std::vector<int>> published_visits() {
  return {{1, 2, 4, 8, 9, 3, 6, 7, 14, 15}, {1, 2, 4, 5, 10, 11, 3, 6, 12, 13, 7},
          {1, 2, 4, 8, 9, 3, 6, 12, 13, 7}, {1, 2, 4, 5, 10, 11, 3, 6, 12, 13, 7, 14, 15},
          {1, 2, 4, 8, 9, 3, 6, 7, 14, 15}, {1, 2, 4, 5, 10, 11, 3},
          {1, 2, 4, 8, 9, 5, 10, 11, 3},    {1, 2, 3, 6, 12, 13, 7, 14, 15}};
}

TEST_CASE("A walk with the visits of table 3.1 gives the published schedule of points A to H") {
  const auto visits = published_visits();
  for_each_backend([&]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    std::vector<std::uint32_t> rows(8, 0);
    for (Count q = 0; q < 8; ++q)
      for (const int node : visits[q]) rows[q] |= 1u << node;
    // One level more than the table's top tree: each of its leaves has two below it.
    const OpensByTable<Memory> visitor{
        balanced_heap(16, 1), to_backend<Space>(rows), {"copse::test::leaves", 8}};
    const TopHeap top = top_of(visitor.tree, 3);
    Scheduler<Space> scheduler(space);
    const auto order = scheduler.by_host(visitor, top, 8, {.depth = 3});
    CHECK(letters(to_vector<Memory>(order)) == "DHAEBCGF");
    walk(space, WalkKind::fsm, visitor, {8, order});
    std::vector<std::uint32_t> expected;
    for (const auto& row : published_rows())
      expected.push_back(2 * static_cast<std::uint32_t>(std::count(row.begin(), row.end(), 1)));
    CHECK(to_host(visitor.leaves) == expected);
  });
}

/// Shuffled, so that consecutive points are unrelated.
HostPoints<dimension> shuffled_points(const std::string& kind, Count n) {
  const auto points = make_points<dimension>(kind, n, 4);
  std::vector<LocalIndex> places(n);
  std::iota(places.begin(), places.end(), LocalIndex{0});
  std::shuffle(places.begin(), places.end(), std::mt19937(5));
  HostPoints<dimension> shuffled("copse::test::points", n);
  for (Count i = 0; i < n; ++i)
    for (int a = 0; a < dimension; ++a) shuffled(i, a) = points(places[i], a);
  return shuffled;
}

/// Calls f(name, visitor, top, results) for an unguided and a guided visitor that query the points
/// with themselves; `results` copies the results of the last walk to the host.
template <class Space, class F>
void for_each_visitor(const Space& space, const std::string& kind, Count n, const F& f) {
  using Memory = typename Space::memory_space;
  BalancedTreeBuilder<Space, dimension> builder(space);
  const auto points = points_to_backend<Space, dimension>(shuffled_points(kind, n));
  const auto tree = builder.kd_tree(points, {.bucket_size = 8});
  const Kokkos::View<std::uint32_t*, Memory> counts("copse::test::counts", n);
  f("range count", RangeCount<dimension, Memory>{tree, points, counts, Real(0.01)}, tree,
    [&] { return to_host(counts); });
  const NeighborLists<Memory> lists{{"copse::test::rows", n, 4}, {"copse::test::distance2", n, 4}};
  f("neighbours", NearestNeighbors<4, BoxTree<dimension, Memory>>{tree, points, lists}, tree, [&] {
    const auto rows = Kokkos::create_mirror_view_and_copy(Host{}, lists.rows);
    return std::vector<LocalIndex>(rows.data(), rows.data() + rows.size());
  });
}

template <class Space, class Visitor>
std::vector<std::pair<std::string, ScheduleView<typename Space::memory_space>>> both_schedules(
    const Space& space, const Visitor& visitor, const BalancedHeap& tree, Count n,
    const ProfileOptions& options) {
  Scheduler<Space> host(space);
  Scheduler<Space> device(space);
  const TopHeap top = top_of(tree, options.depth);
  return {{"by host", host.by_host(visitor, top, n, options)},
          {"by signature", device.by_signature(visitor, top, n, options)}};
}

bool is_permutation_of_queries(std::vector<LocalIndex> order) {
  std::sort(order.begin(), order.end());
  for (Count i = 0; i < order.size(); ++i)
    if (order[i] != i) return false;
  return true;
}

TEST_CASE("Schedules are permutations, the same on every backend and for every size of batches") {
  for (const std::string kind : {"uniform", "clumps", "coincident"})
    for (const Count n : {Count{1}, Count{33}, Count{1500}})
      for (const int depth : {0, 5, 30}) {
        std::vector<std::vector<LocalIndex>> first(4);
        for_each_backend([&]<class Space>(Space space) {
          std::size_t which = 0;
          for_each_visitor(space, kind, n, [&](auto name, auto visitor, auto tree, auto) {
            for (const Count memory : {Count{1} << 30, Count{64} * 300, Count{64} * 128}) {
              const auto schedules = both_schedules(space, visitor, tree, n, {depth, 16, memory});
              for (std::size_t s = 0; s < 2; ++s) {
                INFO(backend_name<Space>()
                     << ", " << kind << ", n = " << n << ", depth " << depth << ", " << name << ", "
                     << schedules[s].first << ", " << memory << " bytes");
                const auto order = to_vector<typename Space::memory_space>(schedules[s].second);
                auto& expected = first[2 * which + s];
                if (expected.empty()) {
                  CHECK(order.size() == n);
                  CHECK(is_permutation_of_queries(order));
                  expected = order;
                }
                CHECK(order == expected);
              }
            }
            ++which;
          });
        });
      }
}

template <class F>
std::string refusal_of(const F& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no refusal";
}

TEST_CASE("A matrix that does not fit even in batches is refused with the bytes it needs") {
  for_each_backend([]<class Space>(Space space) {
    using Catch::Matchers::ContainsSubstring;
    for_each_visitor(space, "uniform", 2000, [&](auto name, auto visitor, auto tree, auto) {
      INFO(backend_name<Space>() << ", " << name);
      const TopHeap top = top_of(tree, 7);
      REQUIRE(top.columns() == 128);
      // Two batches of 32 rows: 128 bits each, or 24 steps of 2 bytes.
      const Count needed = 2 * 32 * (decltype(visitor)::guided ? 48 : 16);
      Scheduler<Space> scheduler(space);
      const ProfileOptions fits{7, 24, needed};
      const ProfileOptions too_little{7, 24, needed - 1};
      CHECK_NOTHROW(scheduler.by_host(visitor, top, 2000, fits));
      CHECK_NOTHROW(scheduler.by_signature(visitor, top, 2000, fits));
      for (const auto& refusal :
           {refusal_of([&] { scheduler.by_host(visitor, top, 2000, too_little); }),
            refusal_of([&] { scheduler.by_signature(visitor, top, 2000, too_little); })}) {
        CHECK_THAT(refusal, ContainsSubstring(std::to_string(needed) + " bytes"));
        CHECK_THAT(refusal, ContainsSubstring(std::to_string(needed - 1) + " are available"));
      }
    });
  });
}

TEST_CASE("Scheduled packets visit fewer nodes than packets in input order and find the same") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string kind : {"uniform", "clumps"}) {
      const Count n = 3000;
      for_each_visitor(space, kind, n, [&](auto name, auto visitor, auto tree, auto results) {
        const auto unscheduled = count_walk(space, WalkKind::fsm, visitor, {n, {}});
        const auto expected = results();
        auto schedules = both_schedules(space, visitor, tree, n, {.depth = 6});
        Scheduler<Space> by_leaf(space);
        if (decltype(visitor)::guided)
          schedules.emplace_back("by first leaf",
                                 by_leaf.by_first_leaf(visitor, top_of(tree, tree.levels), n));
        for (const auto& [how, order] : schedules)
          for (const WalkKind walk_kind : {WalkKind::lockstep, WalkKind::fsm}) {
            INFO(backend_name<Space>() << ", " << kind << ", " << name << ", " << how);
            const auto scheduled = count_walk(space, walk_kind, visitor, {n, order});
            CHECK(scheduled.nodes < unscheduled.nodes);
            CHECK(results() == expected);
          }
      });
    }
  });
}

TEST_CASE("Schedules of no queries and in empty trees are valid") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    BalancedTreeBuilder<Space, dimension> builder(space);
    const auto none = points_to_backend<Space, dimension>(make_points<dimension>("uniform", 0, 1));
    const auto some = points_to_backend<Space, dimension>(make_points<dimension>("uniform", 50, 1));
    const auto tree = builder.kd_tree(some, {.bucket_size = 4});
    const auto empty_tree = builder.kd_tree(none, {.bucket_size = 4});
    const auto check = [&](const auto& visitor, const BalancedHeap& heap, Count n) {
      for (const auto& [how, order] : both_schedules(space, visitor, heap, n, {.depth = 4})) {
        INFO(backend_name<Space>() << ", " << how << ", " << n << " queries");
        CHECK(order.extent(0) == n);
        CHECK(is_permutation_of_queries(to_vector<Memory>(order)));
      }
    };
    check(RangeCount<dimension, Memory>{tree, none, {}, Real(1)}, tree, 0);
    check(RangeCount<dimension, Memory>{empty_tree, some, {}, Real(1)}, empty_tree, 50);
    const NeighborLists<Memory> lists{{"copse::test::rows", 50, 2}, {"copse::test::d2", 50, 2}};
    using Neighbors = NearestNeighbors<2, BoxTree<dimension, Memory>>;
    check(Neighbors{tree, none, lists}, tree, 0);
    check(Neighbors{empty_tree, some, lists}, empty_tree, 50);
  });
}

}  // namespace
}  // namespace copse::test
