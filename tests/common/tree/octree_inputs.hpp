#pragma once
/// \file
/// Octrees of the named inputs, built on a backend and copied to the host.

#include <copse/backend/backends.hpp>
#include <copse/tree/octree_builder.hpp>

#include <algorithm>
#include <cstring>
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
                         std::uint32_t bucket_size) {
  auto points = copy_particles<typename Space::memory_space>(particles).position;
  typename OctreeBuilder<Space>::Permutation permutation;
  const auto tree =
      builder.build(points, permutation, {.bucket_size = bucket_size, .box = particles.box});
  BuiltOctree built;
  built.tree = octree_on_host(tree);
  built.permutation = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, permutation);
  built.position = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, points);
  return built;
}

template <class ViewT>
bool same_bytes(const ViewT& a, const ViewT& b) {
  using T = typename ViewT::value_type;
  return a.extent(0) == b.extent(0) &&
         (a.extent(0) == 0 || std::memcmp(a.data(), b.data(), a.extent(0) * sizeof(T)) == 0);
}

}  // namespace copse::test
