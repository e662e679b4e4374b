// The contact search of the reference over several chunks of particles. Oracle: all pairs.
#include "collide/reference.hpp"
#include "collide/start.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace copse;
using namespace copse::collide;

TEST_CASE("The reference finds the contacts of all pairs in more particles than a chunk holds",
          "[collide]") {
  constexpr Count n = 9000;  // three chunks
  for (const bool periodic : {false, true}) {
    CAPTURE(periodic);
    Request request;
    request.force_name = "soft-sphere";
    request.density = 1.0;
    request.periodic = periodic;
    app::CommonOptions common;
    common.generate = "gas";
    common.backend = "serial";
    request.settle(common);
    Start<2> start = gas_start<2>(request, n, 5);
    const Physics<2> physics = request.physics(start.region);
    const State<2, Kokkos::HostSpace>& state = start.state;
    for (int step = 0; step < 2; ++step)
      reference_step(start.state, physics, find_reference_contacts(state, physics));

    const auto distance = [&](Count i, Count j, int a) {
      const double d = std::abs(state.position(i, a) - state.position(j, a));
      return periodic ? std::min(d, start.region.side[a] - d) : d;
    };
    std::vector<std::vector<Tag>> partners(n);
    for (Count i = 0; i < n; ++i)
      for (Count j = i + 1; j < n; ++j) {
        const double dx = distance(i, j, 0), dy = distance(i, j, 1);
        if (dx * dx + dy * dy > physics.force.cutoff * physics.force.cutoff) continue;
        partners[i].push_back(static_cast<Tag>(j));
        partners[j].push_back(static_cast<Tag>(i));
      }

    const auto found = find_reference_contacts(state, physics);
    REQUIRE(found.offsets.size() == n + 1);
    // Each contact is listed twice.
    CHECK(found.partners.size() > n);
    Count wrong = 0;
    for (Count i = 0; i < n; ++i)
      wrong += !std::equal(partners[i].begin(), partners[i].end(),
                           found.partners.begin() + found.offsets[i],
                           found.partners.begin() + found.offsets[i + 1]);
    CHECK(wrong == 0);
  }
}
