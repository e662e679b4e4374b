// Run with 4 ranks. Oracles: faces and near cells of lattices, counted one by one; the bytes of a
// run over 4 ranks.
#include "rank_slice.hpp"
#include <copse/particles/generators.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <gravity/remote/rank_model.hpp>

namespace copse::test {
namespace {

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using Host = Kokkos::Serial;

TEST_CASE("The border area is that of the faces between the domains of a lattice") {
  for (int levels = 0; levels <= 7; ++levels) {
    int parts[3] = {1, 1, 1};
    for (int level = 0; level < levels; ++level) parts[level % 3] *= 2;
    double area = 0.0;
    for (int x = 0; x < parts[0]; ++x)
      for (int y = 0; y < parts[1]; ++y)
        for (int z = 0; z < parts[2]; ++z) {
          const int cell[3] = {x, y, z};
          for (int a = 0; a < 3; ++a) {
            const double face = 1.0 / (parts[(a + 1) % 3] * parts[(a + 2) % 3]);
            area += face * ((cell[a] > 0) + (cell[a] + 1 < parts[a]));
          }
        }
    const double domains = std::exp2(levels);
    INFO(domains);
    CHECK_THAT(gravity::border_area(domains), WithinAbs(area / domains, 1e-12));
  }
}

TEST_CASE("Near domains are those whose centre is closer than side / theta") {
  CHECK(gravity::near_domains(2.5, 1e5) == 0);   // 0.4 sides reach no centre
  CHECK(gravity::near_domains(1.9, 1e5) == 6);   // across faces, at 0.5
  CHECK(gravity::near_domains(1.3, 1e5) == 18);  // across edges, at 0.71
  CHECK(gravity::near_domains(1.1, 1e5) == 26);  // across corners, at 0.87
  // At 0.55, 1.82 sides: those, and nine on each side at up to sqrt(1.5^2 + 2 0.5^2) = 1.66.
  CHECK(gravity::near_domains(0.55, 1e5) == 80);
  CHECK(gravity::near_domains(0.55, 4) == 3);
  CHECK(gravity::near_domains(0.0, 1e5) == 99999);
}

/// The costs of the second step over the ranks of `comm`, whose domains are by work.
gravity::MeasuredStep run_of(const Communicator& comm, const HostBodies& input,
                             const gravity::Request& request) {
  const Host space;
  constexpr std::uint32_t bucket_size = 16;
  gravity::SharedTree<Host> shared(comm, space, request, bucket_size);
  auto bodies = slice_of<Kokkos::HostSpace>(input, comm, false);
  const auto method = gravity::make_method("breadth", space, request);
  for (int step = 0; step < 2; ++step) {
    shared.start_clock();
    shared.distribute(bodies, input.box, input.size());
    shared.build();
    shared.compute_moments(false);
    shared.solve(*method, allocate_fields<Kokkos::HostSpace>(shared.own().size()));
    shared.weigh();
    shared.stop_clock();
    bodies = shared.bodies();
  }
  return gravity::measured_step(
      gravity::costs_of_ranks(comm, shared.cost(), shared.remote().cost()),
      static_cast<double>(input.size()), request.theta, bucket_size);
}

HostBodies generated(const char* kind, Count n) {
  GeneratorOptions options;
  options.kind = kind;
  options.particles = n;
  options.columns = {.mass = true};
  HostBodies bodies = generate(Host{}, options, 0, n);
  bodies.softening = allocate_particles<Kokkos::HostSpace>(n, {.softening = true}).softening;
  return bodies;
}

TEST_CASE("Bytes that a run of two ranks predicts for four are near those counted") {
  const Communicator all;
  REQUIRE(all.size() == 4);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, all.rank() / 2, all.rank(), &half);
  {
    const Communicator two(half);
    // Measured: predicted / counted.
    struct Case {
      const char* kind;
      Count n;
      double trees, top;
    };
    const auto request = request_for(0.55, 2, "bmax");
    for (const Case& c : {Case{"plummer", 30000, 0.897, 1.0}, Case{"uniform", 30000, 0.907, 1.0}}) {
      const HostBodies input = generated(c.kind, c.n);
      const auto bodies = static_cast<double>(c.n);
      const auto few = run_of(two, input, request), more = run_of(all, input, request);
      const auto step = gravity::predict_step(few, {}, 4.0, bodies);
      const auto same = gravity::predict_step(more, {}, 4.0, bodies);
      INFO(c.kind << ": essential trees " << step.essential_bytes << " predicted, "
                  << more.essential_bytes << " counted; top " << step.top_bytes << ", "
                  << same.top_bytes);
      // From a run of as many ranks the model gives back what was counted.
      CHECK_THAT(same.essential_bytes, WithinRel(more.essential_bytes, 1e-12));
      CHECK_THAT(step.essential_bytes / more.essential_bytes, WithinAbs(c.trees, 0.03));
      CHECK_THAT(step.top_bytes / same.top_bytes, WithinAbs(c.top, 0.03));
    }
  }
  MPI_Comm_free(&half);
}

TEST_CASE("On many ranks leaves of all outgrow those of near domains and roots of others") {
  gravity::MeasuredStep run;
  run.ranks = 8.0;
  run.bodies = 8e5;
  run.theta = 0.55;
  run.coarse_leaves = 2400.0;
  run.leaf_bytes = 168.0;
  run.bucket_size = 16;
  const auto step = gravity::predict_step(run, {}, 1e5, 1e10);
  // Leaves per rank stay 300, because coarse_leaf_bodies keeps 1562 bodies in a leaf.
  CHECK_THAT(step.coarse_leaves, WithinRel(300.0, 1e-3));
  CHECK_THAT(step.top_bytes, WithinRel(99999.0 * 300.0 * 168.0, 1e-3));
  CHECK_THAT(step.far_top_bytes, WithinRel((80.0 * 300.0 + 99919.0) * 168.0, 1e-3));
}

}  // namespace
}  // namespace copse::test
