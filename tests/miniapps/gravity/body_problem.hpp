#pragma once
/// \file
/// Bodies on the host and their fields by a method, for the tests of miniapps/gravity.

#include <copse/app/command_line.hpp>
#include <copse/gravity/direct_gravity.hpp>

#include <algorithm>
#include <cmath>
#include <gravity/methods.hpp>
#include <random>
#include <string>
#include <vector>

namespace copse::test {

using HostBodies = Particles<Kokkos::HostSpace>;

/// A cluster: normal distances about three centres, masses over a factor of 10.
/// Softening lengths between 0.002 and 0.05, longer ones rarer.
inline HostBodies clustered_bodies(Count n, unsigned seed = 7) {
  auto bodies = allocate_particles<Kokkos::HostSpace>(n, {.mass = true, .softening = true});
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (Count i = 0; i < n; ++i) {
    for (int a = 0; a < 3; ++a) {
      const double x = 0.25 + 0.25 * static_cast<double>(i % 3) + 0.04 * normal(random);
      bodies.position(i, a) = static_cast<Real>(std::clamp(x, 0.0, 0.999));
    }
    bodies.softening(i) = static_cast<Real>(0.002 * std::pow(25.0, (i * 7 % 11) * (i % 3) / 20.0));
    bodies.mass(i) = static_cast<Real>((1.0 + 9.0 * (random() % 100) / 99.0) / n);
  }
  return bodies;
}

inline gravity::Request request_for(double theta, Count order, const std::string& mac = "barnes") {
  gravity::Request request;
  request.theta = theta;
  request.order = order;
  request.mac = mac;
  request.method = "all";
  app::CommonOptions common;
  common.backend = "serial";
  request.settle(common);
  return request;
}

/// A body tree on a backend, the fields of a method, and the exact fields, all in tree order.
template <class Space>
struct Solved {
  gravity::BodyTree<typename Space::memory_space> bodies;
  std::vector<GravityField<double>> fields;
  std::vector<GravityField<double>> exact;

  Solved(const Space& space, const HostBodies& input, const gravity::Request& request,
         const std::string& method, std::uint32_t bucket_size) {
    using MemorySpace = typename Space::memory_space;
    gravity::BodyTreeBuilder<Space> builder(space);
    const auto particles = copy_particles<MemorySpace>(input);
    builder.build(particles, request, bucket_size, bodies);
    builder.compute_moments(request, bodies);
    const auto solver = gravity::make_method(method, space, request);
    if (request.is_relative()) {  // the last accelerations are those of a first walk
      const auto first = allocate_fields<MemorySpace>(bodies.size());
      const gravity::Column<MemorySpace> pulls("copse::test::pulls", bodies.size());
      solver->solve(bodies, first);
      builder.record_pulls(bodies, first, pulls);
      builder.set_limits(request, pulls, bodies);
      builder.compute_moments(request, bodies);
    }
    const auto computed = allocate_fields<MemorySpace>(bodies.size());
    // Every body must be written.
    Kokkos::deep_copy(computed.acceleration, Kokkos::Experimental::quiet_NaN_v<Real>);
    Kokkos::deep_copy(computed.potential, Kokkos::Experimental::quiet_NaN_v<Real>);
    solver->solve(bodies, computed);
    std::vector<LocalIndex> rows(bodies.size());
    for (Count i = 0; i < bodies.size(); ++i) rows[i] = static_cast<LocalIndex>(i);
    const auto there = [](const auto& view) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
    };
    const auto a = there(computed.acceleration);
    const auto p = there(computed.potential);
    for (Count i = 0; i < bodies.size(); ++i)
      fields.push_back({double(a(i, 0)), double(a(i, 1)), double(a(i, 2)), double(p(i))});
    Points<3, Kokkos::HostSpace> points("copse::test::points", bodies.size());
    gravity::Column<Kokkos::HostSpace> masses("copse::test::masses", bodies.size());
    Kokkos::deep_copy(points, there(bodies.points));
    Kokkos::deep_copy(masses, there(bodies.masses));
    gravity::Column<Kokkos::HostSpace> lengths("copse::test::lengths", bodies.softening.extent(0));
    Kokkos::deep_copy(lengths, there(bodies.softening));
    exact = direct_gravity(points, masses, rows, {request.kernel, request.softening, lengths});
  }

  /// Relative errors of accelerations, ascending; NaN counts as infinite.
  std::vector<double> errors() const {
    std::vector<double> all;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto &f = fields[i], &e = exact[i];
      const double size = std::hypot(e.x, e.y, e.z);
      const double d = std::hypot(f.x - e.x, f.y - e.y, f.z - e.z);
      all.push_back(std::isnan(d) ? INFINITY : size > 0 ? d / size : d);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  double rms() const {
    double sum = 0.0;
    for (const double e : errors()) sum += e * e;
    return std::sqrt(sum / static_cast<double>(fields.size()));
  }
};

}  // namespace copse::test
