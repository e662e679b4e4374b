#include "simulation.hpp"

#include "distributed/distribution.hpp"
#include "distributed/gather.hpp"
#include "distributed/over_ranks.hpp"
#include "recording.hpp"
#include "reference.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/worse.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace copse::collide {
namespace {

/// Bins of g(r).
constexpr Count radial_bins = 40;
/// The reference follows as many steps as it can with so many particle-steps.
constexpr double compared_particle_steps = 5e6;
/// Pairs for g(r), of 24 bytes each.
constexpr double most_radial_pairs = 1e9;

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// The largest difference of a velocity over the largest velocity.
template <int D>
double deviation_of(const State<D, Kokkos::HostSpace>& found,
                    const State<D, Kokkos::HostSpace>& expected) {
  double most = 0.0, largest = 0.0;
  for (Count i = 0; i < expected.rows(); ++i)
    for (int a = 0; a < D; ++a) {
      const double change = std::abs(found.velocity(i, a) - expected.velocity(i, a));
      most = worse(most, change);
      largest = std::max(largest, std::abs(expected.velocity(i, a)));
    }
  return largest > 0.0 ? most / largest : most;
}

/// How many of the ids 0 to n - 1 are not among the rows.
template <int D>
Count missing_ids(const State<D, Kokkos::HostSpace>& state, Count n) {
  std::vector<bool> found(n, false);
  for (Count i = 0; i < state.rows(); ++i)
    if (const Count id = id_of(state.tag(i)); id < n) found[id] = true;
  return static_cast<Count>(std::count(found.begin(), found.end(), false));
}

/// Rank 0 follows the reference and compares what all ranks found.
template <int D, class ExecutionSpace>
Comparison compare(app::Session& session, const Communicator& comm,
                   Method<D, ExecutionSpace>& method, const Request& request,
                   const Physics<D>& physics, const Start<D>& start, Count particles,
                   const State<D, typename ExecutionSpace::memory_space>& loaded) {
  Comparison result;
  const bool root = comm.rank() == 0;
  auto expected = gather_by_id(comm, start.state);
  method.load(loaded);
  const auto n = static_cast<double>(particles);
  const Count steps =
      std::clamp<Count>(static_cast<Count>(compared_particle_steps / n), 2, request.steps + 1);
  const auto progress = session.progress("comparing with the reference");
  for (Count step = 0; step < steps; ++step) {
    ContactSums found = method.contacts();
    app::corruptible(found);
    ++result.steps;
    progress(step + 1, steps);
    if (root) {
      const auto contacts = find_reference_contacts(expected, physics);
      const ContactSums wanted = reference_sums(expected, physics, contacts);
      if (found.contacts != wanted.contacts || found.fingerprint != wanted.fingerprint)
        ++result.wrong_contacts;
      if (step + 1 < steps) result.wall_bounces += reference_step(expected, physics, contacts);
    }
    if (step + 1 == steps) break;
    method.advance(1);
    if (physics.ordered) continue;
    // Sums in any order differ by rounding, which grows from step to step: each step is compared
    // alone.
    auto gathered = gather_state(comm, method.state());
    if (root) app::corruptible(gathered);
    const bool complete =
        !root || (gathered.rows() == particles && missing_ids(gathered, particles) == 0);
    if (comm.allreduce(complete ? 0 : 1, Reduction::max) > 0) break;  // reported below
    const auto found_state = by_id(gathered);
    if (root) result.deviation = worse(result.deviation, deviation_of(found_state, expected));
    expected = found_state;
  }
  auto rows = gather_state(comm, method.state());
  if (!root) return result;  // a check fails if it fails on any rank
  app::corruptible(rows);
  result.wrong_ids = static_cast<double>(missing_ids(rows, particles));
  if (result.wrong_ids > 0.0 || rows.rows() != expected.rows()) {
    result.wrong_bits = n;
    return result;
  }
  const auto found = by_id(rows);
  for (Count i = 0; i < expected.rows(); ++i)
    for (int a = 0; a < D; ++a)
      if (!same_bits(found.position(i, a), expected.position(i, a)) ||
          !same_bits(found.velocity(i, a), expected.velocity(i, a))) {
        ++result.wrong_bits;
        break;
      }
  return result;
}

template <int D, class ExecutionSpace>
RadialDistribution radial_of(const Communicator& comm, const ExecutionSpace& space,
                             const Request& request, const Region<D>& region,
                             const State<D, typename ExecutionSpace::memory_space>& state) {
  const double range = request.radial_range * request.force.cutoff;
  return radial_distribution(comm, with_ghosts(comm, space, request, region, state, range), region,
                             range, radial_bins);
}

template <int D, class ExecutionSpace>
Simulation simulate(const ExecutionSpace& space, app::Session& session, const Communicator& comm,
                    const Request& request, const std::string& name, const Start<D>& start,
                    const State<D, typename ExecutionSpace::memory_space>& loaded, Output* output) {
  const Physics<D> physics = request.physics(start.region);
  const auto method = std::make_unique<OverRanks<D, ExecutionSpace>>(
      comm, space, make_method<D>(name, space, physics, request), physics, request);
  Simulation result;
  result.method = name;
  result.particles = comm.allreduce(start.state.rows(), Reduction::sum);
  Recording<D, ExecutionSpace> recording(session, comm, request, physics, *method, start, loaded,
                                         output);
  const auto samples = session.measure(
      "copse::collide::" + name, {{"copse::collide::load_" + name, [&](int) { recording.load(); }},
                                  {"copse::collide::steps_" + name, [&](int run) {
                                     if (run >= 0) {
                                       method->advance(request.steps);
                                       return result.costs.push_back(method->cost());
                                     }
                                     result.records = recording.run();
                                   }}});
  result.seconds = samples.back().median();
  result.crowding = start.region.crowding(physics.force.cutoff * start.state.largest_size);
  result.figures = method->figures();
  if (request.radial_range > 0.0 && name == request.methods.front())
    result.radial = radial_of(comm, space, request, start.region, method->state());
  if (session.options().verify) {
    result.comparison =
        compare(session, comm, *method, request, physics, start, result.particles, loaded);
    session.timer().drop_sample();  // phases of the compared steps are no samples
  }
  return result;
}

/// The time of a copy of the state within its memory.
template <int D, class MemorySpace>
double measure_copy(app::Session& session, const State<D, MemorySpace>& state) {
  const auto to = allocate_state<D, MemorySpace>(state.rows(), state.size.extent(0) > 0);
  return session
      .measure("copse::collide::copy",
               [&](int) {
                 copy_rows(to, state);
                 Kokkos::fence("copse::collide::copy");
               })
      .median();
}

template <int D, class ExecutionSpace>
std::vector<Simulation> simulate_on(const ExecutionSpace& space, app::Session& session,
                                    const Request& request, Output* output) {
  const Start<D> start = make_start<D>(session, request);
  const double range = request.radial_range * request.force.cutoff;
  if (range > largest_range(start.region))
    throw InputError(
        fmt::format("--radial-range {} is more than {} cutoffs, which the region allows",
                    request.radial_range, largest_range(start.region) / request.force.cutoff));
  const auto all = static_cast<double>(start.region.particles);
  const double pairs = 0.5 * all * all * uniform_within(start.region, range);
  if (pairs > most_radial_pairs)
    throw InputError(fmt::format("--radial-range {} has about {:.1e} pairs, more than {:.0e}",
                                 request.radial_range, pairs, most_radial_pairs));
  const auto loaded = copy_state<typename ExecutionSpace::memory_space>(start.state);
  const double copy_seconds = measure_copy(session, loaded);
  const double size_bytes = request.radius_spread > 1.0 ? sizeof(double) : 0.0;
  const Communicator comm(session.comm());
  std::vector<Simulation> simulations;
  for (const std::string& name : request.methods) {
    simulations.push_back(simulate<D>(space, session, comm, request, name, start, loaded, output));
    Simulation& run = simulations.back();
    const auto n = static_cast<double>(run.particles);
    run.copy_seconds = copy_seconds;
    run.state_bytes = 2.0 * n * (2.0 * D * sizeof(double) + sizeof(Tag) + size_bytes);
    run.least_bytes = n * (4.0 * D * sizeof(double) + sizeof(Tag) + size_bytes);
    run.volume = 1.0;
    for (int a = 0; a < D; ++a) run.volume *= start.region.side[a];
    output = nullptr;
  }
  return simulations;
}

}  // namespace

std::vector<Simulation> simulate_all(app::Session& session, const Request& request,
                                     Output* output) {
  std::vector<Simulation> simulations;
  dispatch_backend(session.options().backend, [&](const auto& space) {
    simulations = request.dimensions == 2 ? simulate_on<2>(space, session, request, output)
                                          : simulate_on<3>(space, session, request, output);
  });
  return simulations;
}

Count estimate_bytes(Count particles, const Request& request, const std::string& backend) {
  const auto d = static_cast<Count>(request.dimensions);
  const Count state =
      2 * d * sizeof(double) + sizeof(Tag) + (request.radius_spread > 1.0 ? sizeof(double) : 0);
  // The start and the method's own particles; on hosts also those ordered by id.
  const Count states = backend == "cuda" ? 2 : 5;
  const Count search = 4 * sizeof(LocalIndex);  // cells of particles, rows in cells, cell starts
  return particles * (states * state + d * sizeof(double) + search);
}

}  // namespace copse::collide
