// Oracle: a recursion that sorts the particles of a cell by their key and, among equal keys, by
// their place, and keeps their order on both sides. It shares with the code under test the
// policies, which prepare cells and set the extents of children, and value_of_level_key, to which
// precision a cut is kept.
#include <copse/backend/dimensions.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/tree/balanced_tree.hpp>
#include <copse/tree/kd_policy.hpp>
#include <copse/tree/on_chip.hpp>
#include <copse/tree/vantage_policy.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <common/traversal/point_sets.hpp>
#include <string>
#include <thread_team.hpp>
#include <vector>

namespace copse::test {
namespace {

/// A tree in host memory.
template <class Policy, int Dim>
struct Ordered {
  Kokkos::View<typename Policy::Cell*, Kokkos::HostSpace> cells;
  Points<Dim, Kokkos::HostSpace> points;
  Kokkos::View<LocalIndex*, Kokkos::HostSpace> permutation;
};

template <int Dim>
KdCell<Dim> root_of(const KdPolicy<Dim>&, const HostPoints<Dim>& points) {
  KdCell<Dim> root;
  const Box<Dim> box = bounding_box(Kokkos::Serial{}, points);
  root.lower = box.lower;
  root.upper = box.upper;
  return root;
}
template <int Dim>
VantageCell<Dim> root_of(const VantagePolicy<Dim>&, const HostPoints<Dim>&) {
  return {};
}

template <class Policy, int Dim>
typename Policy::Cell root_cell(const Policy& policy, const HostPoints<Dim>& points, int levels) {
  auto root = root_of(policy, points);
  root.end = points.extent(0);
  root.height = levels;
  return root;
}

template <int Dim>
bool same_extents(const KdCell<Dim>& a, const KdCell<Dim>& b) {
  bool same = a.axis == b.axis;
  for (int i = 0; i < Dim; ++i) same &= a.lower[i] == b.lower[i] && a.upper[i] == b.upper[i];
  return same;
}
template <int Dim>
bool same_extents(const VantageCell<Dim>& a, const VantageCell<Dim>& b) {
  bool same = true;
  for (int i = 0; i < Dim; ++i) same &= a.vantage[i] == b.vantage[i];
  return same;
}

/// Cells and rows that differ.
template <class Policy, int Dim>
int differing(const Ordered<Policy, Dim>& a, const Ordered<Policy, Dim>& b) {
  if (a.cells.extent(0) != b.cells.extent(0)) return -1;
  int count = 0;
  for (Count i = 1; i < a.cells.extent(0); ++i) {
    const auto &x = a.cells(i), &y = b.cells(i);
    count += !(x.begin == y.begin && x.end == y.end && x.height == y.height && same_extents(x, y));
  }
  for (Count i = 0; i < a.points.extent(0); ++i) {
    bool same = a.permutation(i) == b.permutation(i);
    for (int axis = 0; axis < Dim; ++axis) same &= a.points(i, axis) == b.points(i, axis);
    count += !same;
  }
  return count;
}

/// The root's cell, and every particle in its place.
template <class Policy, int Dim>
Ordered<Policy, Dim> unordered(const Policy& policy, const HostPoints<Dim>& points,
                               const BalancedHeap& shape) {
  Ordered<Policy, Dim> tree{{"copse::test::cells", shape.node_slots()},
                            {"copse::test::ordered", shape.rows},
                            {"copse::test::permutation", shape.rows}};
  Kokkos::deep_copy(tree.points, points);
  for (Count i = 0; i < shape.rows; ++i) tree.permutation(i) = static_cast<LocalIndex>(i);
  tree.cells(1) = root_cell(policy, points, shape.levels);
  return tree;
}

template <class Policy, int Dim>
void cut_by_sorting(const Policy& policy, Ordered<Policy, Dim>& tree, std::uint32_t slot) {
  auto& cell = tree.cells(slot);
  if (!policy.open(cell)) return;
  prepare_cell(policy, cell, slot, tree.points);
  const auto value = policy.key(cell, tree.points);
  const auto kept = [&](Count row) {
    return value_of_level_key<Policy>(level_key<Policy>(value(row), row));
  };
  std::vector<Count> sorted;
  for (Count row = cell.begin; row < cell.end; ++row) sorted.push_back(row);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](Count a, Count b) { return kept(a) < kept(b); });
  Cut<Real> cut{};
  cut.left = policy.rank(cell);
  cut.right = sorted.size() - cut.left;
  cut.left_max = kept(sorted[cut.left - 1]);
  if (cut.right > 0) cut.right_min = kept(sorted[cut.left]);
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(cut.left);
  std::sort(sorted.begin(), middle);
  std::sort(middle, sorted.end());
  Ordered<Policy, Dim> before{{}, {"copse::test::before", sorted.size()}, {"", sorted.size()}};
  for (Count i = 0; i < sorted.size(); ++i) {
    before.permutation(i) = tree.permutation(sorted[i]);
    for (int a = 0; a < Dim; ++a) before.points(i, a) = tree.points(sorted[i], a);
  }
  for (Count i = 0; i < sorted.size(); ++i) {
    tree.permutation(cell.begin + i) = before.permutation(i);
    for (int a = 0; a < Dim; ++a) tree.points(cell.begin + i, a) = before.points(i, a);
  }
  make_children(policy, cell, cut, tree.cells(2 * slot), tree.cells(2 * slot + 1));
  cut_by_sorting(policy, tree, 2 * slot);
  cut_by_sorting(policy, tree, 2 * slot + 1);
}

/// The tree that `engine(space, policy, cells, levels, arrays, workspace)` builds.
template <class Space, class Policy, int Dim, class Engine>
Ordered<Policy, Dim> built_by(const Engine& engine, const Policy& policy,
                              const HostPoints<Dim>& points, const BalancedHeap& shape) {
  using Memory = typename Space::memory_space;
  const Ordered<Policy, Dim> begin = unordered(policy, points, shape);
  Kokkos::View<typename Policy::Cell*, Memory> cells("copse::test::cells", shape.node_slots());
  Points<Dim, Memory> ordered("copse::test::ordered", shape.rows);
  Kokkos::View<LocalIndex*, Memory> permutation("copse::test::permutation", shape.rows);
  Kokkos::deep_copy(cells, begin.cells);
  Kokkos::deep_copy(ordered, begin.points);
  Kokkos::deep_copy(permutation, begin.permutation);
  Points<Dim, Memory> spare("copse::test::spare", shape.rows);
  Kokkos::View<LocalIndex*, Memory> spare_permutation("copse::test::spare_permutation", shape.rows);
  Workspace<Memory> workspace;
  engine(Space{}, policy, cells, shape.levels,
         BisectionArrays<Dim, Memory>{ordered, spare, permutation, spare_permutation}, workspace);
  const Kokkos::HostSpace host;
  return {Kokkos::create_mirror_view_and_copy(host, cells),
          Kokkos::create_mirror_view_and_copy(host, ordered),
          Kokkos::create_mirror_view_and_copy(host, permutation)};
}

/// Teams that a host can run: of one thread.
using HostChipTeam = detail::ChipTeam<1, 1, 256>;
/// The device's teams with fewer lanes and particles, for threads of a host.
using ThreadChipTeam = detail::ChipTeam<4, 4, 8, ThreadPacket>;

template <class Shape>
struct OnChip {
  template <class... Args>
  void operator()(Args&&... args) const {
    bisect_on_chip<Shape>(args...);
  }
};

/// The subtrees by ThreadChipTeam, on Kokkos::Serial.
struct OnChipByThreads {
  template <class Policy, class Cells, class Arrays, class Memory>
  void operator()(const Kokkos::Serial& space, const Policy& policy, const Cells& cells, int levels,
                  const Arrays& arrays, Workspace<Memory>& workspace) const {
    const int above = levels - levels_on_chip<ThreadChipTeam>(policy.bucket_size, levels);
    bisect(space, policy, cells, above, arrays, workspace);
    if (above == levels) return;
    const auto kernel = detail::finish_cells<Kokkos::Serial, ThreadChipTeam>(policy, cells.data(),
                                                                             levels, above, arrays);
    const Count teams = cells_at(above, policy.bucket_size, levels, arrays.points.extent(0));
    run_by_thread_packets(static_cast<int>(teams), ThreadChipTeam::threads, ThreadChipTeam::width,
                          kernel.scratch_bytes(), kernel);
  }
};

template <class Policy, int Dim>
Ordered<Policy, Dim> sorted_tree(const Policy& policy, const HostPoints<Dim>& points,
                                 const BalancedHeap& shape) {
  Ordered<Policy, Dim> tree = unordered(policy, points, shape);
  cut_by_sorting(policy, tree, 1);
  return tree;
}

/// Trees by levels and on chip on every backend.
template <class Policy, int Dim>
void check_backends(const Policy& policy, const HostPoints<Dim>& points) {
  const BalancedHeap shape = balanced_heap(points.extent(0), policy.bucket_size);
  INFO(Dim << "-D, bucket " << policy.bucket_size << ", " << shape.rows << " particles");
  const auto expected = sorted_tree(policy, points, shape);
  for_each_backend([&]<class Space>(Space) {
    INFO(backend_name<Space>());
    using Team = std::conditional_t<runs_on_host<Space>, HostChipTeam, DeviceChipTeam<Dim>>;
    const auto by_levels =
        built_by<Space>([](auto&&... args) { bisect(args...); }, policy, points, shape);
    CHECK(differing(by_levels, expected) == 0);
    CHECK(differing(built_by<Space>(OnChip<Team>{}, policy, points, shape), expected) == 0);
  });
}

template <class Policy, int Dim>
void check_threads(const Policy& policy, const HostPoints<Dim>& points) {
  const BalancedHeap shape = balanced_heap(points.extent(0), policy.bucket_size);
  INFO(Dim << "-D, bucket " << policy.bucket_size << ", " << shape.rows << " particles");
  REQUIRE(levels_on_chip<ThreadChipTeam>(shape.bucket_size, shape.levels) > 0);
  const auto on_chip = built_by<Kokkos::Serial>(OnChipByThreads{}, policy, points, shape);
  CHECK(differing(on_chip, sorted_tree(policy, points, shape)) == 0);
}

/// check(policy, points) for kd and vantage point trees.
template <int Dim>
void for_both_policies(const HostPoints<Dim>& points, std::uint32_t bucket_size,
                       const auto& check) {
  check(KdPolicy<Dim>{{bucket_size}, AxisRule::longest}, points);
  check(KdPolicy<Dim>{{bucket_size}, AxisRule::cyclic}, points);
  check(VantagePolicy<Dim>{{bucket_size}}, points);
}

TEST_CASE("A tree finished on chip equals that of the recursion by sorting, bit by bit") {
  for_each_dimension([](auto dim) {
    for (const std::string& kind : point_kinds())
      for (const std::uint32_t bucket : {1u, 7u, 16u, 32u})
        for (const Count n : {0, 1, 2, 33, 256, 257, 1000, 4097}) {
          INFO(kind);
          for_both_policies<dim()>(make_points<dim()>(kind, n, 3), bucket,
                                   [](const auto&... args) { check_backends(args...); });
        }
  });
}

TEST_CASE("Many cells are finished on chip, and the last of them have few particles or none") {
  for_each_dimension([](auto dim) {
    for (const Count n : {16385, 40000})
      for (const std::uint32_t bucket : {12u, 32u})
        for_both_policies<dim()>(make_points<dim()>("clumps", n, 5), bucket,
                                 [](const auto&... args) { check_backends(args...); });
  });
}

TEST_CASE("The device's teams, of packets that share cells, run on threads of a host") {
  const auto check = [](const auto&... args) { check_threads(args...); };
  for (const char* kind : {"uniform", "quantised", "coincident"}) {
    INFO(kind);
    for_both_policies<3>(make_points<3>(kind, 40, 7), 1, check);
    for_both_policies<3>(make_points<3>(kind, 150, 7), 3, check);
  }
  for_both_policies<2>(make_points<2>("clumps", 128, 7), 16, check);
}

}  // namespace
}  // namespace copse::test
