#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/gravity/inclusion.hpp>

namespace copse {
namespace {

/// The relative excess of a covering radius over the exact one: more than the rounding of the
/// distances that walks compare with a child's and with its parent's radius.
constexpr double covering_slack = 8.0 * static_cast<double>(Kokkos::Experimental::epsilon_v<Real>);

template <class MemorySpace>
struct Balls {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  Kokkos::View<const Monopole*, MemorySpace> monopole;

  /// True for a leaf that every target opens: no walk begins at it.
  KOKKOS_FUNCTION bool needs_no_cover(Count child, Real opening2) const {
    return nodes(child).is_leaf() && Kokkos::isinf(opening2);
  }

  /// The radius about the parent's centre that covers the child's ball.
  KOKKOS_FUNCTION double covering(Count parent, Count child, Real opening2) const {
    double square = 0.0;
    for (int a = 0; a < 3; ++a) {
      const double d = static_cast<double>(monopole(child).centre[a]) -
                       static_cast<double>(monopole(parent).centre[a]);
      square += d * d;
    }
    return Kokkos::sqrt(square) + Kokkos::sqrt(static_cast<double>(opening2));
  }
};

template <class MemorySpace>
struct CoverChildren {
  Balls<MemorySpace> balls;
  Kokkos::View<const Real*, MemorySpace> of_children;  ///< squared radii
  double factor;
  Kokkos::View<Real*, MemorySpace> opening2;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const OctreeNode parent = balls.nodes(i);
    double needed = 0.0;
    for (Count c = parent.first_child; c < parent.first_child + Count{parent.child_count}; ++c) {
      if (balls.needs_no_cover(c, of_children(c))) continue;
      needed = Kokkos::max(needed, balls.covering(i, c, of_children(c)));
    }
    needed *= factor * (1.0 + covering_slack);
    const double square = needed * needed;
    if (!(square > static_cast<double>(opening2(i)))) return;
    opening2(i) = square < static_cast<double>(Kokkos::Experimental::finite_max_v<Real>)
                      ? squared_opening_radius(needed, 0.0)
                      : Kokkos::Experimental::infinity_v<Real>;
  }
};

template <class MemorySpace>
struct CountUncovered {
  Balls<MemorySpace> balls;
  Kokkos::View<const Real*, MemorySpace> opening2;

  KOKKOS_FUNCTION void operator()(Count i, Count& inner, Count& leaves) const {
    const OctreeNode parent = balls.nodes(i);
    const double radius = Kokkos::sqrt(static_cast<double>(opening2(i)));
    for (Count c = parent.first_child; c < parent.first_child + Count{parent.child_count}; ++c) {
      if (balls.needs_no_cover(c, opening2(c)) || balls.covering(i, c, opening2(c)) <= radius)
        continue;
      ++(balls.nodes(c).is_leaf() ? leaves : inner);
    }
  }
};

/// The ratio of an opening radius to the size of its node.
double radius_over_size(const OpeningCriterion& criterion) {
  const double by_angle = 1.0 / criterion.theta;
  return criterion.kind == OpeningKind::changa ? by_angle * 2.0 / Kokkos::sqrt(3.0) : by_angle;
}

}  // namespace

template <class ExecutionSpace>
void enlarge_radii(const ExecutionSpace& space,
                   const Octree<typename ExecutionSpace::memory_space>& tree,
                   const OpeningCriterion& criterion, Inclusion inclusion,
                   GravityTree<typename ExecutionSpace::memory_space>& into) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (inclusion == Inclusion::none) return;
  if (criterion.kind == OpeningKind::relative)
    throw InputError("the relative criterion has no opening radii that could be enlarged");
  if (criterion.theta == 0.0) return;
  const Balls<MemorySpace> balls{tree.nodes, into.monopole};
  if (inclusion == Inclusion::top_down) {
    const Kokkos::View<Real*, MemorySpace> plain(
        Kokkos::view_alloc("copse::gravity_tree::plain_radii", Kokkos::WithoutInitializing),
        tree.size());
    Kokkos::deep_copy(space, plain, into.opening2);
    Kokkos::parallel_for("copse::gravity_tree::cover_plain",
                         CountRange<ExecutionSpace>(space, 0, tree.size()),
                         CoverChildren<MemorySpace>{balls, plain, 1.0, into.opening2});
  } else {
    const double factor = inclusion == Inclusion::radius ? radius_over_size(criterion) : 1.0;
    for (int depth = tree.depths() - 2; depth >= 0; --depth) {
      const auto d = static_cast<std::size_t>(depth);
      Kokkos::parallel_for(
          "copse::gravity_tree::cover",
          CountRange<ExecutionSpace>(space, tree.depth_begin[d], tree.depth_begin[d + 1]),
          CoverChildren<MemorySpace>{balls, into.opening2, factor, into.opening2});
    }
  }
  space.fence("copse::gravity_tree::enlarge_radii");
}

template <class ExecutionSpace>
UncoveredNodes count_uncovered(const ExecutionSpace& space,
                               const Octree<typename ExecutionSpace::memory_space>& tree,
                               const GravityTree<typename ExecutionSpace::memory_space>& gravity) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  UncoveredNodes found;
  Kokkos::parallel_reduce(
      "copse::gravity_tree::count_uncovered", CountRange<ExecutionSpace>(space, 0, tree.size()),
      CountUncovered<MemorySpace>{{tree.nodes, gravity.monopole}, gravity.opening2}, found.inner,
      found.leaves);
  return found;
}

#define COPSE_INSTANTIATE(Space)                                                                   \
  template void enlarge_radii<Space>(const Space&, const Octree<Space::memory_space>&,             \
                                     const OpeningCriterion&, Inclusion,                           \
                                     GravityTree<Space::memory_space>&);                           \
  template UncoveredNodes count_uncovered<Space>(const Space&, const Octree<Space::memory_space>&, \
                                                 const GravityTree<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
