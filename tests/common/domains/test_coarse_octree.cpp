// Run with 1 to 5 ranks. Oracle: the tree that OctreeBuilder makes of all particles on one rank.
#include <copse/backend/backends.hpp>
#include <copse/backend/mpi/rank_slice.hpp>
#include <copse/domains/coarse_octree.hpp>
#include <copse/particles/generators.hpp>

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace copse::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

/// Particles of a Plummer sphere: rows [first, first + count) of n.
Particles<Kokkos::HostSpace> plummer(Count n, Count first, Count count) {
  GeneratorOptions what;
  what.kind = "plummer";
  what.particles = n;
  return generate(Space{}, what, first, count);
}

CoarseOctree coarse_tree(const Communicator& comm, Count n, const OctreeOptions& options,
                         Count most) {
  CountedMessages messages(comm);
  Workspace<Kokkos::HostSpace> workspace;
  OctreeBuilder<Space> builder;
  const auto [begin, end] = rank_slice(n, comm.rank(), comm.size());
  const auto own = plummer(n, begin, end - begin);
  OctreeBuilder<Space>::Permutation order;
  const auto keys = builder.sorted_keys(own.position, order, options);
  return build_coarse_octree(Space{}, {keys, order, own.position}, options, most, messages,
                             workspace);
}

TEST_CASE("The coarse tree is the top of the tree of all particles") {
  const Communicator comm;
  constexpr Count n = 5000;
  const auto all = plummer(n, 0, n);
  for (const Branching branching : {Branching::octree, Branching::binary})
    for (const Count most : {Count{8}, Count{100}, Count{5000}}) {
      const OctreeOptions options{
          .bucket_size = 8, .curve = Curve::hilbert, .box = all.box, .branching = branching};
      const CoarseOctree coarse = coarse_tree(comm, n, options, most);
      Points<3, Kokkos::HostSpace> points("copse::test::points", n);
      Kokkos::deep_copy(points, all.position);
      OctreeBuilder<Space> builder;
      OctreeBuilder<Space>::Permutation order;
      const auto tree = builder.build(points, order, options);
      // Both trees side by side, from the roots.
      std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs{{0, 0}};
      Count in_leaves = 0;
      while (!pairs.empty()) {
        const auto [c, t] = pairs.back();
        pairs.pop_back();
        const CoarseNode& node = coarse.nodes[c];
        REQUIRE(node.particles == tree.nodes(t).rows());
        REQUIRE(node.level == tree.nodes(t).level);
        const OctreeCell cell = coarse.cell_of(node);
        for (int a = 0; a < 3; ++a) REQUIRE(cell.centre[a] == tree.cells(t).centre[a]);
        REQUIRE(cell.half_side == tree.cells(t).half_side);
        if (node.is_leaf()) {
          CHECK(node.particles <= most);
          in_leaves += node.particles;
          continue;
        }
        CHECK(node.particles > most);
        REQUIRE(node.child_count == tree.nodes(t).child_count);
        for (std::uint32_t k = 0; k < node.child_count; ++k)
          pairs.emplace_back(node.first_child + k, tree.nodes(t).first_child + k);
      }
      CHECK(in_leaves == n);
      Count before = 0;  // leaves are in the order of the curve
      for (const std::uint32_t leaf : coarse.leaves) {
        CHECK(coarse.nodes[leaf].first_key >= before);
        before = coarse.nodes[leaf].last_key;
      }
    }
}

TEST_CASE("A forest over the coarse leaves has the nodes of the whole tree below them") {
  const Communicator comm;
  constexpr Count n = 3000;
  const auto all = plummer(n, 0, n);
  const OctreeOptions options{.bucket_size = 8, .curve = Curve::hilbert, .box = all.box};
  const CoarseOctree coarse = coarse_tree(comm, n, options, 200);
  std::vector<Count> root_begin{0};
  for (const std::uint32_t leaf : coarse.leaves)
    root_begin.push_back(root_begin.back() + coarse.nodes[leaf].particles);
  const auto copy = [&] {
    Points<3, Kokkos::HostSpace> points("copse::test::points", n);
    Kokkos::deep_copy(points, all.position);
    return points;
  };
  OctreeBuilder<Space> builder;
  OctreeBuilder<Space>::Permutation order;
  auto points = copy();
  const auto tree = builder.build(points, order, options);
  points = copy();
  const auto forest = builder.build_forest(points, order, options, root_begin);
  using NodeKey = std::tuple<LocalIndex, LocalIndex, int>;
  std::map<NodeKey, int> nodes;
  for (Count i = 0; i < tree.size(); ++i)
    ++nodes[{tree.nodes(i).begin, tree.nodes(i).end, tree.nodes(i).level}];
  CHECK(forest.depth_begin[1] == coarse.leaves.size());
  for (Count i = 0; i < forest.size(); ++i)
    CHECK(nodes.count({forest.nodes(i).begin, forest.nodes(i).end, forest.nodes(i).level}) == 1);
  CHECK(tree.size() - forest.size() == coarse.nodes.size() - coarse.leaves.size());
}

TEST_CASE("Owners have their shares of the weight, and every leaf has one") {
  const Communicator comm;
  constexpr Count n = 20000;
  const auto all = plummer(n, 0, 1);
  const OctreeOptions options{.bucket_size = 8, .curve = Curve::hilbert, .box = all.box};
  const CoarseOctree coarse = coarse_tree(comm, n, options, 20);
  std::vector<double> weights;
  for (const std::uint32_t leaf : coarse.leaves)
    weights.push_back(static_cast<double>(coarse.nodes[leaf].particles));
  for (const int ranks : {1, 2, 3, 7}) {
    const auto owners = owners_of_leaves(coarse, all.box, weights, ranks);
    std::vector<double> sums(static_cast<std::size_t>(ranks), 0.0);
    for (std::size_t k = 0; k < owners.size(); ++k)
      sums.at(static_cast<std::size_t>(owners[k])) += weights[k];
    for (const double sum : sums) {
      INFO(sum << " of " << static_cast<double>(n) / ranks << " bodies");
      CHECK(sum > 0.99 * static_cast<double>(n) / ranks);
      CHECK(sum < 1.01 * static_cast<double>(n) / ranks);
    }
  }
  const auto more_ranks_than_leaves =
      owners_of_leaves(coarse, all.box, weights, 2 * static_cast<int>(weights.size()));
  CHECK(more_ranks_than_leaves.size() == weights.size());
}

}  // namespace
}  // namespace copse::test
