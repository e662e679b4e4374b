// Every method against the reference of collide, which sorts along one axis and uses no grid.
#include "collide/methods.hpp"
#include "moved_reference.hpp"
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

using namespace copse;
using namespace copse::collide;
using copse::collide::test::Moved;
using copse::collide::test::reference_of;

namespace {

Request request_of(const std::string& force, bool periodic, double spread, double density) {
  Request request;
  request.force_name = force;
  request.periodic = periodic;
  request.radius_spread = spread;
  request.density = density;
  return request;
}

template <int D>
bool same_bits(const State<D, Kokkos::HostSpace>& a, const State<D, Kokkos::HostSpace>& b) {
  for (Count i = 0; i < a.rows(); ++i)
    for (int axis = 0; axis < D; ++axis) {
      const double mine[] = {a.position(i, axis), a.velocity(i, axis)};
      const double theirs[] = {b.position(i, axis), b.velocity(i, axis)};
      if (std::memcmp(mine, theirs, sizeof mine) != 0) return false;
    }
  return true;
}

/// Fills the stack below its caller with ones. A method that reads more than it wrote there, which
/// compilers have made of the masks of vectors, then finds wrong contacts.
[[gnu::noinline]] void fill_stack() {
  volatile unsigned char bytes[std::size_t{1} << 16];
  for (volatile unsigned char& byte : bytes) byte = 0xff;
}

/// Moves a start with one method, and compares contacts before every step and all bits at the end.
template <int D, class ExecutionSpace>
void compare_with_reference(const ExecutionSpace& space, const std::string& name,
                            const Request& request, const Start<D>& start,
                            const Moved<D>& expected) {
  CAPTURE(D, name, request.force_name, request.periodic, request.radius_spread);
  CAPTURE(std::string(backend_name<ExecutionSpace>()), start.state.rows());
  const Physics<D> physics = request.physics(start.region);
  const auto method = make_method<D>(name, space, physics, request);
  method->load(copy_state<typename ExecutionSpace::memory_space>(start.state));
  for (std::size_t step = 0; step < expected.sums.size(); ++step) {
    CAPTURE(step);
    fill_stack();
    const ContactSums found = method->contacts();
    REQUIRE(found.contacts == expected.sums[step].contacts);
    REQUIRE(found.fingerprint == expected.sums[step].fingerprint);
    fill_stack();
    method->advance(1);
  }
  CHECK(same_bits(by_id(method->state()), expected.end));
  // Several steps in one call are the same steps.
  method->load(copy_state<typename ExecutionSpace::memory_space>(start.state));
  method->advance(static_cast<Count>(expected.sums.size()));
  CHECK(same_bits(by_id(method->state()), expected.end));
  if (request.periodic) return;
  // Cells that cover a part of the region find the contacts of rows beyond it too.
  Part<D> part;
  for (int a = 0; a < D; ++a) {
    part.lower[a] = 0.3 * start.region.side[a];
    part.upper[a] = 0.6 * start.region.side[a];
  }
  method->set_part(part);
  method->load(copy_state<typename ExecutionSpace::memory_space>(start.state));
  CHECK(method->contacts().fingerprint == expected.sums[0].fingerprint);
  method->advance(static_cast<Count>(expected.sums.size()));
  CHECK(same_bits(by_id(method->state()), expected.end));
}

/// Where particles of a gas are moved before the start.
enum class Placing { nowhere, to_a_corner, on_walls };

/// Moves most particles towards one corner, or every third onto a wall or into a corner, and every
/// seventh to the place of the one before.
template <int D>
void move_start(Start<D>& start, Placing placing) {
  for (Count i = 0; i < start.state.rows(); ++i)
    for (int a = 0; a < D; ++a) {
      double& x = start.state.position(i, a);
      const double side = start.region.side[a], part = x / side;
      if (placing == Placing::to_a_corner) x = side * (part * part * part);
      if (placing != Placing::on_walls) continue;
      if (i % 3 == 0 && (i / 3 + static_cast<Count>(a)) % 3 != 0) x = part < 0.5 ? 0.0 : side;
      if (i % 7 == 6) x = start.state.position(i - 1, a);
    }
}

template <int D>
Start<D> settled_gas(Request& request, Count particles) {
  app::CommonOptions common;
  common.particles = particles;
  common.generate = "gas";
  common.backend = "serial";
  request.dimensions = D;
  request.settle(common);
  Start<D> start = gas_start<D>(request, particles, 7);
  add_sizes(request, 7, start.state);
  return start;
}

/// `crowded` scales all positions.
template <int D>
void compare_all(Request request, Count particles, int steps, Placing placing = Placing::nowhere,
                 double crowded = 1.0) {
  Start<D> start = settled_gas<D>(request, particles);
  for (Count i = 0; i < particles; ++i)
    for (int axis = 0; axis < D; ++axis) start.state.position(i, axis) *= crowded;
  move_start(start, placing);
  const Moved<D> expected = reference_of(request, start, steps);
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    for (const MethodInfo& info : methods()) {
      if (!runs_on(info, std::string(backend_name<Space>()))) continue;
      if (!info.takes_sizes && request.radius_spread > 1.0) continue;
      compare_with_reference<D>(space, info.name, request, start, expected);
      // The variants with small starts only, to save time.
      if (info.name != std::string("microblocks-slots") || particles > 500) continue;
      for (const char* variant : slots_variant_names) {
        CAPTURE(variant);
        Request other = request;
        other.slots_variant = variant;
        compare_with_reference<D>(space, info.name, other, start, expected);
      }
    }
  });
}

}  // namespace

TEST_CASE(
    "Every method finds the contacts of every step and gives the bits of the reference in 2-D",
    "[collide]") {
  for (const bool periodic : {false, true}) {
    compare_all<2>(request_of("cs267", periodic, 1.0, 0.2), 1000, 40);
    compare_all<2>(request_of("cs267", periodic, 1.0, 2.0), 500, 20);  // many triple contacts
    compare_all<2>(request_of("soft-sphere", periodic, 1.0, 1.0), 300, 20);
    compare_all<2>(request_of("cs267", periodic, 4.0, 0.05), 400, 20);
    compare_all<2>(request_of("cs267", periodic, 30.0, 0.01), 1500, 10);
    compare_all<2>(request_of("cs267", periodic, 1.0, 0.02), 400, 20, Placing::to_a_corner);
    compare_all<2>(request_of("soft-sphere", periodic, 30.0, 0.001), 400, 10, Placing::to_a_corner);
  }
}

TEST_CASE("Every method moves a liquid of one strip, of two, of three and of eleven", "[collide]") {
  // Strips are 3.75 sigma wide, the region is 6, 8.4, 12 and 42. Rows of a periodic region have
  // images, and the last strip meets the first.
  for (const bool periodic : {false, true})
    for (const Count particles : {30, 60, 120, 1500})
      compare_all<2>(request_of("lennard-jones", periodic, 1.0, 0.8442), particles, 20);
}

TEST_CASE("Strips of many sizes find the contacts of every step of a liquid", "[collide]") {
  for (Count particles = 500; particles <= 3000; particles += 250) {
    Request request = request_of("lennard-jones", true, 1.0, 0.8442);
    const Start<2> start = settled_gas<2>(request, particles);
    const Moved<2> expected = reference_of(request, start, 20);
    for_each_backend([&](const auto& space) {
      if constexpr (runs_on_host<std::decay_t<decltype(space)>>)
        compare_with_reference<2>(space, "strips", request, start, expected);
    });
  }
}

TEST_CASE(
    "Every method finds the contacts of every step and gives the bits of the reference in 3-D",
    "[collide]") {
  for (const bool periodic : {false, true}) {
    compare_all<3>(request_of("cs267", periodic, 1.0, 0.4), 1000, 20);
    compare_all<3>(request_of("lennard-jones", periodic, 1.0, 0.8), 1000, 10);
    compare_all<3>(request_of("soft-sphere", periodic, 3.0, 0.3), 500, 10);
    compare_all<3>(request_of("soft-sphere", periodic, 30.0, 0.005), 1500, 5);
  }
}

TEST_CASE("Cells of other sides and with other skins find the contacts of every step",
          "[collide]") {
  for (const bool periodic : {false, true})
    for (const double side : {0.3, 0.5, 2.0})
      for (const double skin : {0.0, 0.5}) {
        CAPTURE(side, skin);
        Request request = request_of("soft-sphere", periodic, 1.0, 0.5);
        request.method = "cells";  // accepts the options
        request.cell_side = side;
        request.skin = skin;
        compare_all<2>(request, 400, 8);
        compare_all<3>(request, 400, 5);
      }
}

TEST_CASE("One particle, two particles and a few move as in the reference", "[collide]") {
  for (const Count particles : {1, 2, 3, 7}) {
    compare_all<2>(request_of("cs267", false, 1.0, 0.5), particles, 50);
    compare_all<3>(request_of("soft-sphere", false, 1.0, 0.5), particles, 50);
  }
}

TEST_CASE("Particles that are all in one cell move as in the reference", "[collide]") {
  // A region of one cutoff (two if periodic), and a corner of a large region, from which particles
  // fly apart over several cells.
  for (const bool periodic : {false, true}) {
    compare_all<2>(request_of("soft-sphere", periodic, 1.0, periodic ? 20.0 : 80.0), 80, 5);
    compare_all<3>(request_of("soft-sphere", periodic, 1.0, periodic ? 10.0 : 80.0), 80, 5);
    compare_all<2>(request_of("cs267", periodic, 1.0, 0.2), 200, 8, Placing::nowhere, 1.0 / 32.0);
    compare_all<3>(request_of("soft-sphere", periodic, 1.0, 0.2), 200, 8, Placing::nowhere,
                   1.0 / 16.0);
  }
}

TEST_CASE("Particles on walls, in corners and in the same places move as in the reference",
          "[collide]") {
  for (const bool periodic : {false, true})
    for (const char* force : {"cs267", "soft-sphere"}) {
      compare_all<2>(request_of(force, periodic, 1.0, 1.0), 200, 10, Placing::on_walls);
      compare_all<3>(request_of(force, periodic, 1.0, 1.0), 300, 5, Placing::on_walls);
    }
}

TEST_CASE("Particles that jump over several cells in a step move as in the reference",
          "[collide]") {
  for (const bool periodic : {false, true}) {
    Request request = request_of("soft-sphere", periodic, 1.0, 0.2);
    request.dt = 0.1;  // most jumps are of several cutoffs
    compare_all<2>(request, 500, 20);
    compare_all<3>(request, 500, 20);
  }
}

TEST_CASE("Counted candidates are those of near blocks, and pairs that overlap on every axis",
          "[collide]") {
  Request request = request_of("cs267", false, 1.0, 0.2);
  const Start<2> start = settled_gas<2>(request, 1000);
  const Physics<2> physics = request.physics(start.region);
  const auto& x = start.state.position;
  const double cutoff = physics.force.cutoff;
  const auto block = [&](Count i, int a) {
    const double side = start.region.side[a], blocks = std::floor(side / (2.0 * cutoff));
    return std::floor(std::min(x(i, a) / side * blocks, blocks - 1.0));
  };
  Count near = 0, overlapping = 0;
  for (Count i = 0; i < 1000; ++i)
    for (Count j = 0; j < 1000; ++j) {
      near +=
          std::abs(block(i, 0) - block(j, 0)) <= 1.0 && std::abs(block(i, 1) - block(j, 1)) <= 1.0;
      overlapping +=
          i < j && std::abs(x(i, 0) - x(j, 0)) <= cutoff && std::abs(x(i, 1) - x(j, 1)) <= cutoff;
    }
  for_each_backend([&](const auto& space) {
    if constexpr (backend_name<std::decay_t<decltype(space)>>() == "serial")
      for (const auto& [name, expected] :
           {std::pair{"microblocks", near}, std::pair{"microblocks-slots", near},
            std::pair{"cells-tiled", near}, std::pair{"sweep-and-prune", overlapping}}) {
        const auto method = make_method<2>(name, space, physics, request);
        method->load(start.state);
        CHECK(method->contacts().candidates == expected);
      }
  });
}

TEST_CASE("auto takes one kernel for all steps for few particles of one rank on a device",
          "[collide]") {
  const auto chosen = [](const char* backend, Count particles, int ranks,
                         const char* force = "cs267") {
    Request request = request_of(force, false, 1.0, 0.2);
    app::CommonOptions common;
    common.backend = backend;
    common.generate = "gas";
    common.particles = particles;
    request.method = "auto";
    request.settle(common);
    request.settle_ranks(ranks);
    return request.methods.front();
  };
  CHECK(chosen("cuda", 1000, 1) == "cells-persistent");
  CHECK(chosen("cuda", 1'000'000, 1) == "cells");
  CHECK(chosen("cuda", 1000, 2) == "cells");
  CHECK(chosen("serial", 1000, 1) == "strips");
  CHECK(chosen("serial", 1000, 2) == "strips");
  for (const int ranks : {1, 2}) CHECK(chosen("cuda", 1000, ranks, "lennard-jones") == "verlet");
}

TEST_CASE("Cells, lists and strips serve several steps, but not all", "[collide]") {
  // Of the gas, no particle moves 0.25 reaches in a step, and some move further in 60. Particles of
  // strips may stray by 2 reaches.
  Request request = request_of("cs267", false, 1.0, 0.2);
  const Start<2> start = settled_gas<2>(request, 1000);
  const Physics<2> physics = request.physics(start.region);
  const Kokkos::DefaultHostExecutionSpace space;
  for (const auto& [name, steps] :
       {std::pair("cells-persistent", 60), std::pair("verlet", 60), std::pair("strips", 120)}) {
    CAPTURE(name);
    const auto method = make_method<2>(name, space, physics, request);
    method->load(start.state);
    method->advance(static_cast<Count>(steps));
    const double searches = method->figures().at("searches");
    CHECK(searches > 1.0);
    CHECK(searches < 60.0);
  }
}
