#include "exact_over_ranks.hpp"

#include "../body_sums.hpp"
#include "../errors.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/worse.hpp>
#include <copse/gravity/exact_gravity.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace copse::gravity {
namespace {

/// A target as it travels.
struct SentTarget {
  Monopole place;  ///< massless
  Real length = 0;
};

template <class ExecutionSpace, class Elsewhere>
double largest_difference(const ExecutionSpace& space, const Elsewhere& elsewhere,
                          const Column<typename ExecutionSpace::memory_space>& potential,
                          Count bodies, double length) {
  double largest = 0.0;
  Kokkos::parallel_reduce(
      "copse::gravity::uncounted", CountRange<ExecutionSpace>(space, 0, bodies),
      KOKKOS_LAMBDA(const Count i, double& most) {
        const double found = -static_cast<double>(potential(i)) * length;
        const double error = Kokkos::abs(found - elsewhere(i)) / elsewhere.total;
        most = worse(most, error);
      },
      Kokkos::Max<double>(largest));
  space.fence("copse::gravity::uncounted");
  return std::max(largest, 0.0);  // no bodies: the least number
}

}  // namespace

SampledTargets sample_targets(const Communicator& comm, Count own_bodies, Count total_bodies,
                              Count count) {
  SampledTargets targets;
  const double share =
      std::min(1.0, static_cast<double>(count) / static_cast<double>(total_bodies));
  const auto wanted = static_cast<Count>(std::ceil(share * static_cast<double>(own_bodies)));
  targets.rows = spaced_rows(own_bodies, wanted);
  const Count mine = targets.rows.size();
  targets.first = comm.exclusive_scan(mine);
  targets.total = comm.allreduce(mine, Reduction::sum);
  return targets;
}

template <class ExecutionSpace>
std::vector<GravityField<double>> exact_over_ranks(
    const ExecutionSpace& space, const Communicator& comm,
    const BodyTree<typename ExecutionSpace::memory_space>& own, const SampledTargets& targets,
    double softening) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto bodies = download(own.gravity.bodies);
  const auto lengths = download(own.softening);
  std::vector<SentTarget> mine;
  for (const LocalIndex row : targets.rows) {
    SentTarget target;
    target.place = bodies[row];
    target.place.mass = 0;
    if (!lengths.empty()) target.length = lengths[row];
    mine.push_back(target);
  }
  const auto all = comm.allgatherv(std::span<const SentTarget>(mine));
  const Count n = bodies.size();
  const bool spline = comm.allreduce(lengths.empty() ? 0 : 1, Reduction::max) > 0;
  std::vector<Monopole> sources = bodies;
  std::vector<Real> source_lengths = lengths;
  std::vector<LocalIndex> rows;
  for (const SentTarget& target : all) {
    rows.push_back(static_cast<LocalIndex>(sources.size()));
    sources.push_back(target.place);
    if (spline) source_lengths.push_back(target.length);
  }
  Workspace<MemorySpace> workspace;
  GravitySources<MemorySpace> from;
  from.bodies = upload(space, sources, workspace, "exact::bodies");
  from.softening2 = spline ? 0.0 : softening * softening;
  if (spline) from.lengths = upload(space, source_lengths, workspace, "exact::lengths");
  from.side = own.side;
  const auto fields = exact_gravity(
      space, from,
      Kokkos::View<const LocalIndex*, MemorySpace>(upload(space, rows, workspace, "exact::rows")));
  const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, fields);
  std::vector<double> sums(4 * all.size());
  if (n > 0)
    for (Count t = 0; t < all.size(); ++t)
      for (Count k = 0; k < 4; ++k) sums[4 * t + k] = on_host(t, k);
  comm.allreduce(std::span(sums), Reduction::sum);
  std::vector<GravityField<double>> exact;
  for (Count t = 0; t < all.size(); ++t)
    exact.push_back({sums[4 * t], sums[4 * t + 1], sums[4 * t + 2], sums[4 * t + 3]});
  return exact;
}

template <class MemorySpace>
std::vector<GravityField<double>> sampled_fields(const Communicator& comm,
                                                 const GravityFields<MemorySpace>& fields,
                                                 const SampledTargets& targets) {
  const auto mine = rows_of(fields, targets.rows);
  return comm.allgatherv(std::span<const GravityField<double>>(mine));
}

double longest_softening(const Box<3>& box) {
  double side = 0.0;
  for (int a = 0; a < 3; ++a)
    side = std::max(side, static_cast<double>(box.upper[a]) - static_cast<double>(box.lower[a]));
  return 1e4 * side;
}

template <class ExecutionSpace>
double uncounted_over_ranks(const ExecutionSpace& space, SharedTree<ExecutionSpace>& shared,
                            Method<ExecutionSpace>& method, const Box<3>& box) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto length = static_cast<Real>(longest_softening(box));
  BodyTree<MemorySpace> tree = shared.remote().tree();
  tree.softening2 = length * length;
  tree.gravity.softening = {};  // of the spline
  tree.build = next_build();
  const auto fields = allocate_fields<MemorySpace>(tree.size());
  if (tree.size() > 0) method.solve(tree, fields);
  const Communicator& comm = shared.messages().comm();
  const double total = comm.allreduce(total_mass(space, tree.masses), Reduction::sum);
  double largest = 0.0;
  if (tree.size() > 0 && total > 0.0) {
    const MassElsewhere<MemorySpace> elsewhere{shared.own().octree.nodes, tree.gravity.bodies,
                                               shared.cost().own_leaves, total};
    largest = largest_difference(space, elsewhere, fields.potential, tree.size(),
                                 static_cast<double>(length));
  }
  return comm.allreduce(largest, Reduction::max);
}

#define COPSE_INSTANTIATE(Space)                                                         \
  template std::vector<GravityField<double>> exact_over_ranks(                           \
      const Space&, const Communicator&, const BodyTree<Space::memory_space>&,           \
      const SampledTargets&, double);                                                    \
  template double uncounted_over_ranks(const Space&, SharedTree<Space>&, Method<Space>&, \
                                       const Box<3>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE
#define COPSE_INSTANTIATE(MemorySpace)                       \
  template std::vector<GravityField<double>> sampled_fields( \
      const Communicator&, const GravityFields<MemorySpace>&, const SampledTargets&);
COPSE_FOR_EACH_MEMORY_SPACE(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
