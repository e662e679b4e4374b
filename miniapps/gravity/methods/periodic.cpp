// A periodic box by any walk: the bodies walk once for each of the 27 near images, and the
// correction adds all others and the background (gravity/periodic_correction.hpp).
//
// The field of an image at a target is the field of the box itself at a shifted target. So a walk
// gets shifted targets, or the shift alone if nodes are targets; nothing else changes.
#include "../make.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <vector>

namespace copse::gravity {
namespace {

template <class ExecutionSpace>
void shift_targets(const ExecutionSpace& space,
                   const BodyTree<typename ExecutionSpace::memory_space>& bodies,
                   const Kokkos::Array<Real, 3>& shift,
                   const Points<3, typename ExecutionSpace::memory_space>& into) {
  const auto targets = bodies.targets;
  const auto from = bodies.points;
  Kokkos::parallel_for(
      "copse::gravity::shift_targets", CountRange<ExecutionSpace>(space, 0, targets.count),
      KOKKOS_LAMBDA(const Count t) {
        const LocalIndex i = targets(t);
        for (int a = 0; a < 3; ++a) into(i, a) = from(i, a) - shift[a];
      });
}

template <class ExecutionSpace>
void add_fields(const ExecutionSpace& space,
                const QueryList<typename ExecutionSpace::memory_space>& targets,
                const GravityFields<typename ExecutionSpace::memory_space>& more,
                const GravityFields<typename ExecutionSpace::memory_space>& to) {
  Kokkos::parallel_for(
      "copse::gravity::add_image", CountRange<ExecutionSpace>(space, 0, targets.count),
      KOKKOS_LAMBDA(const Count t) {
        const LocalIndex i = targets(t);
        for (int a = 0; a < 3; ++a) to.acceleration(i, a) += more.acceleration(i, a);
        to.potential(i) += more.potential(i);
      });
}

template <class ExecutionSpace>
class Periodic final : public Method<ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  Periodic(const ExecutionSpace& space, MethodPointer<ExecutionSpace> isolated)
      : Method<ExecutionSpace>(space), isolated_(std::move(isolated)) {}

  void start(const BodyTree<MemorySpace>& bodies,
             const GravityFields<MemorySpace>& fields) override {
    if (image_fields_.potential.extent(0) != bodies.size())
      image_fields_ = allocate_fields<MemorySpace>(bodies.size());
    isolated_->start(bodies, fields);
    for_each_image(bodies, [&](const BodyTree<MemorySpace>& shifted) {
      isolated_->start(shifted, image_fields_);
      add_fields(space_, bodies.targets, image_fields_, fields);
    });
    add_correction(space_, bodies.correction, bodies.targets.count, bodies.targets.order,
                   bodies.points, fields.acceleration, fields.potential);
  }

  Interactions count(const BodyTree<MemorySpace>& bodies) override {
    Interactions sum = isolated_->count(bodies);
    for_each_image(bodies, [&](const BodyTree<MemorySpace>& shifted) {
      const Interactions more = isolated_->count(shifted);
      sum.cells += more.cells;
      sum.bodies += more.bodies;
      sum.conversions += more.conversions;
      sum.tests += more.tests;
      sum.tests_per_body += more.tests_per_body;
    });
    return sum;
  }

 private:
  using Method<ExecutionSpace>::space_;
  template <class F>
  void for_each_image(const BodyTree<MemorySpace>& bodies, const F& f) {
    if (targets_.extent(0) != bodies.size())
      targets_ = Points<3, MemorySpace>("copse::gravity::image_targets", bodies.size());
    BodyTree<MemorySpace> shifted = bodies;
    shifted.target_points = targets_;
    std::vector<int> images;
    for (int image = 0; image < near_images; ++image)
      if (image != own_image) images.push_back(image);
    app::corruptible(images);
    for (const int image : images) {
      for (int a = 0; a < 3; ++a)
        shifted.target_shift[a] = static_cast<Real>(bodies.side * image_shift(image, a));
      shift_targets(space_, bodies, shifted.target_shift, targets_);
      f(shifted);
    }
  }

  MethodPointer<ExecutionSpace> isolated_;
  Points<3, MemorySpace> targets_;
  GravityFields<MemorySpace> image_fields_;
};

}  // namespace

template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_periodic(const ExecutionSpace& space,
                                            MethodPointer<ExecutionSpace> isolated) {
  return std::make_unique<Periodic<ExecutionSpace>>(space, std::move(isolated));
}

#define COPSE_INSTANTIATE(Space) \
  template MethodPointer<Space> make_periodic(const Space&, MethodPointer<Space>);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
