#include "leapfrog.hpp"

#include "leapfrog_kernels.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/particles/wrap.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

namespace copse::gravity {
namespace {

template <class MemorySpace>
MotionState<MemorySpace> allocate_state(Count n) {
  return {Vectors<MemorySpace>("copse::gravity::position", n),
          Vectors<MemorySpace>("copse::gravity::velocity", n)};
}

}  // namespace

template <class ExecutionSpace>
MotionState<typename ExecutionSpace::memory_space> initial_state(
    const ExecutionSpace& space,
    const Particles<typename ExecutionSpace::memory_space>& particles) {
  auto state = allocate_state<typename ExecutionSpace::memory_space>(particles.size());
  convert("copse::gravity::first_position", space, particles.position, state.position);
  if (particles.velocity.extent(0) > 0)
    convert("copse::gravity::first_velocity", space, particles.velocity, state.velocity);
  space.fence("copse::gravity::initial_state");
  return state;
}

template <class ExecutionSpace>
Motion<ExecutionSpace>::Motion(const ExecutionSpace& space, const Request& request,
                               const std::string& method, std::uint32_t bucket_size,
                               const Particles<MemorySpace>& particles)
    : space_(space),
      request_(request),
      bucket_size_(bucket_size),
      method_(make_method(method, space, request)),
      builder_(space),
      fields_(allocate_fields<MemorySpace>(particles.size())),
      state_(allocate_state<MemorySpace>(particles.size())),
      acceleration_("copse::gravity::acceleration", particles.size()),
      potential_("copse::gravity::potential", particles.size()) {
  particles_ = allocate_particles<MemorySpace>(particles.size());
  particles_.mass = particles.mass;
  particles_.softening = particles.softening;
  particles_.box = particles.box;
}

template <class ExecutionSpace>
void Motion<ExecutionSpace>::start(const MotionState<MemorySpace>& state) {
  Kokkos::deep_copy(space_, state_.position, state.position);
  Kokkos::deep_copy(space_, state_.velocity, state.velocity);
  state_.step = state.step;
  state_.time = state.time;
  state_.pulls = {};
  if (request_.is_relative()) {
    const Column<MemorySpace> pulls("copse::gravity::pulls", particles_.size());
    if (state.pulls.extent(0) > 0) {
      Kokkos::deep_copy(space_, pulls, state.pulls);
    } else {
      bodies_.limits = {};
      compute_fields();
      builder_.record_pulls(bodies_, fields_, pulls);
    }
    state_.pulls = pulls;
  }
  compute_fields();
}

template <class ExecutionSpace>
void Motion<ExecutionSpace>::step(double dt) {
  kick_and_drift(space_, state_.position, state_.velocity, acceleration_, dt);
  ++state_.step;
  state_.time += dt;
  if (request_.is_relative()) builder_.record_pulls(bodies_, fields_, state_.pulls);
  compute_fields();
  half_kick(space_, state_.velocity, acceleration_, dt);
  app::corruptible(state_);
}

template <class ExecutionSpace>
void Motion<ExecutionSpace>::compute_fields() {
  using Region = Kokkos::Profiling::ScopedRegion;
  {
    const Region region("copse::gravity::tree");
    if (count_infinite(space_, state_.position) > 0)
      throw InputError(
          fmt::format("after step {} a position is not finite: --dt is too long for these bodies",
                      state_.step));
    if (request_.periodic) wrap_positions(space_, state_.position, particles_.box);
    convert("copse::gravity::round", space_, state_.position, particles_.position);
    if (!request_.periodic) particles_.box = bounding_box(space_, particles_.position);
    builder_.build(particles_, request_, bucket_size_, bodies_);
  }
  {
    const Region region("copse::gravity::moments");
    if (state_.pulls.extent(0) > 0) builder_.set_limits(request_, state_.pulls, bodies_);
    builder_.compute_moments(request_, bodies_);
    app::corruptible(bodies_);
  }
  const Region region("copse::gravity::walk");
  method_->solve(bodies_, fields_);
  to_input_order(space_, bodies_, fields_, request_.g, acceleration_, potential_);
  space_.fence("copse::gravity::fields");
}

template <class ExecutionSpace>
MotionSums Motion<ExecutionSpace>::sums() const {
  return named_sums(
      sums_of_motion(space_, AddSums<MemorySpace>{particles_.mass, state_.position, state_.velocity,
                                                  acceleration_, potential_}));
}

#define COPSE_INSTANTIATE(Space)                                    \
  template class Motion<Space>;                                     \
  template MotionState<typename Space::memory_space> initial_state( \
      const Space&, const Particles<typename Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
