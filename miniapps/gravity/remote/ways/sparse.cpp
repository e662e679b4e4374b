// The way "sparse": as "request", but the nodes where each group of targets stopped are stored, as
// pairs of group and node. The next walk continues there and tests no node above again. [Liu 2019]
// section 5.4.5 has a matrix of bits instead, one for each bucket and each node of others.
#include "fetched_trees.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/relaxed_access.hpp>
#include <copse/traversal/partial_walk.hpp>

#include <algorithm>

namespace copse::gravity {
namespace {

/// A visitor whose queries are the boxes of groups, and which adds nothing.
template <class MemorySpace, bool Relative>
struct TestBoxes {
  static constexpr bool guided = false;

  OctreeView<MemorySpace> tree;
  BarnesHut<1, MemorySpace, Relative> from;
  Kokkos::View<const TargetBox*, Kokkos::LayoutLeft, MemorySpace> boxes;

  template <class>
  struct State {
    TargetBox box;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(LocalIndex query) const {
    return {boxes(query)};
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> resume(LocalIndex query) const {
    return {boxes(query)};
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node, bool) const {
    return from.classify_box(state.box, node);
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>&, Node, bool) const {}
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void finish(LocalIndex, const State<L>&, bool) const {}
};

template <class MemorySpace>
struct WantPending {
  Kokkos::View<const MissedNode*, MemorySpace> pending;
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> wanted;

  KOKKOS_FUNCTION void operator()(const Count k) const {
    relaxed_store(&wanted(pending(k).at.node), std::uint8_t{1});
  }
};

}  // namespace

template <class ExecutionSpace>
class SparseTrees final : public FetchedTrees<ExecutionSpace> {
 public:
  using Base = FetchedTrees<ExecutionSpace>;
  using Base::Base;
  using typename Base::MemorySpace;

  void finish(Method<ExecutionSpace>& method, const GravityFields<MemorySpace>&) override {
    boxes_ = this->boundary_boxes(method);
    missed_ = MissedNodes<MemorySpace>(std::max<Count>(1024, boxes_.extent(0)));
    walk_from(FromRoot<>{});
    for (;;) {
      Kokkos::View<const MissedNode*, MemorySpace> pending =
          Kokkos::subview(missed_.list(), Kokkos::make_pair(Count{0}, missed_.size()));
      this->cost_.pending = std::max<Count>(this->cost_.pending, pending.extent(0));
      const auto entries = missed_.entries(this->space_, boxes_.extent(0));
      const auto wanted = this->clear_flags();
      Kokkos::parallel_for("copse::gravity::want_pending",
                           CountRange<ExecutionSpace>(this->space_, 0, pending.extent(0)),
                           WantPending<MemorySpace>{pending, wanted});
      this->space_.fence("copse::gravity::want_pending");
      if (!this->fetch(wanted)) return;
      walk_from(entries);
    }
  }

 private:
  /// Lists the missing nodes that groups open below their entries. If the list overflows, the walk
  /// is repeated with more room: it changes nothing else.
  template <class From>
  void walk_from(const From& from) {
    const Count nodes = this->tree_.octree.nodes.extent(0);
    const auto elsewhere = this->workspace_.template get<std::uint8_t>("sparse::elsewhere", nodes);
    Kokkos::parallel_for(
        "copse::gravity::mark_missing", CountRange<ExecutionSpace>(this->space_, 0, nodes),
        MarkMissing<MemorySpace>{this->tree_.octree.nodes, this->missing_row_here(), elsewhere});
    for (;;) {
      missed_.clear(this->space_);
      this->with_tests([&]<bool Relative>(const BarnesHut<1, MemorySpace, Relative>& tests) {
        using Tests = TestBoxes<MemorySpace, Relative>;
        count_walk_as<WalkKind::stack>(
            this->space_,
            PartialWalk<Tests, MemorySpace>{{tests.tree, tests, boxes_}, elsewhere, missed_},
            QueryList<MemorySpace>{boxes_.extent(0), {}}, from);
      });
      this->space_.fence("copse::gravity::list_pending");
      const Count found = missed_.found();
      if (found <= missed_.list().extent(0)) break;
      missed_ = MissedNodes<MemorySpace>(found + found / 4);
    }
    app::corruptible(missed_);
  }

  Kokkos::View<TargetBox*, Kokkos::LayoutLeft, MemorySpace> boxes_;
  MissedNodes<MemorySpace> missed_;
};

#define COPSE_INSTANTIATE(Space) COPSE_MAKE_WAY(Space, SparseTrees);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
