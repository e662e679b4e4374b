// The method "fmm": the fast multipole method. Nodes act on nodes through local expansions, which
// are handed down the tree and evaluated at the bodies: the work is linear in their number.
//
// Depth by depth from the root, each node tests what its parent left undecided, converts what it
// accepts, and lists what it leaves to its children. A first sweep counts the lists, so that they
// never overflow.
#include "fmm.hpp"

#include "../make.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>

#include <string>

namespace copse::gravity {
namespace {

/// Adds the parents' expansions to those of one depth.
template <int Order, class MemorySpace>
struct ShiftExpansions {
  Kokkos::View<const Node*, MemorySpace> parents;
  Kokkos::View<const Monopole*, MemorySpace> monopole;
  Kokkos::View<const Real*, MemorySpace> reach;
  Kokkos::View<LocalExpansion<Order>*, MemorySpace> locals;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    const Node parent = parents(i);
    Real shift[3];
    for (int a = 0; a < 3; ++a) shift[a] = monopole(i).centre[a] - monopole(parent).centre[a];
    add_shifted<local_rank(Order)>(locals(i).of, unit_length(reach(i)), locals(parent).of,
                                   unit_length(reach(parent)), shift);
  }
};

/// Adds the expansion of its leaf at each body.
template <int Order, class MemorySpace>
struct EvaluateExpansions {
  Kokkos::View<const Node*, MemorySpace> leaf_of;
  Kokkos::View<const Monopole*, MemorySpace> monopole;
  Kokkos::View<const Real*, MemorySpace> reach;
  Kokkos::View<const LocalExpansion<Order>*, MemorySpace> locals;
  Points<3, MemorySpace> points;
  GravityFields<MemorySpace> fields;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    const Node leaf = leaf_of(i);
    Real y[3];
    for (int a = 0; a < 3; ++a) y[a] = points(i, a) - monopole(leaf).centre[a];
    GravityField<Real> field;
    fields.template load<OneLane>(static_cast<std::uint32_t>(i), field);
    add_field(field,
              field_of_local<local_rank(Order)>(locals(leaf).of, unit_length(reach(leaf)), y));
    fields.template store<OneLane>(static_cast<std::uint32_t>(i), field, true);
  }
};

/// Lists the parents of all nodes, and the root as its own undecided source.
template <class ExecutionSpace, class MemorySpace>
void root_the_lists(const ExecutionSpace& space, const Octree<MemorySpace>& tree,
                    const Kokkos::View<Node*, MemorySpace>& parents,
                    const DeferredLists<MemorySpace>& lists) {
  const auto nodes = tree.nodes;
  Kokkos::parallel_for(
      "copse::gravity::fmm_parents", CountRange<ExecutionSpace>(space, 0, tree.size()),
      KOKKOS_LAMBDA(const Count i) {
        const OctreeNode node = nodes(i);
        for (Count c = 0; c < node.child_count; ++c)
          parents(node.first_child + c) = static_cast<Node>(i);
        if (i > 0) return;
        parents(0) = 0;
        lists.begin(0) = 0;
        lists.count(0) = 1;
        lists.sources(0) = 0;
      });
}

/// Sets where the lists of the nodes [first, end) begin. \return the length of all of them
template <class ExecutionSpace, class MemorySpace>
Count place_lists(const ExecutionSpace& space, const DeferredLists<MemorySpace>& lists, Node first,
                  Node end) {
  Count total = 0;
  Kokkos::parallel_scan(
      "copse::gravity::fmm_place_lists", CountRange<ExecutionSpace>(space, first, end),
      KOKKOS_LAMBDA(const Count i, Count& sum, const bool final) {
        const Count here = lists.count(i);
        if (final) lists.begin(i) = sum;
        sum += here;
      },
      total);
  return total;
}

template <class ExecutionSpace>
class Fmm final : public Method<ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  using Method<ExecutionSpace>::Method;

  void start(const BodyTree<MemorySpace>& bodies,
             const GravityFields<MemorySpace>& fields) override {
    with_moments(bodies, [&]<int Order>(const Multipoles<Order, MemorySpace>& moments) {
      run(bodies, moments, fields, {});
    });
  }

  Interactions count(const BodyTree<MemorySpace>& bodies) override {
    const FmmTotals<MemorySpace> totals("copse::gravity::fmm_totals");
    with_moments(bodies, [&](const auto& moments) {
      Multipoles<1, MemorySpace> masses;  // the order changes no decision
      masses.reach = moments.reach;
      run(bodies, masses, allocate_fields<MemorySpace>(bodies.size()), totals);
    });
    const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, totals);
    return {.bodies = sums(1), .conversions = sums(0), .tests = sums(2), .tests_per_body = sums(3)};
  }

 private:
  using Method<ExecutionSpace>::space_;
  template <int Order>
  void run(const BodyTree<MemorySpace>& bodies, const Multipoles<Order, MemorySpace>& moments,
           const GravityFields<MemorySpace>& fields, const FmmTotals<MemorySpace>& totals) {
    const Octree<MemorySpace>& tree = bodies.octree;
    const auto& masses = bodies.gravity.monopole;
    const Count nodes = tree.size();
    const auto parents = workspace_.template get<Node>("gravity::fmm_parents", nodes);
    const auto locals =
        workspace_.template get<LocalExpansion<Order>>("gravity::fmm_locals", nodes);
    const auto leaf_of = workspace_.template get<Node>("gravity::fmm_leaf_of", bodies.size());
    FmmSweep<MemorySpace, Order> sweep{visitor_of(bodies, moments, fields),
                                       moments.reach,
                                       parents,
                                       lists(0, nodes, 1),
                                       {},
                                       locals,
                                       leaf_of,
                                       totals,
                                       bodies.target_shift};
    root_the_lists<ExecutionSpace, MemorySpace>(space_, tree, parents, sweep.before);
    for (int depth = 0; depth < tree.depths(); ++depth) {
      const auto d = static_cast<std::size_t>(depth);
      sweep.first = static_cast<Node>(tree.depth_begin[d]);
      sweep.end = static_cast<Node>(tree.depth_begin[d + 1]);
      sweep.after = lists(depth + 1, nodes, 0);
      launch<false>("copse::gravity::fmm_count", sweep);
      sweep.after =
          lists(depth + 1, nodes, place_lists(space_, sweep.after, sweep.first, sweep.end));
      launch<true>("copse::gravity::fmm_interact", sweep);
      if (depth > 0)
        Kokkos::parallel_for(
            "copse::gravity::fmm_shift", CountRange<ExecutionSpace>(space_, sweep.first, sweep.end),
            ShiftExpansions<Order, MemorySpace>{parents, masses, moments.reach, locals});
      sweep.before = sweep.after;
    }
    Kokkos::parallel_for("copse::gravity::fmm_evaluate",
                         CountRange<ExecutionSpace>(space_, 0, bodies.size()),
                         EvaluateExpansions<Order, MemorySpace>{leaf_of, masses, moments.reach,
                                                                locals, bodies.points, fields});
  }

  template <bool Evaluates, int Order>
  void launch(const char* label, const FmmSweep<MemorySpace, Order>& sweep) {
    const Count targets = sweep.end - sweep.first;
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_for(label,
                           Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                               Kokkos::IndexType<Count>>(space_, 0, targets),
                           FmmThreads<MemorySpace, Order, Evaluates>{sweep});
    } else {
      using Walk = FmmWarps<ExecutionSpace, Order, Evaluates>;
      const auto teams = static_cast<int>((targets + Walk::warps - 1) / Walk::warps);
      const auto scratch = static_cast<int>(Walk::warps * sizeof(typename Walk::Room) + 16);
      Kokkos::parallel_for(
          label,
          Kokkos::TeamPolicy<ExecutionSpace>(space_, teams, Walk::warps * Walk::width)
              .set_scratch_size(0, Kokkos::PerTeam(scratch)),
          Walk{sweep});
    }
  }

  /// Room for the lists that one depth leaves to the next, with `listed` sources. Neighbouring
  /// depths have different arrays.
  DeferredLists<MemorySpace> lists(int depth, Count nodes, Count listed) {
    const std::string name = depth % 2 == 0 ? "gravity::fmm_even_" : "gravity::fmm_odd_";
    return {workspace_.template get<Count>(name + "begin", nodes),
            workspace_.template get<std::uint32_t>(name + "count", nodes),
            workspace_.template get<Node>(name + "sources", listed)};
  }

  Workspace<MemorySpace> workspace_;
};

}  // namespace

template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_fmm(const ExecutionSpace& space, const Request&) {
  return std::make_unique<Fmm<ExecutionSpace>>(space);
}

#define COPSE_INSTANTIATE(Space) \
  template MethodPointer<Space> make_fmm(const Space&, const Request&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
