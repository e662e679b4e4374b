// Oracle: a recursion over the top of the tree.
#include "octree_inputs.hpp"
#include <copse/tree/octree.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

/// Leaves of the top of a tree in depth-first order, by recursion.
struct TopWalk {
  const Octree<Kokkos::HostSpace>& tree;
  int depth;
  std::vector<Count> leaves;

  void visit(Count node, int at) {
    const OctreeNode& here = tree.nodes(node);
    if (at == depth || here.is_leaf()) {
      leaves.push_back(node);
      return;
    }
    for (Count c = 0; c < here.child_count; ++c) visit(here.first_child + c, at + 1);
  }
};

TEST_CASE("Leaves of an octree's top are numbered in the order of a depth-first walk") {
  for (const std::string& input : input_names())
    for (const Count n : {0, 1, 3000})
      for_each_backend([&]<class Space>(Space space) {
        OctreeBuilder<Space> builder(space);
        const HostParticles particles = named_input(input, n);
        auto points = copy_particles<typename Space::memory_space>(particles).position;
        typename OctreeBuilder<Space>::Permutation permutation;
        const auto tree =
            builder.build(points, permutation, {.bucket_size = 4, .box = particles.box});
        const auto on_host = octree_on_host(tree);
        for (const int depth : {0, 1, 3, 100}) {
          INFO(backend_name<Space>() << ", " << input << ", n = " << n << ", depth " << depth);
          const auto top = top_of(tree, depth);
          const auto numbers =
              Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, top.numbers);
          TopWalk expected{on_host, depth, {}};
          expected.visit(0, 0);
          REQUIRE(top.columns() == expected.leaves.size());
          const auto top_on_host = top_of(on_host, depth);
          int wrong = 0;
          for (std::size_t i = 0; i < expected.leaves.size(); ++i) {
            const auto node = static_cast<LocalIndex>(expected.leaves[i]);
            wrong += numbers(node) != i;
            wrong += !top_on_host.is_leaf(node) || top_on_host.number(node) != i;
          }
          CHECK(wrong == 0);
        }
      });
}

TEST_CASE("A depth-first walk of the deepest octree stays within its stack") {
  // One point in each of the other seven octants of every cell that contains the origin's corner.
  std::vector<std::array<Real, 3>> x{{}};
  for (int level = 1; level <= octree_levels; ++level)
    for (int octant = 1; octant < 8; ++octant) {
      const auto half = [&](int bit) {
        return (octant >> bit) % 2 ? std::ldexp(Real(1), -level) : Real(0);
      };
      x.push_back({half(0), half(1), half(2)});
    }
  OctreeBuilder<Kokkos::Serial> builder;
  const auto built = build_octree(
      builder, particles_from(x.size(), unit_box<3>(), [&](Count i) { return x[i]; }), 1);
  CHECK(built.tree.depths() == octree_levels + 1);
  const OctreeView<Kokkos::HostSpace> view(built.tree);
  std::vector<Count> stack{view.root()};
  std::size_t most = 0;
  while (!stack.empty()) {
    most = std::max(most, stack.size());
    const auto node = static_cast<std::uint32_t>(stack.back());
    stack.pop_back();
    for (int c = view.child_count(node); c-- > 0;)
      stack.push_back(view.first_child(node) + static_cast<Count>(c));
  }
  CHECK(most == OctreeView<Kokkos::HostSpace>::stack_size);
}

}  // namespace
}  // namespace copse::test
