#include "fetched_trees.hpp"

#include "../essential_kernels.hpp"
#include "target_boxes.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace copse::gravity {
namespace {

/// Writes down who owns the coarse leaves of others.
template <class MemorySpace>
struct NameOwners {
  Kokkos::View<const std::uint32_t*, MemorySpace> leaf_nodes;
  Kokkos::View<const Count*, Kokkos::LayoutLeft, MemorySpace> rank_begin;  ///< [ranks + 1]
  Count rank;
  Kokkos::View<OctreeNode*, MemorySpace> nodes;

  KOKKOS_FUNCTION void operator()(const Count k) const {
    Count owner = 0;
    while (rank_begin(owner + 1) <= k) ++owner;
    if (owner == rank) return;
    OctreeNode& node = nodes(leaf_nodes(k));
    node.first_child = static_cast<LocalIndex>(k - rank_begin(owner));
    node.unused = static_cast<std::uint16_t>(owner);
  }
};

/// Lists the flagged nodes. \return their number
template <class ExecutionSpace, class Flags, class Slots>
Count list_flagged(const ExecutionSpace& space, const Flags& wanted, const Slots& list) {
  Count found = 0;
  Kokkos::parallel_scan(
      "copse::gravity::list_wanted", CountRange<ExecutionSpace>(space, 0, wanted.extent(0)),
      KOKKOS_LAMBDA(const Count i, Count& number, const bool final) {
        if (wanted(i) == 0) return;
        if (final && number < list.extent(0)) list(number) = static_cast<LocalIndex>(i);
        ++number;
      },
      found);
  space.fence("copse::gravity::list_wanted");
  return found;
}

/// Flags the nodes of the forest whose parts are in an answer: of inner nodes above the last level,
/// and of all leaves.
template <class MemorySpace>
struct MarkSubtree {
  Kokkos::View<const SubtreeRequest*, Kokkos::LayoutLeft, MemorySpace> requests;
  Count first, levels;
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> slots;
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> opened;

  struct Below {
    Node node;
    Count depth;
  };

  KOKKOS_FUNCTION void operator()(const Count k) const {
    const SubtreeRequest request = requests(first + k);
    slots(request.node) = request.slot;
    Below stack[OctreeView<MemorySpace>::stack_size];
    int stacked = 0;
    stack[stacked++] = {request.node, 0};
    while (stacked > 0) {
      const Below at = stack[--stacked];
      const OctreeNode node = nodes(at.node);
      if (!node.is_leaf() && at.depth == levels) continue;
      opened(at.node) = 1;
      for (Node c = 0; c < node.child_count; ++c)
        stack[stacked++] = {node.first_child + c, at.depth + 1};
    }
  }
};

template <class ExecutionSpace, class Nodes, class Slots>
Count count_missing(const ExecutionSpace& space, const Nodes& nodes, const Slots& slots,
                    LocalIndex missing) {
  Count found = 0;
  Kokkos::parallel_reduce(
      "copse::gravity::count_unanswered", CountRange<ExecutionSpace>(space, 0, slots.extent(0)),
      KOKKOS_LAMBDA(const Count k, Count& sum) {
        const OctreeNode node = nodes(slots(k));
        if (node.is_leaf() && node.begin == missing) ++sum;
      },
      found);
  return found;
}

/// Makes a View longer and keeps its elements.
template <class V>
void lengthen(V& view, Count n) {
  V longer(Kokkos::view_alloc(view.label(), Kokkos::WithoutInitializing), n);
  Kokkos::deep_copy(Kokkos::subview(longer, Kokkos::make_pair(Count{0}, Count{view.extent(0)})),
                    view);
  view = longer;
}

}  // namespace

template <class ExecutionSpace>
void FetchedTrees<ExecutionSpace>::start(const TopTree<MemorySpace>& top,
                                         const BodyTree<MemorySpace>& own, Count most_bytes) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::start_fetched");
  if (messages_.ranks() > std::numeric_limits<std::uint16_t>::max())
    throw InputError(
        "ways of --remote that ask for nodes run on at most 65535 ranks; let has no limit");
  most_bytes_ = most_bytes;
  own_ = own;
  this->probe(top, own);
  this->join(top, own, 0, 0);
  this->split_targets(top, own);
  const auto begins = upload(space_, top.rank_begin, workspace_, "fetched::rank_begin");
  Kokkos::parallel_for(
      "copse::gravity::name_owners",
      CountRange<ExecutionSpace>(space_, 0, top.leaf_nodes.extent(0)),
      NameOwners<MemorySpace>{top.leaf_nodes, begins, static_cast<Count>(messages_.rank()),
                              tree_.octree.nodes});
  space_.fence("copse::gravity::name_owners");
}

template <class ExecutionSpace>
auto FetchedTrees<ExecutionSpace>::boundary_boxes(Method<ExecutionSpace>& method) const
    -> Kokkos::View<TargetBox*, Kokkos::LayoutLeft, MemorySpace> {
  BodyTree<MemorySpace> targets = this->tree();
  targets.targets = this->boundary();
  targets.build = next_build();
  return boxes_of_groups(space_, targets, method.groups(targets));
}

template <class ExecutionSpace>
auto FetchedTrees<ExecutionSpace>::clear_flags() -> Flags {
  const Flags flags =
      workspace_.template get<std::uint8_t>("fetched::wanted", tree_.octree.nodes.extent(0));
  Kokkos::deep_copy(space_, flags, std::uint8_t{0});
  return flags;
}

/// Sends the requests. Leaves those of others in asked_.
template <class ExecutionSpace>
ExchangePlan FetchedTrees<ExecutionSpace>::ask(const Flags& wanted) {
  arrived_ = {};
  const Count count = list_flagged(space_, wanted, arrived_);
  arrived_ = Slots("copse::gravity::arrived", count);
  list_flagged(space_, wanted, arrived_);
  const auto missing = workspace_.template get<OctreeNode>("fetched::missing", count);
  gather_rows("copse::gravity::gather_missing", space_, tree_.octree.nodes, missing, arrived_);
  space_.fence("copse::gravity::gather_missing");
  const auto slots = download(arrived_);
  const auto nodes = download(missing);
  std::vector<std::size_t> by_owner(count);
  std::iota(by_owner.begin(), by_owner.end(), std::size_t{0});
  std::stable_sort(by_owner.begin(), by_owner.end(),
                   [&](std::size_t a, std::size_t b) { return nodes[a].unused < nodes[b].unused; });
  std::vector<Count> counts(static_cast<std::size_t>(messages_.ranks()), 0);
  std::vector<SubtreeRequest> requests;
  for (const std::size_t k : by_owner) {
    ++counts[nodes[k].unused];
    requests.push_back({slots[k], nodes[k].first_child});
  }
  cost_.requests += count;
  const ExchangePlan plan = messages_.plan(counts);
  const auto sent = upload(space_, requests, workspace_, "fetched::requests");
  asked_ = workspace_.template get<SubtreeRequest>("fetched::asked", plan.receive.total());
  messages_.exchange(plan, sent, asked_);
  app::corruptible(asked_);
  return plan;
}

template <class ExecutionSpace>
auto FetchedTrees<ExecutionSpace>::answers(const ExchangePlan& plan) -> std::vector<Neighbour> {
  std::vector<Neighbour> to;
  const Flags opened = workspace_.template get<std::uint8_t>("fetched::opened", own_nodes_);
  for (std::size_t r = 0; r < plan.receive.counts.size(); ++r) {
    const Count requests = plan.receive.counts[r];
    if (requests == 0) continue;
    const Slots slots("copse::gravity::slots_of_requests", own_nodes_);
    Kokkos::deep_copy(space_, slots, no_slot);
    Kokkos::deep_copy(space_, opened, std::uint8_t{0});
    Kokkos::parallel_for("copse::gravity::mark_subtrees",
                         CountRange<ExecutionSpace>(space_, 0, requests),
                         MarkSubtree<MemorySpace>{asked_, plan.receive.offsets[r], levels_,
                                                  own_.octree.nodes, slots, opened});
    space_.fence("copse::gravity::mark_subtrees");
    to.push_back(this->list_opened(own_, static_cast<int>(r), opened, slots));
  }
  return to;
}

/// Makes room for all nodes and bodies of others.
template <class ExecutionSpace>
void FetchedTrees<ExecutionSpace>::extend() {
  const Count nodes = this->first_remote_node() + cost_.nodes_held;
  const Count rows = own_bodies_ + 1 + cost_.bodies_held;
  auto& gravity = tree_.gravity;
  lengthen(tree_.octree.nodes, nodes);
  tree_.octree.depth_begin = {0, static_cast<LocalIndex>(nodes)};
  lengthen(gravity.opening2, nodes);
  lengthen(gravity.bodies, rows);
  if (joined_.format.relative) lengthen(gravity.cubes, nodes);
  if (joined_.format.spline) {
    lengthen(gravity.node_softening, nodes);
    lengthen(this->lengths_, rows);
    gravity.softening = this->lengths_;
  }
  std::visit(
      [&](auto& moments) {
        lengthen(moments.monopole, nodes);
        if (moments.higher.extent(0) > 0) lengthen(moments.higher, nodes);
        gravity.monopole = moments.monopole;
      },
      tree_.moments);
  tree_.build = next_build();
  joined_ = columns_of(joined_.format, tree_.octree, gravity, tree_.moments);
}

/// \throws std::logic_error on every rank if a node that was asked for is still missing on one
template <class ExecutionSpace>
void FetchedTrees<ExecutionSpace>::refuse_unanswered() {
  const Count still = count_missing(space_, tree_.octree.nodes, arrived_, this->missing_row_here());
  const Count most = messages_.allreduce(still, Reduction::max);
  if (most > 0)
    throw std::logic_error(
        fmt::format("--remote: the parts of {} nodes that a rank asked for did not arrive", most));
}

template <class ExecutionSpace>
bool FetchedTrees<ExecutionSpace>::fetch(const Flags& wanted) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::fetch");
  const ExchangePlan plan = ask(wanted);
  if (messages_.allreduce(arrived_.extent(0) > 0 ? 1 : 0, Reduction::max) == 0) return false;
  ++cost_.rounds;
  const Count nodes = cost_.nodes_held, bodies = cost_.bodies_held;
  const auto to = answers(plan);
  this->plan(to, most_bytes_, true);
  using Words = Kokkos::View<MessageWord*, Kokkos::LayoutLeft, MemorySpace>;
  const Words send("copse::gravity::send_subtrees", words_.send.total());
  const Words receive("copse::gravity::receive_subtrees", words_.receive.total());
  this->pack(own_, to, send.data());
  messages_.clock().communicate(messages_.comm(),
                                [&] { messages_.comm().alltoallv(words_, send, receive); });
  extend();
  this->unpack(receive.data(), nodes, bodies);
  refuse_unanswered();
  return true;
}

#define COPSE_INSTANTIATE(Space) template class FetchedTrees<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
