#include "host_share.hpp"

#include <copse/backend/backends.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace copse::gravity {
namespace {

template <class View>
auto host_copy(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
}

/// What walks of targets read, for the targets from `first` on.
template <class MemorySpace>
BodyTree<Kokkos::HostSpace> host_tree(const BodyTree<MemorySpace>& from, Count first) {
  BodyTree<Kokkos::HostSpace> tree;
  tree.points = host_copy(from.points);
  tree.target_points = tree.points;
  tree.octree.nodes = host_copy(from.octree.nodes);
  tree.gravity.bodies = host_copy(from.gravity.bodies);
  tree.gravity.monopole = host_copy(from.gravity.monopole);
  tree.gravity.opening2 = host_copy(from.gravity.opening2);
  tree.gravity.cubes = host_copy(from.gravity.cubes);
  tree.gravity.softening = host_copy(from.gravity.softening);
  tree.gravity.node_softening = host_copy(from.gravity.node_softening);
  tree.limits = host_copy(from.limits);
  with_moments(from, [&]<int Order>(const Multipoles<Order, MemorySpace>& moments) {
    Multipoles<Order, Kokkos::HostSpace> copy;
    copy.higher = host_copy(moments.higher);
    tree.moments = copy;
  });
  tree.softening2 = from.softening2;
  tree.build = from.build;
  tree.targets.count = from.targets.count - first;
  const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> rows(
      "copse::gravity::host_targets", tree.targets.count);
  const auto listed = host_copy(from.targets.order);
  for (Count t = 0; t < tree.targets.count; ++t)
    rows(t) = listed.extent(0) > 0 ? listed(first + t) : static_cast<LocalIndex>(first + t);
  tree.targets.order = rows;
  return tree;
}

/// Puts rows of acceleration and potential where they belong.
template <class MemorySpace>
struct PlaceFields {
  Kokkos::View<const Real* [4], Kokkos::LayoutLeft, MemorySpace> from;
  QueryList<MemorySpace> targets;
  Count first;  ///< target
  GravityFields<MemorySpace> fields;

  KOKKOS_FUNCTION void operator()(const Count t) const {
    const LocalIndex row = targets(first + t);
    for (int a = 0; a < 3; ++a) fields.acceleration(row, a) = from(t, a);
    fields.potential(row) = from(t, 3);
  }
};

}  // namespace

double Overlap::hidden() const {
  const double shorter = std::min(device, host);
  return shorter > 0.0 ? (device + host - together) / shorter : 0.0;
}

template <class ExecutionSpace>
HostShare<ExecutionSpace>::HostShare(const ExecutionSpace& space, double share,
                                     std::unique_ptr<Method<ExecutionSpace>> walk,
                                     std::unique_ptr<Method<Host>> walk_of_host)
    : Method<ExecutionSpace>(space),
      share_(share),
      walk_(std::move(walk)),
      walk_of_host_(std::move(walk_of_host)) {}

template <class ExecutionSpace>
void HostShare<ExecutionSpace>::copy_tree(const BodyTree<MemorySpace>& bodies,
                                          const GravityFields<MemorySpace>& fields) {
  const auto all = static_cast<double>(bodies.targets.count);
  device_part_ = bodies;
  device_part_.targets.count -= static_cast<Count>(std::llround(share_ * all));
  host_part_ = host_tree(bodies, device_part_.targets.count);
  if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>)
    host_fields_ = fields;
  else if (host_fields_.potential.extent(0) != bodies.size())
    host_fields_ = allocate_fields<Kokkos::HostSpace>(bodies.size());
}

template <class ExecutionSpace>
void HostShare<ExecutionSpace>::take_fields(
    [[maybe_unused]] const BodyTree<MemorySpace>& bodies,
    [[maybe_unused]] const GravityFields<MemorySpace>& fields) {
  if constexpr (!std::is_same_v<MemorySpace, Kokkos::HostSpace>) {
    const auto& targets = host_part_.targets;
    const Kokkos::View<Real* [4], Kokkos::LayoutLeft, Kokkos::HostSpace> rows(
        "copse::gravity::host_rows", targets.count);
    for (Count t = 0; t < targets.count; ++t) {
      for (int a = 0; a < 3; ++a) rows(t, a) = host_fields_.acceleration(targets(t), a);
      rows(t, 3) = host_fields_.potential(targets(t));
    }
    Kokkos::parallel_for(
        "copse::gravity::place_fields", CountRange<ExecutionSpace>(space_, 0, targets.count),
        PlaceFields<MemorySpace>{Kokkos::create_mirror_view_and_copy(MemorySpace{}, rows),
                                 bodies.targets, device_part_.targets.count, fields});
    space_.fence("copse::gravity::place_fields");
  }
}

template <class ExecutionSpace>
void HostShare<ExecutionSpace>::start(const BodyTree<MemorySpace>& bodies,
                                      const GravityFields<MemorySpace>& fields) {
  copy_tree(bodies, fields);
  // No region about the parts: its end would wait for the device.
  if (device_part_.targets.count > 0) walk_->start(device_part_, fields);
  if (host_part_.targets.count > 0) walk_of_host_->solve(host_part_, host_fields_);
  space_.fence("copse::gravity::shared_walk");
  take_fields(bodies, fields);
}

template <class ExecutionSpace>
Interactions HostShare<ExecutionSpace>::count(const BodyTree<MemorySpace>& bodies) {
  copy_tree(bodies, allocate_fields<MemorySpace>(bodies.size()));
  Interactions sum;
  if (device_part_.targets.count > 0) sum = walk_->count(device_part_);
  if (host_part_.targets.count == 0) return sum;
  const Interactions more = walk_of_host_->count(host_part_);
  sum.cells += more.cells;
  sum.bodies += more.bodies;
  sum.tests += more.tests;
  sum.tests_per_body += more.tests_per_body;
  return sum;
}

template <class ExecutionSpace>
Overlap HostShare<ExecutionSpace>::measure(app::Session& session, const std::string& name,
                                           const BodyTree<MemorySpace>& bodies,
                                           const GravityFields<MemorySpace>& fields) {
  const auto seconds = [&](const char* part, const std::function<void()>& body) {
    return session.measure(part + name, [&](int) { body(); }).median();
  };
  Overlap found;
  found.copy = seconds("copse::gravity::tree_to_host_", [&] { copy_tree(bodies, fields); });
  found.host_targets = host_part_.targets.count;
  if (device_part_.targets.count == 0 || found.host_targets == 0) return found;
  found.device =
      seconds("copse::gravity::device_share_", [&] { walk_->solve(device_part_, fields); });
  found.host = seconds("copse::gravity::host_share_",
                       [&] { walk_of_host_->solve(host_part_, host_fields_); });
  found.together = seconds("copse::gravity::both_shares_", [&] {
    walk_->start(device_part_, fields);
    walk_of_host_->solve(host_part_, host_fields_);
    space_.fence("copse::gravity::both_shares");
  });
  return found;
}

#define COPSE_INSTANTIATE(Space) template class HostShare<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
