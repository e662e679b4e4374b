// The way "approximate" ([Liu 2019] figure 5.4): the host selects the requests. It tests the
// missing nodes of a subtree, not the nodes above them, with the box of all targets of the rank;
// the walks on the device that follow are exact.
#include "fetched_trees.hpp"
#include <copse/backend/backends.hpp>

namespace copse::gravity {
namespace {

template <class V>
auto part_on_host(const V& view, Count begin) {
  const Count n = view.extent(0) > 0 ? view.extent(0) : begin;
  return Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace{},
      Kokkos::subview(view, Kokkos::make_pair(view.extent(0) > 0 ? begin : n, n)));
}

}  // namespace

template <class ExecutionSpace>
class ApproximateTrees final : public FetchedTrees<ExecutionSpace> {
 public:
  using Base = FetchedTrees<ExecutionSpace>;
  using Base::Base;
  using typename Base::MemorySpace;

  void start(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own,
             Count most_bytes) override {
    Base::start(top, own, most_bytes);
    const auto boxes = download(top.boxes);
    const auto rank = static_cast<std::size_t>(this->messages_.rank());
    const Count begin = top.rank_begin[rank], end = top.rank_begin[rank + 1];
    has_targets_ = end > begin;
    if (!has_targets_) return;
    box_ = boxes[begin];
    for (Count k = begin; k < end; ++k) {
      for (int a = 0; a < 3; ++a) {
        box_.lower[a] = lane_min(box_.lower[a], boxes[k].lower[a]);
        box_.upper[a] = lane_max(box_.upper[a], boxes[k].upper[a]);
      }
      box_.softening = lane_max(box_.softening, boxes[k].softening);
      box_.limit = lane_min(box_.limit, boxes[k].limit);
    }
  }

  void finish(Method<ExecutionSpace>&, const GravityFields<MemorySpace>&) override {
    Count begin = 0;
    do {
      const auto wanted = this->clear_flags();
      if (has_targets_) flag(begin, wanted);
      begin = this->tree_.octree.nodes.extent(0);
      this->space_.fence("copse::gravity::flag_missing");
      if (!this->fetch(wanted)) return;
    } while (true);
  }

 private:
  using typename Base::Flags;

  /// Flags missing nodes from `begin` on.
  void flag(Count begin, const Flags& wanted) {
    const auto from = [&](const auto& view) { return part_on_host(view, begin); };
    GravityTree<Kokkos::HostSpace> gravity;
    gravity.monopole = from(this->tree_.gravity.monopole);
    gravity.opening2 = from(this->tree_.gravity.opening2);
    const bool relative = this->tree_.gravity.is_relative();
    if (relative) gravity.cubes = from(this->tree_.gravity.cubes);
    Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace> splined;
    if (this->splined_.extent(0) > 0) {
      gravity.node_softening = from(this->tree_.gravity.node_softening);
      splined = decltype(splined)("copse::gravity::splined", 1);
    }
    const auto nodes = from(this->tree_.octree.nodes);
    const auto flags = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, wanted);
    const auto test = [&]<bool Relative>(std::bool_constant<Relative>) {
      const BarnesHut<1, Kokkos::HostSpace, Relative> at{{}, gravity, {}, {}, {}, {0, splined, {}}};
      for (Count i = 0; i < nodes.extent(0); ++i)
        if (nodes(i).is_leaf() && nodes(i).begin == this->missing_row_here())
          flags(begin + i) = at.classify_box(box_, static_cast<Node>(i)).open ? 1 : 0;
    };
    if (relative)
      test(std::true_type{});
    else
      test(std::false_type{});
    Kokkos::deep_copy(wanted, flags);
  }

  TargetBox box_;
  bool has_targets_ = false;
};

#define COPSE_INSTANTIATE(Space) COPSE_MAKE_WAY(Space, ApproximateTrees);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
