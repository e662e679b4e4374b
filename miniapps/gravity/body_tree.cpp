#include "body_tree.hpp"

#include <copse/algorithms/gather_rows.hpp>
#include <copse/backend/backends.hpp>
#include <copse/gravity/node_softening.hpp>

#include <string>

namespace copse::gravity {
namespace {

template <class View>
void fit(View& view, const char* label, Count n) {
  if (view.extent(0) == n) return;
  view = {};
  view = View(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), n);
}

/// Makes the variant hold the moments of the requested order.
template <class Moments>
void hold_order(Moments& moments, Count order) {
  if (moments.index() + 1 == order) return;
  switch (order) {
    case 1:
      moments.template emplace<0>();
      break;
    case 2:
      moments.template emplace<1>();
      break;
    case 3:
      moments.template emplace<2>();
      break;
    default:
      moments.template emplace<3>();
  }
}

}  // namespace

template <class ExecutionSpace>
void BodyTreeBuilder<ExecutionSpace>::build(const Particles<MemorySpace>& particles,
                                            const Request& request, std::uint32_t bucket_size,
                                            BodyTree<MemorySpace>& into) {
  const Count n = particles.size();
  fit(into.points, "copse::gravity::points", n);
  fit(into.masses, "copse::gravity::masses", n);
  Kokkos::deep_copy(space_, into.points, particles.position);
  box_ = particles.box;
  into.octree = builder_.build(into.points, into.order,
                               {.bucket_size = bucket_size,
                                .curve = Curve::hilbert,
                                .box = particles.box,
                                .branching = request.branching});
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
  into.images.clear();
  into.side = 0.0;
  if (request.periodic) {
    into.side = static_cast<double>(box_.upper[0]) - static_cast<double>(box_.lower[0]);
    for (int image = 0; image < near_images; ++image)
      if (image != own_image) into.images.push_back(image);
  }
  space_.fence("copse::gravity::build");
}

template <class ExecutionSpace>
void BodyTreeBuilder<ExecutionSpace>::compute_moments(const Request& request,
                                                      BodyTree<MemorySpace>& into) {
  hold_order(into.moments, request.order);
  std::visit(
      [&](auto& moments) {
        compute_multipoles(space_, into.octree, into.points, into.masses, workspace_, moments);
        make_gravity_tree(space_, into.octree, into.points, into.masses, moments, request.criterion,
                          into.gravity);
        if (into.softening.extent(0) > 0)
          soften_gravity_tree<ExecutionSpace>(space_, into.octree, into.masses, into.softening,
                                              moments.reach, request.theta, into.gravity);
      },
      into.moments);
  if (into.side > 0.0)
    tabulate_correction(space_, root_moments<ExecutionSpace>(space_, into.gravity.bodies), box_,
                        into.correction);
}

#define COPSE_INSTANTIATE(Space) template class BodyTreeBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
