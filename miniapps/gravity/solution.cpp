#include "solution.hpp"

#include "body_sums.hpp"
#include "expected_fields.hpp"
#include <copse/app/coordinate_checksum.hpp>
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/worse.hpp>
#include <copse/particles/wrap.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace copse::gravity {
namespace {

/// \throws InputError if the column is missing or has an impossible value
template <class ExecutionSpace>
void refuse_impossible(const ExecutionSpace& space, const char* what,
                       const Column<typename ExecutionSpace::memory_space>& column) {
  if (column.extent(0) == 0)
    throw InputError(fmt::format("the input has no {}, which gravity needs", what));
  Count wrong = 0;
  Kokkos::parallel_reduce(
      "copse::gravity::check_column", CountRange<ExecutionSpace>(space, 0, column.extent(0)),
      KOKKOS_LAMBDA(const Count i, Count& sum) {
        sum += !(column(i) >= 0 && column(i) < Kokkos::Experimental::infinity_v<Real>);
      },
      wrong);
  if (wrong > 0)
    throw InputError(fmt::format("{} of the {} {} are negative, infinite or NaN", wrong,
                                 column.extent(0), what));
}

/// The periodic cube. \throws InputError if the box is unknown or no cube
Box<3> periodic_box(const app::Session& session, const Request& request, Box<3> box) {
  const auto& options = session.options();
  if (!request.period && options.input && !options.box && !box.fully_periodic())
    throw InputError(
        "--periodic needs a length, because the input's box may be only the bounding box of its "
        "particles; --box also gives one");
  for (int a = 0; a < 3; ++a) {
    box.periodic[a] = true;
    if (request.period) box.upper[a] = box.lower[a] + static_cast<Real>(*request.period);
  }
  if (!is_cube(box))
    throw InputError(fmt::format("--periodic needs a cube, but the box is {} x {} x {}",
                                 box.extent(0), box.extent(1), box.extent(2)));
  return box;
}

template <class ExecutionSpace>
TreeSize size_of(const ExecutionSpace& space,
                 const Octree<typename ExecutionSpace::memory_space>& tree) {
  TreeSize size{tree.size(), 0};
  const auto nodes = tree.nodes;
  Kokkos::parallel_reduce(
      "copse::gravity::count_leaves", Kokkos::RangePolicy<ExecutionSpace>(space, 0, tree.size()),
      KOKKOS_LAMBDA(const Count i, Count& sum) { sum += nodes(i).is_leaf(); }, size.leaves);
  return size;
}

/// The largest relative difference of a potential from that of the mass of all bodies elsewhere, if
/// the softening is so long that all are equally far.
template <class ExecutionSpace>
double uncounted_mass(const ExecutionSpace& space, Method<ExecutionSpace>& method,
                      BodyTree<typename ExecutionSpace::memory_space> bodies, const Box<3>& box) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = bodies.size();
  double side = 0.0;
  for (int a = 0; a < 3; ++a)
    side = std::max(side, static_cast<double>(box.upper[a]) - static_cast<double>(box.lower[a]));
  const auto length = static_cast<Real>(1e4 * side);
  bodies.softening2 = length * length;
  bodies.gravity.softening = {};  // of the spline
  bodies.correction = {};         // images count as they are
  const auto fields = allocate_fields<MemorySpace>(n);
  method.solve(bodies, fields);
  const auto targets = bodies.targets;
  const double total = total_mass(space, bodies.masses);
  double largest = 0.0;
  const auto potential = fields.potential;
  const MassElsewhere<MemorySpace> elsewhere{bodies.octree.nodes, bodies.gravity.bodies, 1, total};
  const double images = bodies.side > 0.0 ? near_images : 1;
  Kokkos::parallel_reduce(
      "copse::gravity::uncounted", CountRange<ExecutionSpace>(space, 0, targets.count),
      KOKKOS_LAMBDA(const Count t, double& most) {
        const Count i = targets(t);
        const double found = -static_cast<double>(potential(i)) * static_cast<double>(length);
        const double expected = elsewhere(i) + (images - 1.0) * total;
        const double error = Kokkos::abs(found - expected) / (images * total);
        most = worse(most, error);
      },
      Kokkos::Max<double>(largest));
  return total > 0.0 ? largest : 0.0;
}

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
}

/// What is written of the bodies.
template <class MemorySpace>
Particles<Kokkos::HostSpace> bodies_on_host(const Particles<MemorySpace>& particles) {
  Particles<Kokkos::HostSpace> bodies;
  bodies.position = on_host(particles.position);
  bodies.mass = on_host(particles.mass);
  bodies.softening = on_host(particles.softening);
  return bodies;
}

/// Errors of the fields without softening against those that the method must compute.
template <class ExecutionSpace>
FieldErrors errors_of_expansions(const ExecutionSpace& space, Method<ExecutionSpace>& method,
                                 BodyTree<typename ExecutionSpace::memory_space> bodies,
                                 const Request& request, const std::string& name) {
  bodies.softening2 = 0;
  bodies.gravity.softening = {};  // of the spline
  const auto fields = allocate_fields<typename ExecutionSpace::memory_space>(bodies.size());
  method.solve(bodies, fields);
  const auto rows = spaced_rows(bodies.size(), expected_targets(bodies.size()));
  return errors_of(rows_of(fields, rows), expected_fields(space, bodies, request, name, rows));
}

/// The fields in the order of the input, times G, on the host.
template <class ExecutionSpace>
GravityFields<Kokkos::HostSpace> in_input_order(
    const ExecutionSpace& space, const BodyTree<typename ExecutionSpace::memory_space>& bodies,
    const GravityFields<typename ExecutionSpace::memory_space>& fields, double g) {
  const Count n = bodies.size();
  const auto ordered = allocate_fields<typename ExecutionSpace::memory_space>(n);
  const auto order = bodies.order;
  const auto factor = static_cast<Real>(g);
  Kokkos::parallel_for(
      "copse::gravity::to_input_order", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) {
        const LocalIndex row = order(i);
        for (int a = 0; a < 3; ++a)
          ordered.acceleration(row, a) = factor * fields.acceleration(i, a);
        ordered.potential(row) = factor * fields.potential(i);
      });
  space.fence("copse::gravity::to_input_order");
  return {on_host(ordered.acceleration), on_host(ordered.potential)};
}

/// Rows of targets, evenly spaced along the curve.
template <class MemorySpace>
std::vector<LocalIndex> spaced_targets(const QueryList<MemorySpace>& targets, Count count) {
  auto rows = spaced_rows(targets.count, count);
  if (targets.order.extent(0) == 0) return rows;
  const auto order = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, targets.order);
  for (LocalIndex& row : rows) row = order(row);
  return rows;
}

template <class ExecutionSpace>
std::vector<Solution> solve_on(const ExecutionSpace& space, app::Session& session,
                               const Request& request) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto particles = load_bodies(space, session, request);
  std::vector<Solution> solutions;
  BodyTreeBuilder<ExecutionSpace> builder(space);
  BodyTree<MemorySpace> bodies;
  const auto fields = allocate_fields<MemorySpace>(particles.size());
  std::vector<LocalIndex> rows;
  std::vector<GravityField<double>> exact, isolated;
  for (const std::string& name : request.methods) {
    Solution solution;
    solution.method = name;
    solution.bucket_size = request.bucket_size_of(name, session.options().backend);
    const auto method = make_method(name, space, request);
    bodies.limits = {};
    if (request.is_relative()) {  // a step before, by bmax, gives the last accelerations
      const Column<MemorySpace> pulls("copse::gravity::pulls", particles.size());
      builder.build(particles, request, solution.bucket_size, bodies);
      bodies.targets = {bodies.size(), {}};
      builder.compute_moments(request, bodies);
      method->solve(bodies, fields);
      builder.record_pulls(bodies, fields, pulls);
      builder.set_limits(request, pulls, bodies);
    }
    Kokkos::deep_copy(fields.acceleration, Real(0));
    Kokkos::deep_copy(fields.potential, Real(0));
    solution.phases = session.measure(
        "copse::gravity::" + name,
        {{"copse::gravity::tree_" + name,
          [&](int) { builder.build(particles, request, solution.bucket_size, bodies); }},
         {"copse::gravity::moments_" + name,
          [&](int) {
            builder.compute_moments(request, bodies);
            app::corruptible(bodies);
          }},
         {"copse::gravity::walk_" + name, [&](int) { method->solve(bodies, fields); }}});
    solution.active = bodies.targets.count;
    solution.side = bodies.side;
    if (solution.active < bodies.size()) {
      BodyTree<MemorySpace> all = bodies;
      all.targets = {bodies.size(), {}};
      const auto of_all = allocate_fields<MemorySpace>(bodies.size());
      solution.walk_of_all = session
                                 .measure("copse::gravity::walk_of_all_" + name,
                                          [&](int) { method->solve(all, of_all); })
                                 .median();
    }
    if (request.host_share > 0.0)
      solution.overlap =
          static_cast<HostShare<ExecutionSpace>&>(*method).measure(session, name, bodies, fields);
    solution.interactions = method->count(bodies);
    solution.tree = size_of(space, bodies.octree);
    solution.take_forces(force_sums(space, bodies.masses, fields), request.g);
    if (request.targets > 0) {
      if (exact.empty()) {  // the order along the curve is the same for all methods
        rows = spaced_targets(bodies.targets, request.targets);
        exact = exact_fields(space, bodies, rows, request.softening);
        isolated = exact;
        if (request.periodic) {
          BodyTree<MemorySpace> alone = bodies;
          alone.side = 0.0;
          isolated = exact_fields(space, alone, rows, request.softening);
        }
      }
      auto found = rows_of(fields, rows);
      app::corruptible(found);
      solution.errors = errors_of(found, exact);
      solution.isolated_errors = errors_of(found, exact, isolated);
    }
    if (session.options().verify && !(request.periodic && name == "direct")) {
      solution.uncounted = uncounted_mass(space, *method, bodies, particles.box);
      if (has_expected_fields(request, name))
        solution.expansions = errors_of_expansions(space, *method, bodies, request, name);
    }
    if (session.options().output && solutions.empty())
      solution.output = {bodies_on_host(particles),
                         in_input_order(space, bodies, fields, request.g)};
    solutions.push_back(std::move(solution));
  }
  return solutions;
}

}  // namespace

template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> load_bodies(const ExecutionSpace& space,
                                                             app::Session& session,
                                                             const Request& request) {
  auto particles = session.load_particles(
      space, {.velocity = request.steps > 0, .mass = true, .softening = request.needs_lengths()});
  if (request.periodic) {
    particles.box = periodic_box(session, request, particles.box);
    const Count wrapped = wrap_positions(space, particles.position, particles.box);
    if (wrapped > 0)
      session.print(fmt::format("{} bodies were outside the periodic box: wrapped", wrapped));
    session.record_input(particles.box, app::coordinate_checksum(space, particles.position));
  }
  session.together([&] { check_bodies(space, particles, session.total_particles(), request); });
  return particles;
}

template <class ExecutionSpace>
void check_bodies(const ExecutionSpace& space,
                  const Particles<typename ExecutionSpace::memory_space>& particles, Count total,
                  const Request& request) {
  if (total == 0) throw InputError("gravity needs at least one particle");
  if (particles.size() == 0) return;
  refuse_impossible(space, "masses", particles.mass);
  if (request.needs_lengths()) refuse_impossible(space, "softening lengths", particles.softening);
}

#define COPSE_INSTANTIATE(Space)                                                                  \
  template Particles<typename Space::memory_space> load_bodies(const Space&, app::Session&,       \
                                                               const Request&);                   \
  template void check_bodies(const Space&, const Particles<typename Space::memory_space>&, Count, \
                             const Request&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

double Solution::seconds() const {
  double sum = 0.0;
  for (const app::Samples& phase : phases) sum += phase.median();
  return sum;
}

Count estimate_bytes(Count n, const Request& request, const std::string& backend) {
  const std::string& method = request.methods.front();
  const std::uint32_t bucket = request.bucket_size_of(method, backend);
  const Count nodes = estimated_octree_nodes(n, bucket, request.branching);
  constexpr std::array<Count, 4> sums{40, 80, 160, 280};  // MomentSums, in double
  constexpr std::array<Count, 4> reals{0, 6, 16, 24};     // Moments
  const Count of_node =
      sums[request.order - 1] + (4 + reals[request.order - 1] + 1 + 6 + 1) * sizeof(Real);
  const Count spline = request.kernel == SofteningKernel::spline ? sizeof(Real) : 0;
  const Count active = request.active_fraction < 1.0 ? sizeof(LocalIndex) + 4 * sizeof(Real) : 0;
  const Count relative = request.is_relative() ? 2 * sizeof(Real) : 0;  // pulls and limits
  // Two states, accelerations and potentials in double; rounded positions.
  const Count motion = request.steps > 0 ? (12 + 3 + 1) * sizeof(double) + 3 * sizeof(Real) : 0;
  const Count images = request.periodic ? 7 * sizeof(Real) : 0;
  const Count of_body = (3 + 1 + 4 + 4) * sizeof(Real) + spline + relative + active +
                        sizeof(LocalIndex) + motion + images;
  const bool groups = method == "breadth" || method == "bucket";
  const Count lists =
      groups ? n + (n / 16 + nodes) * sizeof(Count) : 0;  // methods/target_groups.hpp
  return lists + n * of_body +
         nodes * (of_node + (request.is_relative() ? sizeof(OctreeCell) : 0)) +
         OctreeBuilder<Kokkos::DefaultExecutionSpace>::estimate_bytes(n, bucket, request.branching);
}

std::vector<Solution> solve_all(app::Session& session, const Request& request) {
  std::vector<Solution> solutions;
  dispatch_backend(session.options().backend,
                   [&](const auto& space) { solutions = solve_on(space, session, request); });
  return solutions;
}

}  // namespace copse::gravity
