#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/gravity/node_softening.hpp>

#include <fmt/format.h>

namespace copse {
namespace {

/// A node from its particles if it is a leaf, else from its children.
template <class MemorySpace>
struct SoftenNodes {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  Kokkos::View<const Monopole*, MemorySpace> monopole;
  Kokkos::View<const Real*, MemorySpace> reach;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> masses;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> lengths;
  double theta;
  Kokkos::View<NodeSoftening*, MemorySpace> out;
  bool leaves_are_known = false;

  KOKKOS_FUNCTION Real mean_length(const OctreeNode& node) const {
    double mass = 0.0, sum = 0.0;
    const auto add = [&](Real m, Real length) {
      mass += static_cast<double>(m);
      sum += static_cast<double>(m) * static_cast<double>(length);
    };
    if (node.is_leaf()) {
      for (Count row = node.begin; row < node.end; ++row) add(masses(row), lengths(row));
    } else {
      const Count first = node.first_child;
      for (Count c = first; c < first + node.child_count; ++c) add(monopole(c).mass, out(c).length);
    }
    return mass > 0.0 ? static_cast<Real>(sum / mass) : Real(0);
  }

  KOKKOS_FUNCTION void operator()(Count i) const {
    if (leaves_are_known && nodes(i).is_leaf()) return;
    const double b = static_cast<double>(reach(i));
    const double widening = 2.0 / (Kokkos::sqrt(3.0) * theta * theta * theta * theta);
    const Real infinity = Kokkos::Experimental::infinity_v<Real>;
    out(i).length = mean_length(nodes(i));
    out(i).opening2 = theta == 0.0 ? infinity : squared_opening_radius(b * widening, b);
  }
};

/// From the deepest nodes to the root.
template <class ExecutionSpace>
void soften_depths(const ExecutionSpace& space,
                   const Octree<typename ExecutionSpace::memory_space>& tree,
                   const SoftenNodes<typename ExecutionSpace::memory_space>& soften) {
  for (int depth = tree.depths() - 1; depth >= 0; --depth) {
    const auto d = static_cast<std::size_t>(depth);
    Kokkos::parallel_for(
        "copse::gravity_tree::soften",
        CountRange<ExecutionSpace>(space, tree.depth_begin[d], tree.depth_begin[d + 1]), soften);
  }
  space.fence("copse::gravity_tree::soften");
}

}  // namespace

template <class ExecutionSpace>
void soften_gravity_tree(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& lengths,
    const Kokkos::View<const Real*, typename ExecutionSpace::memory_space>& reach, double theta,
    GravityTree<typename ExecutionSpace::memory_space>& into) {
  if (lengths.extent(0) != masses.extent(0))
    throw InputError(
        fmt::format("softening needs a length for each of the {} particles, but "
                    "there are {} lengths",
                    masses.extent(0), lengths.extent(0)));
  if (into.node_softening.extent(0) != tree.size()) {
    into.node_softening = {};
    into.node_softening = decltype(into.node_softening)(
        Kokkos::view_alloc("copse::gravity_tree::node_softening", Kokkos::WithoutInitializing),
        tree.size());
  }
  into.softening = lengths;
  soften_depths<ExecutionSpace>(
      space, tree, {tree.nodes, into.monopole, reach, masses, lengths, theta, into.node_softening});
}

template <class ExecutionSpace>
void soften_top_nodes(const ExecutionSpace& space,
                      const Octree<typename ExecutionSpace::memory_space>& top,
                      const Kokkos::View<const Real*, typename ExecutionSpace::memory_space>& reach,
                      double theta, GravityTree<typename ExecutionSpace::memory_space>& into) {
  soften_depths<ExecutionSpace>(
      space, top, {top.nodes, into.monopole, reach, {}, {}, theta, into.node_softening, true});
}

#define COPSE_INSTANTIATE(Space)                                                               \
  template void soften_gravity_tree<Space>(                                                    \
      const Space&, const Octree<Space::memory_space>&,                                        \
      const Kokkos::View<Real*, Kokkos::LayoutLeft, Space::memory_space>&,                     \
      const Kokkos::View<Real*, Kokkos::LayoutLeft, Space::memory_space>&,                     \
      const Kokkos::View<const Real*, Space::memory_space>&, double,                           \
      GravityTree<Space::memory_space>&);                                                      \
  template void soften_top_nodes<Space>(const Space&, const Octree<Space::memory_space>&,      \
                                        const Kokkos::View<const Real*, Space::memory_space>&, \
                                        double, GravityTree<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
