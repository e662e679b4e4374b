#include "body_tree.hpp"

#include <copse/algorithms/permutation.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/gravity/inclusion.hpp>
#include <copse/gravity/node_softening.hpp>

#include <fmt/format.h>

#include <string>

namespace copse::gravity {
namespace {

template <class View>
void fit(View& view, const char* label, Count n) {
  if (view.extent(0) == n) return;
  view = {};
  view = View(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), n);
}

/// The rows of a tree whose bodies are active.
template <class ExecutionSpace>
QueryList<typename ExecutionSpace::memory_space> active_targets(
    const ExecutionSpace& space,
    const Kokkos::View<LocalIndex*, typename ExecutionSpace::memory_space>& order, double fraction,
    const Column<typename ExecutionSpace::memory_space, LocalIndex>& rows) {
  Count active = 0;
  Kokkos::parallel_scan(
      "copse::gravity::list_active", CountRange<ExecutionSpace>(space, 0, order.extent(0)),
      KOKKOS_LAMBDA(const Count row, Count& found, const bool final) {
        if (static_cast<double>(sample_hash(order(row)) >> 11) * 0x1p-53 >= fraction) return;
        if (final) rows(found) = static_cast<LocalIndex>(row);
        ++found;
      },
      active);
  if (active == 0)
    throw InputError(fmt::format("--active-fraction {} leaves none of {} bodies active", fraction,
                                 order.extent(0)));
  return {active, Kokkos::subview(rows, Kokkos::make_pair(Count{0}, active))};
}

template <class MemorySpace>
struct RecordPulls {
  Points<3, MemorySpace> acceleration;
  Kokkos::View<const LocalIndex*, MemorySpace> order;
  Column<MemorySpace> pulls;

  KOKKOS_FUNCTION void operator()(Count i) const {
    double square = 0.0;
    for (int a = 0; a < 3; ++a) {
      const double x = static_cast<double>(acceleration(i, a));
      square += x * x;
    }
    pulls(order(i)) = static_cast<Real>(Kokkos::sqrt(square));
  }
};

template <class MemorySpace>
struct SetLimits {
  Column<MemorySpace> pulls;
  Kokkos::View<const LocalIndex*, MemorySpace> order;
  double alpha;
  Column<MemorySpace> limits;

  KOKKOS_FUNCTION void operator()(Count i) const {
    limits(i) = static_cast<Real>(Kokkos::sqrt(alpha * static_cast<double>(pulls(order(i)))));
  }
};

}  // namespace

Count next_build() {
  static Count builds = 0;
  return ++builds;
}

OpeningCriterion criterion_of(const Request& request, bool has_limits) {
  OpeningCriterion criterion = request.criterion;
  if (request.is_relative() && !has_limits) criterion.kind = OpeningKind::bmax;
  return criterion;
}

template <class ExecutionSpace>
void BodyTreeBuilder<ExecutionSpace>::build(const Particles<MemorySpace>& particles,
                                            const Request& request, std::uint32_t bucket_size,
                                            BodyTree<MemorySpace>& into,
                                            const std::vector<Count>& root_begin) {
  const Count n = particles.size();
  fit(into.points, "copse::gravity::points", n);
  fit(into.masses, "copse::gravity::masses", n);
  Kokkos::deep_copy(space_, into.points, particles.position);
  box_ = particles.box;
  const OctreeOptions options = options_of(particles.box, request, bucket_size);
  into.octree = root_begin.empty()
                    ? builder_.build(into.points, into.order, options)
                    : builder_.build_forest(into.points, into.order, options, root_begin);
  gather_rows("copse::gravity::gather_masses", space_, particles.mass, into.masses, into.order);
  const auto softening = static_cast<Real>(request.softening);
  if (request.kernel == SofteningKernel::spline) {
    fit(into.softening, "copse::gravity::softening", n);
    if (request.needs_lengths())
      gather_rows("copse::gravity::gather_softening", space_, particles.softening, into.softening,
                  into.order);
    else
      Kokkos::deep_copy(space_, into.softening, softening);
  } else {
    into.softening2 = softening * softening;
  }
  into.target_points = into.points;
  into.target_shift = {};
  into.side = request.periodic
                  ? static_cast<double>(box_.upper[0]) - static_cast<double>(box_.lower[0])
                  : 0.0;
  into.build = next_build();
  into.targets = {n, {}};
  if (request.active_fraction < 1.0) {
    fit(active_, "copse::gravity::active", n);
    into.targets = active_targets(space_, into.order, request.active_fraction, active_);
  }
  space_.fence("copse::gravity::build");
}

template <class ExecutionSpace>
void BodyTreeBuilder<ExecutionSpace>::compute_moments(const Request& request,
                                                      BodyTree<MemorySpace>& into) {
  hold_order(into.moments, request.order);
  const OpeningCriterion criterion = criterion_of(request, into.limits.extent(0) > 0);
  std::visit(
      [&](auto& moments) {
        compute_multipoles(space_, into.octree, into.points, into.masses, workspace_, moments);
        make_gravity_tree(space_, into.octree, into.points, into.masses, moments, criterion,
                          into.gravity);
        enlarge_radii(space_, into.octree, criterion, request.inclusion_kind, into.gravity);
        if (into.softening.extent(0) > 0)
          soften_gravity_tree<ExecutionSpace>(space_, into.octree, into.masses, into.softening,
                                              moments.reach, request.theta, into.gravity);
      },
      into.moments);
  if (into.side > 0.0 && request.method != "direct")
    tabulate_correction(space_, root_moments<ExecutionSpace>(space_, into.gravity.bodies), box_,
                        into.correction);
}

template <class ExecutionSpace>
void BodyTreeBuilder<ExecutionSpace>::set_limits(const Request& request,
                                                 const Column<MemorySpace>& pulls,
                                                 BodyTree<MemorySpace>& into) {
  fit(into.limits, "copse::gravity::limits", into.size());
  Kokkos::parallel_for("copse::gravity::set_limits",
                       CountRange<ExecutionSpace>(space_, 0, into.size()),
                       SetLimits<MemorySpace>{pulls, into.order, request.alpha, into.limits});
  space_.fence("copse::gravity::set_limits");
}

template <class ExecutionSpace>
void BodyTreeBuilder<ExecutionSpace>::record_pulls(const BodyTree<MemorySpace>& bodies,
                                                   const GravityFields<MemorySpace>& fields,
                                                   const Column<MemorySpace>& pulls) {
  Kokkos::parallel_for("copse::gravity::record_pulls",
                       CountRange<ExecutionSpace>(space_, 0, bodies.size()),
                       RecordPulls<MemorySpace>{fields.acceleration, bodies.order, pulls});
  space_.fence("copse::gravity::record_pulls");
}

#define COPSE_INSTANTIATE(Space) template class BodyTreeBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
