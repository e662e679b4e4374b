// Oracle: independently published direct-sum accelerations of a public snapshot of 30000
// dark-matter particles (isolated, no softening).
#include "common/algorithms/on_each_backend.hpp"
#include "data_file.hpp"
#include "gravity_problem.hpp"
#include "tipsy_array.hpp"
#include <copse/io/snapshot.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

struct Lambs {
  Particles<Kokkos::HostSpace> particles;
  TipsyArray<double> acceleration;
};

Lambs read_lambs() {
  io::ReadOptions options;
  options.columns.mass = true;
  return {io::read_snapshot(data_file("lambs/lambs.00200_subsamp_30K"), options).particles,
          read_tipsy_array<double>(data_file("lambs/direct_isolated.acc"))};
}

template <int Order, class Space>
double rms_error(const GravityProblem<Space>& problem, const Lambs& lambs, WalkKind kind) {
  const auto fields = problem.template fields<Order>(kind);
  const auto row = to_host(problem.permutation);
  double sum = 0.0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto& a = lambs.acceleration;
    const GravityField<double> exact{a(row[i], 0), a(row[i], 1), a(row[i], 2), 0.0};
    sum += std::pow(relative_error(fields[i], exact), 2);
  }
  return std::sqrt(sum / static_cast<double>(fields.size()));
}

TEST_CASE(
    "Walks of a snapshot reproduce its published field to the accuracy of their opening angle") {
  const Lambs lambs = read_lambs();
  // RMS relative errors; the limits are a fifth above the measured values.
  struct Limits {
    double theta, monopole, quadrupole, group;
  };
  const Limits limits[] = {
      {0.4, 2.9e-3, 4.0e-4, 2.4e-4},
      {0.6, 8.4e-3, 1.9e-3, 1.2e-3},
      {0.8, 1.9e-2, 6.1e-3, 3.6e-3},
  };
  for_each_backend([&]<class Space>(Space space) {
    GravityProblem<Space> problem(space, lambs.particles.position, lambs.particles.mass,
                                  {.bucket_size = 16, .box = lambs.particles.box});
    for (const Limits& limit : limits) {
      problem.open_at(limit.theta);
      const double monopole = rms_error<1>(problem, lambs, WalkKind::fsm);
      const double quadrupole = rms_error<2>(problem, lambs, WalkKind::fsm);
      const double group = rms_error<2>(problem, lambs, WalkKind::group);
      INFO(backend_name<Space>() << ", theta " << limit.theta << ": monopole " << monopole
                                 << ", quadrupole " << quadrupole << ", group " << group);
      CHECK(monopole < limit.monopole);
      CHECK(quadrupole < limit.quadrupole);
      CHECK(quadrupole < monopole);
      CHECK(group < limit.group);
      CHECK(group < quadrupole);
    }
  });
}

}  // namespace
}  // namespace copse::test
