#include "simulation.hpp"

#include "distributed/gather.hpp"
#include "distributed/over_ranks.hpp"
#include "reference.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace copse::collide {
namespace {

/// Contacts are recorded after every step if all together are so few particle-steps.
constexpr double recorded_particle_steps = 2e7;
/// The reference follows as many steps as it can with so many particle-steps.
constexpr double compared_particle_steps = 5e6;

template <int D, class ExecutionSpace>
Record record_of(const Communicator& comm, Method<D, ExecutionSpace>& method,
                 const Physics<D>& physics, Count step) {
  Record record;
  record.step = step;
  record.contacts = method.contacts();
  const auto state = method.state();
  for (int a = 0; a < D; ++a) {
    double momentum = 0.0, squares = 0.0;
    const auto velocity = state.velocity;
    const auto tag = state.tag;
    Kokkos::parallel_reduce(
        "copse::collide::motion",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(0, state.rows()),
        KOKKOS_LAMBDA(const Count i, double& sum, double& sum2) {
          if (is_ghost(tag(i))) return;
          sum += velocity(i, a);
          sum2 += velocity(i, a) * velocity(i, a);
        },
        momentum, squares);
    record.momentum[a] = physics.force.mass * momentum;
    record.kinetic += 0.5 * physics.force.mass * squares;
  }
  comm.allreduce(std::span(record.momentum), Reduction::sum);
  record.kinetic = comm.allreduce(record.kinetic, Reduction::sum);
  return record;
}

/// \throws InputError naming the first particle that is no longer at a finite place
template <int D, class MemorySpace>
void refuse_lost(const Communicator& comm, const State<D, MemorySpace>& state, Count step) {
  const Tag lost = first_lost(comm, state);
  if (lost < most_particles)
    throw InputError(fmt::format(
        "particle {} is at no finite place after step {}: --dt is too long", lost, step));
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Rank 0 follows the reference and compares what all ranks found.
template <int D, class ExecutionSpace>
Comparison compare(const Communicator& comm, Method<D, ExecutionSpace>& method,
                   const Request& request, const Physics<D>& physics, const Start<D>& start,
                   Count particles, const State<D, typename ExecutionSpace::memory_space>& loaded) {
  Comparison result;
  const bool root = comm.rank() == 0;
  auto expected = gather_by_id(comm, start.state);
  method.load(loaded);
  const auto n = static_cast<double>(particles);
  const Count steps =
      std::clamp<Count>(static_cast<Count>(compared_particle_steps / n), 2, request.steps + 1);
  for (Count step = 0; step < steps; ++step) {
    ContactSums found = method.contacts();
    app::corruptible(found);
    ++result.steps;
    if (root) {
      const auto contacts = find_reference_contacts(expected, physics);
      const ContactSums wanted = reference_sums(expected, physics, contacts);
      if (found.contacts != wanted.contacts || found.fingerprint != wanted.fingerprint)
        ++result.wrong_contacts;
      if (step + 1 < steps) reference_step(expected, physics, contacts);
    }
    if (step + 1 < steps) method.advance(1);
  }
  auto found = gather_by_id(comm, method.state());
  app::corruptible(found);
  if (root && found.rows() != expected.rows()) result.wrong_bits = n;
  for (Count i = 0; i < std::min(expected.rows(), found.rows()); ++i)
    for (int a = 0; a < D; ++a)
      if (!same_bits(found.position(i, a), expected.position(i, a)) ||
          !same_bits(found.velocity(i, a), expected.velocity(i, a))) {
        ++result.wrong_bits;
        break;
      }
  result.wrong_contacts = comm.broadcast(result.wrong_contacts, 0);
  result.wrong_bits = comm.broadcast(result.wrong_bits, 0);
  return result;
}

template <int D, class ExecutionSpace>
Simulation simulate(const ExecutionSpace& space, app::Session& session, const Communicator& comm,
                    const Request& request, const std::string& name, const Start<D>& start,
                    const State<D, typename ExecutionSpace::memory_space>& loaded) {
  const Physics<D> physics = request.physics(start.region);
  const auto method = std::make_unique<OverRanks<D, ExecutionSpace>>(
      comm, space, make_method<D>(name, space, physics, request), physics, request);
  Simulation result;
  result.method = name;
  result.particles = session.total_particles();
  const auto particle_steps =
      static_cast<double>(result.particles) * static_cast<double>(request.steps);
  const Count stride = particle_steps <= recorded_particle_steps ? 1
                       : request.save_every > 0                  ? request.save_every
                                                                 : request.steps;
  const double half = 0.5 * physics.dt;
  const auto record = [&](Count step) {
    if (request.leapfrog()) method->kick(half);
    result.records.push_back(record_of(comm, *method, physics, step));
    if (request.leapfrog()) method->kick(-half);
  };
  const auto samples = session.measure(
      "copse::collide::" + name, {{"copse::collide::load_" + name,
                                   [&](int) {
                                     method->load(loaded);
                                     if (request.leapfrog()) method->kick(-half);
                                   }},
                                  {"copse::collide::steps_" + name, [&](int run) {
                                     if (run >= 0) {
                                       method->advance(request.steps);
                                       return result.costs.push_back(method->cost());
                                     }
                                     record(0);
                                     for (Count done = 0; done < request.steps;) {
                                       const Count now = std::min(stride, request.steps - done);
                                       method->advance(now);
                                       done += now;
                                       record(done);
                                     }
                                   }}});
  result.seconds = samples.back().median();
  result.crowding = static_cast<double>(result.particles);
  for (int a = 0; a < D; ++a)
    result.crowding *= physics.force.cutoff * start.state.largest_size / start.region.side[a];
  result.figures = method->figures();
  refuse_lost(comm, method->state(), request.steps);
  if (session.options().verify) {
    result.comparison = compare(comm, *method, request, physics, start, result.particles, loaded);
    session.timer().drop_sample();  // phases of the compared steps are no samples
  }
  return result;
}

template <int D, class ExecutionSpace>
std::vector<Simulation> simulate_on(const ExecutionSpace& space, app::Session& session,
                                    const Request& request) {
  const Start<D> start = make_start<D>(session, request);
  const auto loaded = copy_state<typename ExecutionSpace::memory_space>(start.state);
  const Communicator comm(session.comm());
  std::vector<Simulation> simulations;
  for (const std::string& name : request.methods)
    simulations.push_back(simulate<D>(space, session, comm, request, name, start, loaded));
  return simulations;
}

}  // namespace

std::vector<Simulation> simulate_all(app::Session& session, const Request& request) {
  std::vector<Simulation> simulations;
  dispatch_backend(session.options().backend, [&](const auto& space) {
    simulations = request.dimensions == 2 ? simulate_on<2>(space, session, request)
                                          : simulate_on<3>(space, session, request);
  });
  return simulations;
}

}  // namespace copse::collide
