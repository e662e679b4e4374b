// The way "request" ([Liu 2019] figure 5.3): walks on the device stop at missing nodes and flag
// them; the parts of flagged nodes are requested next.
#include "fetched_trees.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/relaxed_access.hpp>

namespace copse::gravity {
namespace {

/// The walk of a group that adds nothing, and flags the missing nodes that it opens.
template <class MemorySpace, bool Relative>
struct FlagMissing {
  BarnesHut<1, MemorySpace, Relative> from;
  Kokkos::View<const TargetBox*, Kokkos::LayoutLeft, MemorySpace> boxes;
  LocalIndex missing;  ///< the row of missing nodes
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> wanted;

  KOKKOS_FUNCTION void operator()(const Count b) const {
    const TargetBox box = boxes(b);
    Node stack[OctreeView<MemorySpace>::stack_size];
    int stacked = 0;
    stack[stacked++] = 0;
    while (stacked > 0) {
      const Node i = stack[--stacked];
      if (!from.classify_box(box, i).open) continue;
      const OctreeNode node = from.tree.nodes(i);
      if (node.is_leaf() && node.begin == missing) relaxed_store(&wanted(i), std::uint8_t{1});
      for (Node c = 0; c < node.child_count; ++c) stack[stacked++] = node.first_child + c;
    }
  }
};

}  // namespace

template <class ExecutionSpace>
class RequestedTrees final : public FetchedTrees<ExecutionSpace> {
 public:
  using Base = FetchedTrees<ExecutionSpace>;
  using Base::Base;
  using typename Base::MemorySpace;

  void finish(Method<ExecutionSpace>& method, const GravityFields<MemorySpace>&) override {
    const auto boxes = this->boundary_boxes(method);
    for (;;) {
      const auto wanted = this->clear_flags();
      this->with_tests([&]<bool Relative>(const BarnesHut<1, MemorySpace, Relative>& from) {
        Kokkos::parallel_for(
            "copse::gravity::flag_missing",
            Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                Kokkos::IndexType<Count>>(this->space_, 0, boxes.extent(0)),
            FlagMissing<MemorySpace, Relative>{from, boxes, this->missing_row_here(), wanted});
      });
      this->space_.fence("copse::gravity::flag_missing");
      if (!this->fetch(wanted)) return;
    }
  }
};

#define COPSE_INSTANTIATE(Space) COPSE_MAKE_WAY(Space, RequestedTrees);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
