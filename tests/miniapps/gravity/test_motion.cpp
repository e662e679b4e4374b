// Oracles: Kepler's orbit, conserved quantities, the order of leapfrog, reversal of time, and the
// energies that ChaNGa reports for its own test input.
#include "body_problem.hpp"
#include "data_file.hpp"
#include <copse/backend/backends.hpp>
#include <copse/io/snapshot.hpp>

#include <catch2/catch_test_macros.hpp>

#include <gravity/motion/leapfrog.hpp>
#include <numbers>

namespace copse::test {
namespace {

gravity::Request moving(const std::string& method, double softening = 0.0) {
  gravity::Request request = request_for(0.4, 3);
  request.methods = {method};
  request.softening = softening;
  return request;
}

template <class Space>
struct Moving {
  using MemorySpace = typename Space::memory_space;
  gravity::Request request;
  Particles<MemorySpace> particles;
  gravity::Motion<Space> motion;

  Moving(const Space& space, const HostBodies& input, const gravity::Request& asked)
      : request(asked),
        particles(copy_particles<MemorySpace>(input)),
        motion(space, request, request.methods.front(), 8, particles) {
    motion.start(gravity::initial_state(space, particles));
  }
  /// The largest change of the energy relative to the first potential energy.
  double drift(int steps, double dt) {
    const auto first = motion.sums();
    double most = 0.0;
    for (int i = 0; i < steps; ++i) {
      motion.step(dt);
      most = std::max(most, std::abs(motion.sums().energy() - first.energy()));
    }
    return most / std::abs(first.potential);
  }
};

/// Two bodies of mass 1/2 on an orbit of semi-major axis 1 and period 2 pi, from the apocentre.
HostBodies two_bodies(double eccentricity) {
  auto bodies = allocate_particles<Kokkos::HostSpace>(2, {.velocity = true, .mass = true});
  const double speed = std::sqrt((1 - eccentricity) / (1 + eccentricity));
  for (Count i = 0; i < 2; ++i) {
    const double side = i == 0 ? 0.5 : -0.5;
    for (int a = 0; a < 3; ++a) bodies.position(i, a) = bodies.velocity(i, a) = 0;
    bodies.position(i, 0) = static_cast<Real>(side * (1 + eccentricity));
    bodies.velocity(i, 1) = static_cast<Real>(side * speed);
    bodies.mass(i) = Real(0.5);
  }
  return bodies;
}

/// The largest distance between the positions of two states.
template <class State>
double distance(const State& a, const State& b) {
  const auto there = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  };
  const auto x = there(a.position), y = there(b.position);
  double most = 0.0;
  for (Count i = 0; i < x.extent(0); ++i)
    most = std::max(most, std::hypot(x(i, 0) - y(i, 0), x(i, 1) - y(i, 1), x(i, 2) - y(i, 2)));
  return most;
}

TEST_CASE("Two bodies close their Kepler orbit") {
  for_each_backend([&](const auto& space) {
    Moving moving_bodies(space, two_bodies(0.3), moving("direct"));
    const auto first = gravity::initial_state(space, moving_bodies.particles);
    const auto before = moving_bodies.motion.sums();
    CHECK(std::abs(before.energy() + 0.125) < 1e-6);  // -m1 m2 / 2a; measured: 0
    constexpr int steps = 2000;
    for (int i = 0; i < steps; ++i) moving_bodies.motion.step(2 * std::numbers::pi / steps);
    const double miss = distance(first, moving_bodies.motion.state());
    INFO("miss " << miss);
    CHECK(miss < 2e-5);  // measured: 1.3e-5
    CHECK(
        distance(first, gravity::MotionState<typename std::decay_t<decltype(space)>::memory_space>{
                            first.velocity, first.velocity}) > 0.1);
    const auto after = moving_bodies.motion.sums();
    const double turned = std::abs(after.angular_momentum[2] / before.angular_momentum[2] - 1.0);
    INFO("turned " << turned);
    CHECK(turned < 1e-6);  // measured: 6.3e-9
  });
}

TEST_CASE("The change of the energy falls with the square of the step") {
  for_each_backend([&](const auto& space) {
    const double wide = Moving(space, two_bodies(0.5), moving("direct")).drift(200, 0.04);
    const double narrow = Moving(space, two_bodies(0.5), moving("direct")).drift(400, 0.02);
    INFO(wide << " " << narrow << " ratio " << wide / narrow);
    CHECK((wide / narrow > 3.8 && wide / narrow < 4.2));  // measured: 3.95
  });
}

TEST_CASE("With reversed velocities bodies return to where they started") {
  for_each_backend([&](const auto& space) {
    for (const std::string method : {"direct", "breadth"}) {
      Moving moving_bodies(space, clustered_bodies(500), moving(method, 0.02));
      auto& motion = moving_bodies.motion;
      const auto first = gravity::initial_state(space, moving_bodies.particles);
      for (int i = 0; i < 20; ++i) motion.step(0.005);
      const double gone = distance(first, motion.state());
      auto back = motion.state();
      const auto velocity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, back.velocity);
      for (Count i = 0; i < velocity.extent(0); ++i)
        for (int a = 0; a < 3; ++a) velocity(i, a) = -velocity(i, a);
      Kokkos::deep_copy(back.velocity, velocity);
      motion.start(back);
      for (int i = 0; i < 20; ++i) motion.step(0.005);
      const double miss = distance(first, motion.state());
      INFO(method << " gone " << gone << " miss " << miss);
      CHECK(gone > 1e-3);
      CHECK(miss < 1e-4 * gone);  // measured: 1e-15 (direct), 3.5e-6 (breadth)
    }
  });
}

TEST_CASE("Momentum and angular momentum of direct sums stay") {
  for_each_backend([&](const auto& space) {
    Moving bodies(space, clustered_bodies(300), moving("direct", 0.02));
    const auto first = bodies.motion.sums();
    double impulse = 0.0;
    for (int i = 0; i < 20; ++i) {
      bodies.motion.step(0.005);
      impulse += 0.005 * bodies.motion.sums().forces;
    }
    const auto last = bodies.motion.sums();
    for (std::size_t a = 0; a < 3; ++a) {
      INFO(last.momentum[a] / impulse << " " << last.angular_momentum[a] / impulse);
      CHECK(std::abs(last.momentum[a] - first.momentum[a]) < 1e-6 * impulse);  // measured: 2e-9
      CHECK(std::abs(last.angular_momentum[a] - first.angular_momentum[a]) < 1e-6 * impulse);
    }
  });
}

TEST_CASE("With the relative criterion nodes open by the accelerations of the step before") {
  for_each_backend([&](const auto& space) {
    gravity::Request request = moving("breadth", 0.02);
    request.criterion.kind = OpeningKind::relative;
    request.g = 3.0;
    const HostBodies input = clustered_bodies(500);
    Moving bodies(space, input, request);
    for (int i = 0; i < 2; ++i) {
      const double forces = bodies.motion.sums().forces;
      bodies.motion.step(0.005);
      const auto pulls =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, bodies.motion.state().pulls);
      double sum = 0.0;  // in the order of the input, with G = 1
      for (Count row = 0; row < input.size(); ++row)
        sum += request.g * double(input.mass(row)) * double(pulls(row));
      CHECK(std::abs(sum / forces - 1.0) < 1e-6);  // sums of floats
      CHECK(std::abs(bodies.motion.sums().forces / forces - 1.0) > 1e-4);
    }
  });
}

TEST_CASE("The energies of ChaNGa's King model are those that it reports") {
  const auto path = data_file("changa/king_soft.bin");
  gravity::Request request = moving("breadth");
  request.kernel = SofteningKernel::spline;
  const auto input = io::read_snapshot(
      path,
      {.columns = {.velocity = true, .mass = true, .softening = true}, .box = {}, .progress = {}});
  for_each_backend([&](const auto& space) {
    const auto sums = Moving(space, input.particles, request).motion.sums();
    INFO(sums.kinetic << " " << sums.potential);
    CHECK(std::abs(sums.kinetic - 32.6558) < 1e-3);   // measured: 4e-6
    CHECK(std::abs(sums.potential + 64.847) < 2e-3);  // measured: 3.3e-4
  });
}

}  // namespace
}  // namespace copse::test
