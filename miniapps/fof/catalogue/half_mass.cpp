#include "group_sums.hpp"
#include <copse/algorithms/radix_sort.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_BitManipulation.hpp>

#include <bit>
#include <cstdint>

namespace copse::fof {
namespace {

template <class T, class MemorySpace>
using List = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

template <class MemorySpace>
struct Distances {
  MemberTable<MemorySpace> table;
  GroupCentres<MemorySpace> centres;

  KOKKOS_FUNCTION double operator()(Count g, Count j) const {
    double distance2 = 0.0;
    for (int a = 0; a < 3; ++a) {
      const double d = table.place(j, a) - centres(g, a);
      distance2 = Kokkos::fma(d, d, distance2);
    }
    return Kokkos::sqrt(distance2);
  }
};

/// The bit patterns of non-negative floats have the order of the floats.
template <class MemorySpace>
struct MakeKeys {
  Distances<MemorySpace> distances;
  List<std::uint64_t, MemorySpace> keys;
  List<LocalIndex, MemorySpace> order;

  KOKKOS_FUNCTION void operator()(Count j) const {
    const Count g = segment_of(distances.table.offsets, j);
    const auto distance = static_cast<float>(distances(g, j));
    keys(j) = g << 32 | Kokkos::bit_cast<std::uint32_t>(distance);
    order(j) = static_cast<LocalIndex>(j);
  }
};

struct MassSum {
  double mass = 0.0;
  KOKKOS_FUNCTION void join(const MassSum& other) { mass += other.mass; }
};

template <class MemorySpace>
struct MassInOrder {
  MemberTable<MemorySpace> table;
  List<LocalIndex, MemorySpace> order;
  KOKKOS_FUNCTION MassSum operator()(Count, Count position) const {
    MassSum sum;
    sum.mass = table.mass(order(position));
    return sum;
  }
};

template <class MemorySpace>
struct DescendToHalf {
  ReductionTree<MemorySpace> tree;
  List<MassSum, MemorySpace> sums;
  MassInOrder<MemorySpace> masses;
  Distances<MemorySpace> distances;
  PropertyTable<MemorySpace> properties;

  KOKKOS_FUNCTION double mass(int level, Count g, Count node) const {
    return level == 0 ? masses(g, node).mass : sums(tree.first_node[level] + node).mass;
  }

  KOKKOS_FUNCTION void operator()(Count g) const {
    Count node = g;  // the last level has one node per group
    const double half = mass(tree.levels, g, node) / 2;
    double before = 0.0;
    for (int level = tree.levels - 1; level >= 0; --level) {
      const auto range = tree.children(level + 1, g, node);
      node = range.begin;
      double next = before + mass(level, g, node);
      while (next < half && node + 1 < range.end) {
        before = next;
        ++node;
        next = before + mass(level, g, node);
      }
    }
    properties(g).half_mass_radius = distances(g, masses.order(node));
  }
};

}  // namespace

template <class ExecutionSpace>
void find_half_mass_radii(const ExecutionSpace& space,
                          const GroupPass<typename ExecutionSpace::memory_space>& pass) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto& [table, tree, workspace, centres, properties] = pass;
  const Count members = table.members();
  const auto keys = workspace.template get<std::uint64_t>("half_mass::keys", members);
  const auto order = workspace.template get<LocalIndex>("half_mass::order", members);
  const Distances<MemorySpace> distances{table, centres};
  Kokkos::parallel_for("copse::fof::catalogue::distances",
                       CountRange<ExecutionSpace>(space, 0, members),
                       MakeKeys<MemorySpace>{distances, keys, order});
  const int key_bits = 32 + static_cast<int>(std::bit_width(table.groups));
  sort_by_key(space, keys, order, workspace, key_bits < 64 ? key_bits : 64);
  const auto sums = workspace.template get<MassSum>("half_mass::sums", tree.nodes());
  const MassInOrder<MemorySpace> masses{table, order};
  reduce_segments("copse::fof::catalogue::mass_sums", space, tree, masses, sums);
  Kokkos::parallel_for("copse::fof::catalogue::half_mass",
                       CountRange<ExecutionSpace>(space, 0, table.groups),
                       DescendToHalf<MemorySpace>{tree, sums, masses, distances, properties});
}

#define COPSE_FIND_HALF_MASS_RADII(Space) \
  template void find_half_mass_radii(const Space&, const GroupPass<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_FIND_HALF_MASS_RADII)

}  // namespace copse::fof
