#include "top_tree.hpp"

#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/gravity/inclusion.hpp>
#include <copse/gravity/node_softening.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <limits>

namespace copse::gravity {
namespace {

/// What the owner of a coarse leaf sends besides its moments.
struct LeafTargets {
  TargetBox box;
  NodeSoftening softening;
  Real opening2 = 0;     ///< enlarged as requested
  bool is_leaf = false;  ///< of the whole tree
};

/// The largest softening length and the smallest limit of some rows.
template <class MemorySpace>
struct RootTargets {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  Kokkos::View<const NodeBounds*, MemorySpace> bounds;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> lengths, limits;
  Kokkos::View<const NodeSoftening*, MemorySpace> softening;
  Kokkos::View<const Real*, MemorySpace> opening2;
  Kokkos::View<LeafTargets*, Kokkos::LayoutLeft, MemorySpace> out;

  KOKKOS_FUNCTION void operator()(const Count r) const {
    LeafTargets leaf;
    leaf.box.lower = bounds(r).lower;
    leaf.box.upper = bounds(r).upper;
    const OctreeNode root = nodes(r);
    for (Count row = root.begin; row < root.end; ++row) {
      if (lengths.extent(0) > 0 && lengths(row) > leaf.box.softening)
        leaf.box.softening = lengths(row);
      if (limits.extent(0) > 0 && (row == root.begin || limits(row) < leaf.box.limit))
        leaf.box.limit = limits(row);
    }
    if (softening.extent(0) > 0) leaf.softening = softening(r);
    leaf.opening2 = opening2(r);
    leaf.is_leaf = root.is_leaf();
    out(r) = leaf;
  }
};

template <int Order, class MemorySpace>
struct RootMoments {
  Multipoles<Order, MemorySpace> moments;
  Kokkos::View<const MomentSums<Order>*, Kokkos::LayoutLeft, MemorySpace> sums;
  Kokkos::View<TopLeaf<Order>*, Kokkos::LayoutLeft, MemorySpace> out;

  KOKKOS_FUNCTION void operator()(const Count r) const {
    out(r) = {sums(r), moments.monopole(r), moments.reach(r), moments.bounds(r)};
  }
};

/// The elements of all ranks' arrays, by rank.
template <class View>
auto all_of(const View& own, CountedMessages& messages) {
  using T = typename View::non_const_value_type;
  const std::vector<T> mine = download(own);
  std::vector<T> all;
  messages.clock().communicate(messages.comm(),
                               [&] { all = messages.comm().allgatherv(std::span<const T>(mine)); });
  return all;
}

/// Topology and cells of the coarse tree.
template <class ExecutionSpace>
void copy_topology(const ExecutionSpace& space, const CoarseOctree& coarse,
                   Workspace<typename ExecutionSpace::memory_space>& workspace,
                   Octree<typename ExecutionSpace::memory_space>& into) {
  std::vector<OctreeNode> nodes;
  std::vector<OctreeCell> cells;
  constexpr Count most = std::numeric_limits<LocalIndex>::max();
  for (const CoarseNode& from : coarse.nodes) {
    OctreeNode node;
    node.first_child = from.first_child;
    node.child_count = from.child_count;
    node.level = from.level;
    node.end = static_cast<LocalIndex>(std::min(from.particles, most));
    nodes.push_back(node);
    cells.push_back(coarse.cell_of(from));
  }
  into.nodes = upload(space, nodes, workspace, "top::nodes");
  into.cells = upload(space, cells, workspace, "top::cells");
  into.depth_begin = coarse.depth_begin;
  into.grid = coarse.grid;
}

/// Coarse leaves by owner: their nodes, and where each rank's begin.
template <class MemorySpace>
std::vector<std::uint32_t> by_owner(const CoarseOctree& coarse, const std::vector<int>& owners,
                                    std::size_t ranks, TopTree<MemorySpace>& top) {
  top.rank_begin.assign(ranks + 1, 0);
  for (const int owner : owners) ++top.rank_begin[static_cast<std::size_t>(owner) + 1];
  for (std::size_t r = 0; r < ranks; ++r) top.rank_begin[r + 1] += top.rank_begin[r];
  std::vector<Count> next(top.rank_begin.begin(), top.rank_begin.end() - 1);
  std::vector<std::uint32_t> nodes(owners.size());
  for (std::size_t k = 0; k < owners.size(); ++k)
    nodes[next[static_cast<std::size_t>(owners[k])]++] = coarse.leaves[k];
  return nodes;
}

/// Gives coarse leaves the radii that their owners sent. In the top, an inner node of the whole
/// tree may be a leaf, and an infinite radius of a leaf needs no cover. With `to_cover`, the
/// infinite radius of such a node becomes the largest finite number, so that its parent's becomes
/// infinite.
template <class MemorySpace>
struct StoreRadii {
  Kokkos::View<const LeafTargets*, Kokkos::LayoutLeft, MemorySpace> from;
  Kokkos::View<const std::uint32_t*, MemorySpace> leaf_nodes;
  bool to_cover;
  Kokkos::View<Real*, MemorySpace> opening2;

  KOKKOS_FUNCTION void operator()(const Count k) const {
    const LeafTargets leaf = from(k);
    opening2(leaf_nodes(k)) = to_cover && !leaf.is_leaf && Kokkos::isinf(leaf.opening2)
                                  ? Kokkos::Experimental::finite_max_v<Real>
                                  : leaf.opening2;
  }
};

/// Enlarges the radii of the top as one rank would enlarge them.
template <class ExecutionSpace, class Targets, class MemorySpace>
void enlarge_top(const ExecutionSpace& space, const Request& request, bool has_limits,
                 const Targets& targets, TopTree<MemorySpace>& into) {
  const Inclusion inclusion = request.inclusion_kind;
  if (inclusion == Inclusion::none) return;
  const auto store = [&](bool to_cover) {
    Kokkos::parallel_for(
        "copse::gravity::store_radii",
        CountRange<ExecutionSpace>(space, 0, into.leaf_nodes.extent(0)),
        StoreRadii<MemorySpace>{targets, into.leaf_nodes, to_cover, into.gravity.opening2});
  };
  // top_down covers the radii of children as they were before.
  if (inclusion != Inclusion::top_down) store(true);
  enlarge_radii(space, into.octree, criterion_of(request, has_limits), inclusion, into.gravity);
  store(false);
}

template <class MemorySpace>
struct StoreTargets {
  Kokkos::View<const LeafTargets*, Kokkos::LayoutLeft, MemorySpace> from;
  Kokkos::View<const std::uint32_t*, MemorySpace> leaf_nodes;
  Kokkos::View<TargetBox*, MemorySpace> boxes;
  Kokkos::View<std::uint8_t*, MemorySpace> is_leaf;
  Kokkos::View<NodeSoftening*, MemorySpace> softening;  ///< [nodes] or empty

  KOKKOS_FUNCTION void operator()(const Count k) const {
    boxes(k) = from(k).box;
    is_leaf(k) = from(k).is_leaf;
    if (softening.extent(0) > 0) softening(leaf_nodes(k)) = from(k).softening;
  }
};

}  // namespace

template <class ExecutionSpace>
void share_top(const ExecutionSpace& space, const CoarseOctree& coarse,
               const std::vector<int>& owners, const Request& request, bool has_limits,
               BodyTreeBuilder<ExecutionSpace>& builder,
               const BodyTree<typename ExecutionSpace::memory_space>& own,
               CountedMessages& messages,
               Workspace<typename ExecutionSpace::memory_space>& workspace,
               TopTree<typename ExecutionSpace::memory_space>& into) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::share_top");
  copy_topology(space, coarse, workspace, into.octree);
  const auto nodes = by_owner(coarse, owners, static_cast<std::size_t>(messages.ranks()), into);
  into.leaf_nodes = upload(space, nodes, workspace, "top::leaf_nodes");
  const auto rank = static_cast<std::size_t>(messages.rank());
  const Count mine = into.rank_begin[rank + 1] - into.rank_begin[rank];
  const bool spline = request.kernel == SofteningKernel::spline;

  hold_order(into.moments, request.order);
  std::vector<LeafTargets> targets;
  std::visit(
      [&]<int Order>(Multipoles<Order, MemorySpace>& moments) {
        const auto& below = std::get<Multipoles<Order, MemorySpace>>(own.moments);
        const auto described = workspace.template get<TopLeaf<Order>>("top::own_leaves", mine);
        Kokkos::parallel_for("copse::gravity::describe_roots",
                             CountRange<ExecutionSpace>(space, 0, mine),
                             RootMoments<Order, MemorySpace>{
                                 below, builder.template sums_of<Order>(own), described});
        const auto boxes = workspace.template get<LeafTargets>("top::own_targets", mine);
        Kokkos::parallel_for(
            "copse::gravity::describe_targets", CountRange<ExecutionSpace>(space, 0, mine),
            RootTargets<MemorySpace>{own.octree.nodes, below.bounds, own.softening, own.limits,
                                     own.gravity.node_softening, own.gravity.opening2, boxes});
        space.fence("copse::gravity::describe_roots");
        const auto all = upload(space, all_of(described, messages), workspace, "top::leaves");
        targets = all_of(boxes, messages);
        into.leaf_bytes = sizeof(TopLeaf<Order>) + sizeof(LeafTargets);
        compute_top_multipoles<Order>(space, into.octree, all, into.leaf_nodes, workspace, moments);
        const Column<MemorySpace> none;
        make_gravity_tree(space, into.octree, Points<3, MemorySpace>{}, none, moments,
                          criterion_of(request, has_limits), into.gravity);
      },
      into.moments);

  const Count leaves = nodes.size();
  const auto received = upload(space, targets, workspace, "top::targets");
  enlarge_top(space, request, has_limits, received, into);
  if (into.boxes.extent(0) != leaves) {
    into.boxes = decltype(into.boxes)("copse::gravity::leaf_boxes", leaves);
    into.is_leaf = decltype(into.is_leaf)("copse::gravity::leaf_is_leaf", leaves);
  }
  if (spline && into.gravity.node_softening.extent(0) != into.octree.size())
    into.gravity.node_softening =
        decltype(into.gravity.node_softening)("copse::gravity::top_softening", into.octree.size());
  Kokkos::parallel_for("copse::gravity::store_targets",
                       CountRange<ExecutionSpace>(space, 0, leaves),
                       StoreTargets<MemorySpace>{received, into.leaf_nodes, into.boxes,
                                                 into.is_leaf, into.gravity.node_softening});
  if (spline)
    std::visit(
        [&](const auto& moments) {
          soften_top_nodes<ExecutionSpace>(space, into.octree, moments.reach, request.theta,
                                           into.gravity);
        },
        into.moments);
  space.fence("copse::gravity::share_top");
  app::corruptible(into.boxes);
}

#define COPSE_INSTANTIATE(Space)                                                      \
  template void share_top(const Space&, const CoarseOctree&, const std::vector<int>&, \
                          const Request&, bool, BodyTreeBuilder<Space>&,              \
                          const BodyTree<Space::memory_space>&, CountedMessages&,     \
                          Workspace<Space::memory_space>&, TopTree<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
