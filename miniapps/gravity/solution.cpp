#include "solution.hpp"

#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>

namespace copse::gravity {
namespace {

template <class ExecutionSpace>
void refuse_impossible_masses(const ExecutionSpace& space,
                              const Particles<typename ExecutionSpace::memory_space>& particles) {
  if (particles.size() == 0) throw InputError("gravity needs at least one particle");
  const auto mass = particles.mass;
  if (mass.extent(0) == 0)
    throw InputError("gravity needs the masses of the particles, which the input does not have");
  Count wrong = 0;
  Kokkos::parallel_reduce(
      "copse::gravity::check_masses", Kokkos::RangePolicy<ExecutionSpace>(space, 0, mass.extent(0)),
      KOKKOS_LAMBDA(const Count i, Count& sum) {
        sum += !(mass(i) >= 0 && mass(i) < Kokkos::Experimental::infinity_v<Real>);
      },
      wrong);
  if (wrong > 0)
    throw InputError(
        fmt::format("{} of the {} masses are negative, infinite or NaN", wrong, mass.extent(0)));
}

/// Sums over all bodies: m a, and m |a|.
template <class ExecutionSpace>
void sum_forces(const ExecutionSpace& space,
                const BodyTree<typename ExecutionSpace::memory_space>& bodies,
                const GravityFields<typename ExecutionSpace::memory_space>& fields, double g,
                Solution& solution) {
  const auto masses = bodies.masses;
  const auto a = fields.acceleration;
  for (int part = 0; part < 4; ++part) {
    double sum = 0.0;
    Kokkos::parallel_reduce(
        "copse::gravity::net_force",
        Kokkos::RangePolicy<ExecutionSpace>(space, 0, masses.extent(0)),
        KOKKOS_LAMBDA(const Count i, double& here) {
          const double x = static_cast<double>(a(i, 0)), y = static_cast<double>(a(i, 1)),
                       z = static_cast<double>(a(i, 2));
          const double value = part == 0   ? x
                               : part == 1 ? y
                               : part == 2 ? z
                                           : Kokkos::sqrt(x * x + y * y + z * z);
          here += static_cast<double>(masses(i)) * value;
        },
        sum);
    (part < 3 ? solution.net_force[static_cast<std::size_t>(part)] : solution.force_scale) =
        g * sum;
  }
}

template <class ExecutionSpace>
std::vector<Solution> solve_on(const ExecutionSpace& space, app::Session& session,
                               const Request& request) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto particles = session.load_particles(space, {.mass = true});
  refuse_impossible_masses(space, particles);
  std::vector<Solution> solutions;
  BodyTreeBuilder<ExecutionSpace> builder(space);
  BodyTree<MemorySpace> bodies;
  const auto fields = allocate_fields<MemorySpace>(particles.size());
  std::vector<LocalIndex> rows;
  std::vector<GravityField<double>> exact;
  for (const std::string& name : request.methods) {
    Solution solution;
    solution.method = name;
    solution.bucket_size = request.bucket_size_of(name, session.options().backend);
    const auto method = make_method(name, space, request);
    Kokkos::deep_copy(fields.acceleration, Real(0));
    Kokkos::deep_copy(fields.potential, Real(0));
    solution.phases = session.measure(
        "copse::gravity::" + name,
        {{"copse::gravity::tree_" + name,
          [&](int) { builder.build(particles, request, solution.bucket_size, bodies); }},
         {"copse::gravity::moments_" + name,
          [&](int) { builder.compute_moments(request, bodies); }},
         {"copse::gravity::walk_" + name, [&](int) { method->solve(bodies, fields); }}});
    solution.interactions = method->count(bodies);
    sum_forces(space, bodies, fields, request.g, solution);
    if (request.targets > 0) {
      if (exact.empty()) {  // the order along the curve is the same for all methods
        rows = spaced_rows(bodies.size(), request.targets);
        exact = exact_fields(space, bodies, rows);
      }
      solution.errors = errors_of(rows_of(fields, rows), exact);
    }
    solutions.push_back(std::move(solution));
  }
  return solutions;
}

}  // namespace

double Solution::seconds() const {
  double sum = 0.0;
  for (const app::Samples& phase : phases) sum += phase.median();
  return sum;
}

std::vector<Solution> solve_all(app::Session& session, const Request& request) {
  std::vector<Solution> solutions;
  dispatch_backend(session.options().backend,
                   [&](const auto& space) { solutions = solve_on(space, session, request); });
  return solutions;
}

}  // namespace copse::gravity
