#include "shared_tree.hpp"

#include "../methods/breadth.hpp"
#include "essential_trees.hpp"
#include "ways/fetched_trees.hpp"
#include "ways/target_boxes.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/gravity/flops.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <chrono>
#include <span>

namespace copse::gravity {
namespace {

double now() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The coarse leaf of every body.
template <class MemorySpace>
struct FindLeaves {
  Kokkos::View<const std::uint64_t*, MemorySpace> keys;   ///< [n] ascending
  Kokkos::View<const LocalIndex*, MemorySpace> order;     ///< [n] bodies
  Kokkos::View<const std::uint64_t*, MemorySpace> lasts;  ///< [leaves] last key of each
  Kokkos::View<std::uint32_t*, MemorySpace> leaf_of;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    Count low = 0, high = lasts.extent(0) - 1;
    while (low < high) {
      const Count middle = (low + high) / 2;
      if (lasts(middle) < keys(i))
        low = middle + 1;
      else
        high = middle;
    }
    leaf_of(order(i)) = static_cast<std::uint32_t>(low);
  }
};

/// Sums of work as integers: exact in any order.
template <class MemorySpace>
struct SumWork {
  Kokkos::View<const std::uint32_t*, MemorySpace> leaf_of;
  Column<MemorySpace> work;  ///< or empty: one each
  Kokkos::View<unsigned long long*, MemorySpace> sums;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    const unsigned long long here =
        work.extent(0) > 0 ? static_cast<unsigned long long>(work(i)) + 1 : 1;
    Kokkos::atomic_add(&sums(leaf_of(i)), here);
  }
};

template <class MemorySpace>
struct FindOwners {
  Kokkos::View<const std::uint32_t*, MemorySpace> leaf_of;
  Kokkos::View<const int*, MemorySpace> owners;
  Kokkos::View<int*, MemorySpace> destination;

  KOKKOS_FUNCTION void operator()(const Count i) const { destination(i) = owners(leaf_of(i)); }
};

/// The walk of a group in the middle of each coarse leaf, counted: flops for each of its bodies.
template <class MemorySpace, bool Relative>
struct WeighLeaves {
  BarnesHut<1, MemorySpace, Relative> from;
  Kokkos::View<const OctreeNode*, MemorySpace> roots;
  Kokkos::View<const LocalIndex*, MemorySpace> order;
  LocalIndex width;
  int per_cell, per_body, per_test;
  Column<MemorySpace> work;

  KOKKOS_FUNCTION double flops_of(const TargetBox& box) const {
    Node stack[OctreeView<MemorySpace>::stack_size];
    int stacked = 0;
    stack[stacked++] = 0;
    double flops = 0.0;
    while (stacked > 0) {
      const Node i = stack[--stacked];
      flops += static_cast<double>(per_test) / static_cast<double>(width);
      if (!from.classify_box(box, i).open) {
        flops += per_cell;
        continue;
      }
      const OctreeNode node = from.tree.nodes(i);
      for (Node c = 0; c < node.child_count; ++c) stack[stacked++] = node.first_child + c;
      if (node.is_leaf()) flops += per_body * static_cast<double>(node.rows());
    }
    return flops;
  }

  KOKKOS_FUNCTION void operator()(const Count r, double& sum) const {
    const OctreeNode root = roots(r);
    const LocalIndex rows = root.rows();
    const LocalIndex begin = rows <= width ? root.begin : root.begin + (rows - width) / 2;
    const double flops = flops_of(box_of_targets(
        from.queries, from.targets.softening, from.targets.limits,
        [](Count row) { return static_cast<LocalIndex>(row); }, begin,
        rows <= width ? root.end : begin + width));
    for (LocalIndex row = root.begin; row < root.end; ++row)
      work(order(row)) = static_cast<Real>(flops);
    sum += flops * static_cast<double>(rows);
  }
};

}  // namespace

Count coarse_leaf_bodies(Count bodies, int ranks, Count bucket_size) {
  constexpr Count of_a_rank = 64, least_ranks = 8, group = 64, most = 4096;
  const Count share = bodies / (of_a_rank * std::max(least_ranks, static_cast<Count>(ranks)));
  const Count least = std::max(bucket_size, group);
  return std::clamp(share, least, std::max(least, most));
}

template <class ExecutionSpace>
std::vector<double> SharedTree<ExecutionSpace>::leaf_weights(
    const Kokkos::View<const std::uint32_t*, MemorySpace>& leaf_of,
    const Column<MemorySpace>& work) {
  const Count leaves = coarse_.leaves.size();
  const Kokkos::View<unsigned long long*, MemorySpace> sums("copse::gravity::leaf_work", leaves);
  Kokkos::parallel_for("copse::gravity::sum_work",
                       CountRange<ExecutionSpace>(space_, 0, leaf_of.extent(0)),
                       SumWork<MemorySpace>{leaf_of, work, sums});
  space_.fence("copse::gravity::sum_work");
  std::vector<std::uint64_t> all;
  for (const auto sum : download(sums)) all.push_back(sum);
  messages_.clock().communicate(
      messages_.comm(), [&] { messages_.comm().allreduce(std::span(all), Reduction::sum); });
  return {all.begin(), all.end()};
}

template <class ExecutionSpace>
void SharedTree<ExecutionSpace>::distribute(const RankBodies<MemorySpace>& bodies,
                                            const Box<3>& box, Count total) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::distribute");
  box_ = box;
  const Count n = bodies.size();
  Particles<MemorySpace> particles;
  particles.position = bodies.position;
  particles.box = box;
  most_ = coarse_leaf_bodies(total, messages_.ranks(), bucket_size_);
  Kokkos::View<LocalIndex*, MemorySpace> order;
  const auto keys = builder_.sorted_keys(particles, request_, order);
  const OctreeOptions options =
      BodyTreeBuilder<ExecutionSpace>::options_of(box, request_, bucket_size_);
  coarse_ = build_coarse_octree(space_, {keys, order, bodies.position}, options, most_, messages_,
                                workspace_);
  const Kokkos::View<std::uint32_t*, MemorySpace> leaf_of =
      workspace_.template get<std::uint32_t>("shared::leaf_of", n);
  const auto lasts = upload(space_, coarse_.leaf_last_key, workspace_, "shared::last_keys");
  Kokkos::parallel_for("copse::gravity::find_leaves", CountRange<ExecutionSpace>(space_, 0, n),
                       FindLeaves<MemorySpace>{keys, order, lasts, leaf_of});
  owners_ = owners_of_leaves(coarse_, box, leaf_weights(leaf_of, bodies.work), messages_.ranks());
  const Kokkos::View<int*, MemorySpace> destination =
      workspace_.template get<int>("shared::destination", n);
  Kokkos::parallel_for(
      "copse::gravity::find_owners", CountRange<ExecutionSpace>(space_, 0, n),
      FindOwners<MemorySpace>{leaf_of, upload(space_, owners_, workspace_, "shared::owners"),
                              destination});
  bodies_ = migration_.move(bodies, destination);
  cost_.migrants = migration_.left();
}

template <class ExecutionSpace>
void SharedTree<ExecutionSpace>::build() {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::build_shared");
  std::vector<Count> root_begin{0};
  for (std::size_t k = 0; k < owners_.size(); ++k)
    if (owners_[k] == messages_.rank())
      root_begin.push_back(root_begin.back() + coarse_.nodes[coarse_.leaves[k]].particles);
  Particles<MemorySpace> particles;
  particles.position = bodies_.position;
  particles.mass = bodies_.mass;
  particles.softening = bodies_.softening;
  particles.box = box_;
  builder_.build(particles, request_, bucket_size_, own_, root_begin);
  own_.group_bodies = most_;
  cost_.coarse_leaves = owners_.size();
  cost_.own_leaves = root_begin.size() - 1;
  cost_.bodies = own_.size();
}

template <class ExecutionSpace>
void SharedTree<ExecutionSpace>::compute_moments(bool use_limits) {
  own_.limits = {};
  if (use_limits) builder_.set_limits(request_, bodies_.pulls, own_);
  builder_.compute_moments(request_, own_);
  app::corruptible(own_);
  share_top(space_, coarse_, owners_, request_, use_limits, builder_, own_, messages_, workspace_,
            top_);
  cost_.top_bytes = (cost_.coarse_leaves - cost_.own_leaves) * top_.leaf_bytes;
}

template <class ExecutionSpace>
void SharedTree<ExecutionSpace>::solve(Method<ExecutionSpace>& method,
                                       const GravityFields<MemorySpace>& fields) {
  remote_->start(top_, own_, request_.remote_memory << 20);
  const auto walk = [&](const QueryList<MemorySpace>& targets, const char* label) {
    const Kokkos::Profiling::ScopedRegion region(label);
    const double begun = now();
    BodyTree<MemorySpace> tree = remote_->tree();
    tree.targets = targets;
    tree.build = next_build();
    if (targets.count > 0) method.solve(tree, fields);
    cost_.walk_seconds += now() - begun;
    return now() - begun;
  };
  cost_.interior_seconds += walk(remote_->interior(), "copse::gravity::walk_interior");
  cost_.interior_bodies = remote_->interior().count;
  const double begun = now();
  remote_->finish(method, fields);
  cost_.late_seconds += now() - begun;
  walk(remote_->boundary(), "copse::gravity::walk_boundary");
}

template <class ExecutionSpace>
void SharedTree<ExecutionSpace>::weigh() {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::weigh");
  const Count n = own_.size();
  if (bodies_.work.extent(0) != n) bodies_.work = Column<MemorySpace>("copse::gravity::work", n);
  const BodyTree<MemorySpace>& tree = remote_->tree();
  const bool spline = request_.kernel == SofteningKernel::spline;
  const auto weigh_by = [&]<bool Relative>(std::bool_constant<Relative>) {
    const WeighLeaves<MemorySpace, Relative> weigh{
        BarnesHut<1, MemorySpace, Relative>{OctreeView<MemorySpace>(tree.octree),
                                            tree.gravity,
                                            {},
                                            tree.points,
                                            {},
                                            {0, tree.gravity.softening, tree.limits}},
        own_.octree.nodes,
        own_.order,
        static_cast<LocalIndex>(BreadthGroups<ExecutionSpace>::width),
        flops::cell(request_.order),
        flops::body(spline),
        flops::box_test,
        bodies_.work};
    Kokkos::parallel_reduce("copse::gravity::weigh_leaves",
                            CountRange<ExecutionSpace>(space_, 0, cost_.own_leaves), weigh,
                            cost_.flops);
  };
  if (tree.gravity.is_relative())
    weigh_by(std::true_type{});
  else
    weigh_by(std::false_type{});
  space_.fence("copse::gravity::weigh");
}

template <class ExecutionSpace>
void SharedTree<ExecutionSpace>::start_clock() {
  cost_ = {};
  messages_.take_traffic();
  messages_.clock().start();
}

template <class ExecutionSpace>
void SharedTree<ExecutionSpace>::stop_clock() {
  messages_.clock().stop();
  cost_.compute_seconds = messages_.clock().compute_seconds();
  cost_.communicate_seconds = messages_.clock().communicate_seconds();
  cost_.wait_seconds = messages_.clock().wait_seconds();
  cost_.bytes_of_others = messages_.take_traffic().bytes;
}

template <class ExecutionSpace>
std::unique_ptr<RemoteTree<ExecutionSpace>> make_remote_tree(const ExecutionSpace& space,
                                                             CountedMessages& messages,
                                                             const Request& request) {
  const Count levels = request.cache_depth;
  if (request.remote == "request") return make_way<RequestedTrees>(space, messages, levels);
  if (request.remote == "sparse") return make_way<SparseTrees>(space, messages, levels);
  if (request.remote == "approximate") return make_way<ApproximateTrees>(space, messages, levels);
  if (request.remote == "stateless") return make_way<StatelessTrees>(space, messages, levels);
  return std::make_unique<EssentialTrees<ExecutionSpace>>(space, messages);
}

#define COPSE_INSTANTIATE(Space) template class SharedTree<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
