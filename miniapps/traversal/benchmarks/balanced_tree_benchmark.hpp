#pragma once
/// \file
/// What benchmarks over balanced trees have in common: points, queries, and the sorted order.

#include "../input.hpp"
#include "box_tree.hpp"
#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/backend/backends.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/traversal/inspector.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse::traversal {

template <class ExecutionSpace, class Tree>
class BalancedTreeBenchmark {
 public:
  static constexpr int Dim = Tree::dimension;
  static constexpr bool bitwise = true;
  using MemorySpace = typename ExecutionSpace::memory_space;
  /// Packets of a GPU walk faster by the leaves where they begin than along a curve if nodes are
  /// balls or shells, and slower if they are boxes; hosts' do always (docs/scheduling.md).
  static constexpr bool first_leaf_pays =
      !runs_on_host<ExecutionSpace> && !std::is_same_v<Tree, BoxTree<Dim, MemorySpace>>;

  BalancedTreeBenchmark(const ExecutionSpace& space, const PointInput<Dim, MemorySpace>& input,
                        const Request& request)
      : space_(space), builder_(space), input_(input), request_(request) {}

  TopHeap top(int depth) const { return top_of(tree_, depth); }
  int levels() const { return tree_.levels; }
  Count queries() const { return input_.queries.extent(0); }

  bool order_is_free() const { return input_.own; }

  /// The order an application would choose: the tree's if its points are the queries.
  ScheduleView<MemorySpace> sorted(Workspace<MemorySpace>& workspace) const {
    return sorted(workspace, curve_bits<Dim>);
  }
  /// As far as packets can tell: those of one cell of a coarser grid stay in input order.
  ScheduleView<MemorySpace> coarsely_sorted(Workspace<MemorySpace>& workspace) const {
    return sorted(workspace, coarse_curve_levels<Dim>);
  }

 protected:
  ScheduleView<MemorySpace> sorted(Workspace<MemorySpace>& workspace, int levels) const {
    if (input_.own) return tree_.permutation;
    const Count n = queries();
    const ScheduleView<MemorySpace> order(
        workspace.template get<LocalIndex>("traversal::sorted", n).data(), n);
    const auto keys = workspace.template get<std::uint64_t>("traversal::curve_keys", n);
    curve_order<Dim>(space_, input_.queries, bounding_box(space_, input_.queries), Curve::hilbert,
                     keys, order, workspace, levels);
    return order;
  }

  ExecutionSpace space_;
  BalancedTreeBuilder<ExecutionSpace, Dim> builder_;
  PointInput<Dim, MemorySpace> input_;
  const Request& request_;
  Tree tree_;
};

}  // namespace copse::traversal
