#pragma once
/// \file
/// Octrees of the named inputs, built on a backend and copied to the host.

#include <copse/backend/backends.hpp>
#include <copse/tree/octree_builder.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <miniapps/orb/orb_inputs.hpp>
#include <string>
#include <vector>

namespace copse::test {

/// A builder's result, in host memory.
struct BuiltOctree {
  Octree<Kokkos::HostSpace> tree;
  Kokkos::View<LocalIndex*, Kokkos::HostSpace> permutation;
  Points<3, Kokkos::HostSpace> position;
};

template <class MemorySpace>
Octree<Kokkos::HostSpace> octree_on_host(const Octree<MemorySpace>& tree) {
  Octree<Kokkos::HostSpace> copy;
  copy.nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree.nodes);
  copy.cells = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree.cells);
  copy.depth_begin = tree.depth_begin;
  copy.grid = tree.grid;
  copy.bucket_size = tree.bucket_size;
  return copy;
}

template <class Space>
BuiltOctree build_octree(OctreeBuilder<Space>& builder, const HostParticles& particles,
                         std::uint32_t bucket_size, Branching branching = Branching::octree) {
  auto points = copy_particles<typename Space::memory_space>(particles).position;
  typename OctreeBuilder<Space>::Permutation permutation;
  const auto tree =
      builder.build(points, permutation,
                    {.bucket_size = bucket_size, .box = particles.box, .branching = branching});
  BuiltOctree built;
  built.tree = octree_on_host(tree);
  built.permutation = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, permutation);
  built.position = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, points);
  return built;
}

/// Compares the nodes of a tree breadth first with those of a recursion, which have `rows()`,
/// `level` and pointers `children`. Returns the number that differ.
template <class ReferenceNode>
int differing_nodes(const Octree<Kokkos::HostSpace>& tree, const ReferenceNode& expected_root) {
  struct Pair {
    const ReferenceNode* expected;
    LocalIndex begin;
    int depth;
  };
  std::deque<Pair> queue{{&expected_root, 0, 0}};
  int differing = 0;
  LocalIndex number = 0, next = 1;
  for (; !queue.empty(); ++number) {
    const auto [expected, begin, depth] = queue.front();
    queue.pop_front();
    if (number >= tree.size() || depth >= tree.depths()) return differing + 1;
    const OctreeNode& node = tree.nodes(number);
    bool same = node.begin == begin && node.rows() == expected->rows() &&
                node.level == expected->level && node.child_count == expected->children.size() &&
                node.first_child == (expected->children.empty() ? 0 : next) &&
                node.is_leaf() == expected->children.empty();
    const auto& depth_begin = tree.depth_begin;
    same = same && number >= depth_begin[static_cast<std::size_t>(depth)] &&
           number < depth_begin[static_cast<std::size_t>(depth) + 1];
    differing += !same;
    LocalIndex row = begin;
    for (const auto& child : expected->children) {
      queue.push_back({child.get(), row, depth + 1});
      row += static_cast<LocalIndex>(child->rows());
      ++next;
    }
  }
  return differing + (number != tree.size()) + (tree.depth_begin.back() != tree.size());
}

template <class ViewT>
bool same_bytes(const ViewT& a, const ViewT& b) {
  using T = typename ViewT::value_type;
  return a.extent(0) == b.extent(0) &&
         (a.extent(0) == 0 || std::memcmp(a.data(), b.data(), a.extent(0) * sizeof(T)) == 0);
}

}  // namespace copse::test
