// Oracle: a stable sort on the host by leaf, with leaves found by comparing with each cut.
#include <copse/backend/backends.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/rows_by_leaf.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <miniapps/orb/orb_inputs.hpp>
#include <numeric>

namespace copse::test {
namespace {

using HostTree = OrbTree<Kokkos::HostSpace>;
using HostPoints = Points<3, Kokkos::HostSpace>;

/// A tree cut from every tenth point.
HostTree tree_of_some(const HostParticles& particles, std::uint32_t leaves, LeafRule rule) {
  const Count some = (particles.size() + 9) / 10;
  HostPoints points("copse::test::some", some);
  for (Count i = 0; i < some; ++i)
    for (int a = 0; a < 3; ++a) points(i, a) = particles.position(10 * i, a);
  OrbBuilder<Kokkos::Serial> builder;
  OrbBuilder<Kokkos::Serial>::Permutation permutation;
  return builder.build(points, permutation, {.leaves = leaves, .rule = rule, .box = particles.box});
}

int leaf_of(const HostTree& tree, const HostPoints& points, Count row) {
  std::uint32_t slot = 1;
  int before = 0;
  while (tree.cells(slot).leaves > 1) {
    const OrbCell& cell = tree.cells(slot);
    const bool right = points(row, cell.cut_axis) > cell.cut;
    slot = 2 * slot + (right ? 1 : 0);
    if (right) before += static_cast<int>(tree.cells(slot - 1).leaves);
  }
  return before;
}

struct Expected {
  std::vector<LocalIndex> rows;
  std::vector<Count> counts;
};

Expected sort_rows(const HostTree& tree, const HostPoints& points) {
  Expected expected;
  std::vector<int> leaf(points.extent(0));
  expected.counts.assign(tree.leaves, 0);
  for (Count i = 0; i < leaf.size(); ++i) {
    leaf[i] = leaf_of(tree, points, i);
    ++expected.counts[static_cast<std::size_t>(leaf[i])];
  }
  expected.rows.resize(leaf.size());
  std::iota(expected.rows.begin(), expected.rows.end(), LocalIndex{0});
  std::stable_sort(expected.rows.begin(), expected.rows.end(),
                   [&](LocalIndex a, LocalIndex b) { return leaf[a] < leaf[b]; });
  return expected;
}

template <class T, class Space>
int wrong_when_back(const Space& space, const RowsByLeaf<Space>& by_leaf, Count n) {
  using Memory = typename Space::memory_space;
  const Kokkos::View<T*, Kokkos::LayoutLeft, Memory> numbers("copse::test::numbers", n);
  const Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, Memory> back("copse::test::back", n);
  const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, by_leaf.rows());
  const auto host = Kokkos::create_mirror_view(numbers);
  for (Count i = 0; i < n; ++i) host(i) = static_cast<T>(7 * Count{rows(i)});
  Kokkos::deep_copy(numbers, host);
  by_leaf.template bring_back<T>(numbers, back);
  space.fence();
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, back);
  int wrong = 0;
  for (Count i = 0; i < n; ++i) wrong += found(i) != 7 * i;
  return wrong;
}

template <class Space>
void check(const Space& space, RowsByLeaf<Space>& by_leaf, const HostTree& host_tree,
           const HostPoints& host_points, const Expected& expected) {
  using Memory = typename Space::memory_space;
  const Count n = host_points.extent(0);
  const OrbTree<Memory> tree{Kokkos::create_mirror_view_and_copy(Memory{}, host_tree.cells),
                             host_tree.leaves, host_tree.rule, host_tree.axis_rule};
  const auto points = Kokkos::create_mirror_view_and_copy(Memory{}, host_points);
  const Points<3, Memory> moved("copse::test::moved", n), along("copse::test::along", n);
  CHECK(by_leaf.move(tree, points, moved) == expected.counts);
  by_leaf.move_along(points, along);
  space.fence();
  const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, by_leaf.rows());
  const auto there = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, moved);
  const auto too = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, along);
  CHECK(std::equal(expected.rows.begin(), expected.rows.end(), rows.data(), rows.data() + n));
  int wrong = 0;
  for (Count i = 0; i < n; ++i)
    for (int a = 0; a < 3; ++a) {
      const Real x = host_points(expected.rows[i], a);
      wrong += there(i, a) != x || too(i, a) != x;
    }
  CHECK(wrong == 0);
  CHECK(wrong_when_back<std::uint32_t>(space, by_leaf, n) == 0);
  CHECK(wrong_when_back<std::uint64_t>(space, by_leaf, n) == 0);
}

TEST_CASE("Rows are sorted by leaf, stably, along a tree that was cut from some of them") {
  for_each_backend([]<class Space>(Space space) {
    RowsByLeaf<Space> by_leaf(space);  // reuses its arrays for all inputs
    for (const std::string name : {"random", "clustered", "duplicates", "constant"})
      for (const Count n : {20000u, 0u, 1u, 4095u, 4096u, 4097u})
        for (const std::uint32_t leaves : {1u, 2u, 3u, 5u, 64u, 65u, 100u}) {
          INFO(name << ", " << n << " rows, " << leaves << " leaves on " << backend_name<Space>());
          const HostParticles particles = named_input(name, n);
          const HostTree tree = tree_of_some(
              particles, leaves, leaves % 2 == 0 ? LeafRule::complete : LeafRule::halves);
          check(space, by_leaf, tree, particles.position, sort_rows(tree, particles.position));
        }
  });
}

}  // namespace
}  // namespace copse::test
