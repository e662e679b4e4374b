// The comparison with the reference of collide must fail if a method is damaged: it searches too
// few cells, keeps a list for too long, loses a pair that began to overlap or an overflow.
// test_ranks.cpp damages ghosts, sabotaged_collide.cpp results.
#include "collide/make.hpp"
#include "collide/methods/slots.hpp"
#include "collide/methods/strips/strip_migration.hpp"
#include "collide/reference.hpp"
#include "collide/start.hpp"
#include "collide/sweep/pair_set.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <limits>

using namespace copse;
using namespace copse::collide;

namespace {

/// Puts a corruption at its place while alive.
template <class Result>
struct Corruption {
  explicit Corruption(void (*corruption)(Result&)) { app::corrupt<Result> = corruption; }
  ~Corruption() { app::corrupt<Result> = nullptr; }
};

Start<2> gas_of(Request& request, Count particles) {
  app::CommonOptions common;
  common.particles = particles;
  common.generate = "gas";
  common.backend = "serial";
  request.settle(common);
  return gas_start<2>(request, particles, 7);
}

/// How often the contacts before a step or the bits after the last one differ from the reference.
template <class ExecutionSpace>
int differences(const ExecutionSpace& space, const char* name, const Request& request,
                const Start<2>& start, int steps) {
  const Physics<2> physics = request.physics(start.region);
  const auto method = make_method<2>(name, space, physics, request);
  auto expected = copy_state<Kokkos::HostSpace>(start.state);
  method->load(copy_state<typename ExecutionSpace::memory_space>(start.state));
  int wrong = 0;
  for (int step = 0; step < steps; ++step) {
    const auto contacts = find_reference_contacts(expected, physics);
    const ContactSums wanted = reference_sums(expected, physics, contacts);
    wrong += method->contacts().fingerprint == wanted.fingerprint ? 0 : 1;
    reference_step(expected, physics, contacts);
    method->advance(1);
  }
  const auto found = by_id(method->state());
  for (Count i = 0; i < found.rows(); ++i)
    for (int a = 0; a < 2; ++a) {
      const double x[] = {found.position(i, a), expected.position(i, a)};
      wrong += std::memcmp(&x[0], &x[1], sizeof(double)) == 0 ? 0 : 1;
    }
  return wrong;
}

/// On every backend where the method runs, a dense gas moves as in the reference, and no longer
/// does when `corruption` is at its place.
template <class Result>
void check_detected(const char* name, int steps, void (*corruption)(Result&)) {
  Request request;
  request.density = 1.0;
  const Start<2> start = gas_of(request, 500);
  for_each_backend([&](const auto& space) {
    const std::string backend(backend_name<std::decay_t<decltype(space)>>());
    if (!runs_on(method_named(name), backend)) return;
    CAPTURE(name, backend);
    CHECK(differences(space, name, request, start, steps) == 0);
    const Corruption<Result> sabotage(corruption);
    CHECK(differences(space, name, request, start, steps) > 0);
  });
}

}  // namespace

TEST_CASE("A search of the own cell alone is detected", "[collide]") {
  for (const char* name : {"cells", "cells-persistent"})
    check_detected<SearchLimits>(name, 3, [](SearchLimits& limits) { limits.near = 0; });
}

TEST_CASE("One cell that is missing in the stencils of its right neighbours is detected",
          "[collide]") {
  Request request;
  request.density = 1.0;
  const Start<2> start = gas_of(request, 500);
  using Offsets = Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  for_each_backend([&](const auto& space) {
    if constexpr (runs_on_host<std::decay_t<decltype(space)>>) {
      CHECK(differences(space, "cells", request, start, 3) == 0);
      const Corruption<Offsets> sabotage([](Offsets& offsets) {
        Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> less(
            "copse::test::offsets", offsets.extent(0));
        Kokkos::deep_copy(less, offsets);
        // Ranges of cells that begin with this one begin with the next; others lose no row.
        const Count cell = offsets.extent(0) / 2;
        less(cell) = less(cell + 1);
        offsets = less;
      });
      CHECK(differences(space, "cells", request, start, 3) > 0);
    }
  });
}

TEST_CASE("Cells and lists that are never made anew are detected", "[collide]") {
  for (const char* name : {"cells", "cells-persistent", "cells-tiled", "verlet"})
    check_detected<SearchLimits>(name, 60, [](SearchLimits& limits) {
      limits.allowance = std::numeric_limits<double>::infinity();
    });
}

TEST_CASE("Particles that strayed and do not change strips are detected", "[collide]") {
  check_detected<StripMarks>("strips", 60, [](StripMarks& marks) { marks.strayed = false; });
}

TEST_CASE("A pair whose exchange was missed is detected", "[collide]") {
  check_detected<PairSet>("sweep-and-prune", 5, [](PairSet& pairs) {
    std::pair<PairSet::Number, PairSet::Number> any{};
    pairs.for_each([&](PairSet::Number i, PairSet::Number j) { any = {i, j}; });
    pairs.erase(any.first, any.second);
  });
}

TEST_CASE("A lost overflow of slots is detected", "[collide]") {
  Request request;
  request.density = 0.5;
  Start<2> start = gas_of(request, 200);
  request.slots_variant = "migrate";  // a row without a slot vanishes, as in the published version
  // All fly towards one place, so blocks overflow after some steps.
  for (Count i = 0; i < start.state.rows(); ++i)
    for (int a = 0; a < 2; ++a)
      start.state.velocity(i, a) = (0.5 * start.region.side[a] - start.state.position(i, a)) /
                                   (20.0 * request.step_length());
  for_each_backend([&](const auto& space) {
    CHECK(differences(space, "microblocks-slots", request, start, 25) == 0);
    static bool filled;
    filled = false;
    const Corruption<FirstOverflow> sabotage([](FirstOverflow& first) {
      // The slots of the start are made; those of the steps are not.
      if (first.step == Overflow<Kokkos::HostSpace>::never) filled = true;
      if (filled) first.step = Overflow<Kokkos::HostSpace>::never;
    });
    CHECK(differences(space, "microblocks-slots", request, start, 25) > 0);
  });
}
