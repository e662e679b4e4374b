// Sweep and prune: its lists against brute force, its exchanges against a prediction, its regions
// against the reference of collide.
#include "collide/methods.hpp"
#include "collide/reference.hpp"
#include "collide/start.hpp"
#include "collide/sweep/sweep_lists.hpp"
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <type_traits>

using namespace copse;
using namespace copse::collide;

namespace {

/// Particles that jump at random, their lists, and what brute force says about both.
template <int D>
class Jumps {
 public:
  using Lists = SweepLists<D>;
  static constexpr double side = 1.0;

  Jumps(Count n, double length, double spread, bool circular) : circular_(circular) {
    Kokkos::Array<typename Lists::Axis, D> axes;
    for (int a = 0; a < D; ++a) axes[a] = {0.0, side, circular};
    lists_.reset(axes, length * spread);
    for (Count i = 0; i < n; ++i) {
      positions_.push_back(anywhere());
      lengths_.push_back(length * std::pow(spread, uniform()));
      present_.push_back(true);
      lists_.add(number(i), positions_[i], lengths_[i]);
    }
    lists_.update();
  }

  /// Every particle moves by up to `most` on each axis.
  void jump(double most) {
    for (Count i = 0; i < positions_.size(); ++i) {
      for (double& x : positions_[i]) {
        x += most * (2.0 * uniform() - 1.0);
        if (circular_) x -= std::floor(x);
        x = std::clamp(x, 0.0, side);
      }
      if (present_[i]) lists_.move(number(i), positions_[i]);
    }
    lists_.update();
  }

  /// About a tenth of the particles leaves or comes back.
  void exchange_some() {
    for (Count i = 0; i < positions_.size(); ++i) {
      if (uniform() > 0.1) continue;
      if (present_[i])
        lists_.remove(number(i));
      else
        lists_.add(number(i), positions_[i], lengths_[i]);
      present_[i] = !present_[i];
    }
    lists_.update();
  }

  /// All pairs that overlap are in the set, and none that are further apart than the rounding.
  /// \return overlapping pairs
  Count check_pairs() const {
    std::set<std::pair<Count, Count>> found;
    lists_.pairs().for_each([&](auto i, auto j) { found.emplace(i, j); });
    REQUIRE(found.size() == lists_.pairs().size());
    Count overlaps = 0;
    for (Count j = 0; j < positions_.size(); ++j)
      for (Count i = 0; i < j; ++i) {
        const double gap = gap_of(i, j);
        const bool both = present_[i] && present_[j];
        const bool known = found.count({i, j}) > 0;
        const bool right = both && gap <= 0.0 ? known : !(known && (!both || gap > 1e-8));
        if (!right) FAIL(i << " and " << j << " with a gap of " << gap << " are wrong");
        if (known) ++overlaps;
      }
    REQUIRE(overlaps == found.size());
    return overlaps;
  }

  /// Ascending tokens, two for each particle, a lower end before its upper end.
  void check_order() const {
    Count present = 0;
    for (const bool p : present_) present += p;
    for (int a = 0; a < D; ++a) {
      const auto tokens = lists_.tokens(a);
      REQUIRE(tokens.size() == 2 * present);
      std::set<std::uint32_t> ends;
      for (Count k = 0; k < tokens.size(); ++k) {
        if (k > 0) REQUIRE(tokens[k - 1] < tokens[k]);
        ends.insert(static_cast<std::uint32_t>(tokens[k]));
        if (!circular_ && tokens[k] >> 31 & 1)
          REQUIRE(ends.count(static_cast<std::uint32_t>(tokens[k]) & 0x7FFFFFFFU) > 0);
      }
      REQUIRE(ends.size() == 2 * present);
    }
  }

 private:
  static typename Lists::Number number(Count i) { return static_cast<typename Lists::Number>(i); }
  double uniform() { return static_cast<double>(random_()) / 4294967296.0; }
  Kokkos::Array<double, D> anywhere() {
    Kokkos::Array<double, D> x;
    for (double& c : x) c = uniform();
    return x;
  }
  /// The largest distance between the intervals of two particles over the axes.
  double gap_of(Count i, Count j) const {
    double gap = -1.0;
    for (int a = 0; a < D; ++a) {
      double d = std::abs(positions_[i][a] - positions_[j][a]);
      if (circular_) d = std::min(d, side - d);
      gap = std::max(gap, d - 0.5 * (lengths_[i] + lengths_[j]));
    }
    return gap;
  }

  bool circular_;
  std::mt19937 random_;
  std::vector<Kokkos::Array<double, D>> positions_;
  std::vector<double> lengths_;
  std::vector<bool> present_;
  Lists lists_;
};

template <int D>
void check_jumps(Count n, double length, double spread, bool circular) {
  CAPTURE(D, n, length, spread, circular);
  Jumps<D> jumps(n, length, spread, circular);
  Count overlaps = jumps.check_pairs();
  jumps.check_order();
  for (const double most : {1e-3, 1e-2, 0.1, 0.6, 1.0})
    for (int step = 0; step < 5; ++step) {
      CAPTURE(most, step);
      jumps.jump(most);
      jumps.check_order();
      overlaps += jumps.check_pairs();
      if (step % 2 == 0) jumps.exchange_some();
      jumps.check_order();
      jumps.check_pairs();
    }
  if (n > 10) CHECK(overlaps > n);
}

Request gas_request(bool periodic, double spread, double density) {
  Request request;
  request.periodic = periodic;
  request.radius_spread = spread;
  request.density = density;
  return request;
}

template <int D>
Start<D> start_of(Request& request, Count particles, const std::string& backend) {
  app::CommonOptions common;
  common.particles = particles;
  common.generate = "gas";
  common.backend = backend;
  request.dimensions = D;
  request.settle(common);
  Start<D> start = gas_start<D>(request, particles, 3);
  add_sizes(request, 3, start.state);
  return start;
}

/// Calls f(space) for the backend of that name, if this build has it.
template <class F>
void with_backend(const std::string& name, const F& f) {
  for_each_backend([&](const auto& space) {
    if (backend_name<std::decay_t<decltype(space)>>() == name) f(space);
  });
}

/// Calls `work(space)` with a backend of the host; nothing is compiled for a device.
template <class Work>
void with_host_backend(const char* backend, const Work& work) {
  with_backend(backend, [&](const auto& space) {
    if constexpr (runs_on_host<std::remove_cvref_t<decltype(space)>>) work(space);
  });
}

/// Moves with regions and compares contacts of every step and all bits at the end.
template <int D>
void compare_regions(Request request, Count particles, double dt, Count ghosts) {
  with_host_backend("openmp", [&](const auto& space) {
    request.dt = dt;
    Start<D> start = start_of<D>(request, particles, "openmp");
    for (Count i = 0; i < ghosts; ++i) start.state.tag(7 * i) |= ghost_bit;
    const Physics<D> physics = request.physics(start.region);
    for (const int regions : {1, 2, 4, 6, 9, 16}) {
      CAPTURE(D, regions, request.periodic, request.radius_spread, dt, ghosts);
      request.regions = regions;
      const auto method = make_method<D>("sweep-regions", space, physics, request);
      const auto plain = make_method<D>("brute-force", space, physics, request);
      method->load(start.state);
      plain->load(start.state);
      for (int step = 0; step < 12; ++step) {
        CAPTURE(step);
        const ContactSums wanted = plain->contacts(), found = method->contacts();
        REQUIRE(found.contacts == wanted.contacts);
        REQUIRE(found.fingerprint == wanted.fingerprint);
        const Count steps = step % 3 == 2 ? 2 : 1;
        plain->advance(steps);
        method->advance(steps);
      }
      const auto mine = by_id(method->state()), theirs = by_id(plain->state());
      const std::size_t bytes = mine.position.size() * sizeof(double);
      CHECK(std::memcmp(mine.position.data(), theirs.position.data(), bytes) == 0);
      CHECK(std::memcmp(mine.velocity.data(), theirs.velocity.data(), bytes) == 0);
      if (particles > 300 && D == 2) CHECK(method->figures().at("regions") == regions);
    }
  });
}

/// Mean of |v_i - v_j| over all pairs, from sorted values.
double mean_difference(const Vectors<2, Kokkos::HostSpace>& v, int axis) {
  std::vector<double> sorted;
  for (Count i = 0; i < v.extent(0); ++i) sorted.push_back(v(i, axis));
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sum += (2.0 * static_cast<double>(i) - n + 1.0) * sorted[i];
  return sum / (0.5 * n * (n - 1.0));
}

}  // namespace

// An exchange that is not made leaves the tokens unsorted; one that is made without looking at its
// pair leaves a pair too many or too few.
TEST_CASE("After every update lists are sorted and hold the pairs that brute force finds",
          "[collide]") {
  for (const bool circular : {false, true}) {
    check_jumps<2>(200, 0.05, 1.0, circular);
    check_jumps<2>(150, 0.01, 30.0, circular);
    check_jumps<3>(150, 0.15, 1.0, circular);
    check_jumps<3>(100, 0.02, 20.0, circular);
    for (const Count few : {1, 2, 3, 5}) check_jumps<2>(few, 0.5, 1.0, circular);
  }
}

TEST_CASE("A step exchanges 2 n^2 E|dv| dt / L tokens of an axis, which is n^1.5 in two dimensions",
          "[collide]") {
  with_host_backend("serial", [](const auto& space) {
    for (const Count n : {1000, 4000, 10000}) {
      Request request;
      app::CommonOptions common;
      common.particles = n;
      common.generate = "cs267";
      common.backend = "serial";
      request.settle(common);
      const Start<2> start = cs267_start<2>(request, n, 1);
      const Physics<2> physics = request.physics(start.region);
      const auto method = make_method<2>("sweep-and-prune", space, physics, request);
      method->load(start.state);
      method->advance(80);  // the columns of the lattice dissolve
      const auto now = copy_state<Kokkos::HostSpace>(method->state());
      method->load(now);
      method->advance(40);
      for (int axis = 0; axis < 2; ++axis) {
        const double relative = mean_difference(now.velocity, axis);
        CHECK(std::abs(relative - 2.0 / 3.0) < 0.03);  // of uniform velocities in [-1, 1]
        const auto count = static_cast<double>(n);
        const double predicted =
            2.0 * count * count * relative * physics.dt / physics.region.side[axis];
        const double swaps = method->figures().at(std::string("swaps_per_step_") + "xy"[axis]);
        CAPTURE(n, axis, swaps, predicted);
        // The places of 1000 particles deviate from uniform ones by a few hundredths.
        CHECK(std::abs(swaps / predicted - 1.0) < 0.05);
      }
    }
  });
}

TEST_CASE(
    "Any number of regions gives the bits of all pairs, also if particles cross several in a step",
    "[collide]") {
  for (const bool periodic : {false, true}) {
    compare_regions<2>(gas_request(periodic, 1.0, 0.5), 800, 0.0005, 0);
    compare_regions<2>(gas_request(periodic, 1.0, 0.5), 800, 0.2, 0);
    compare_regions<2>(gas_request(periodic, 5.0, 0.05), 400, 0.01, 20);
    compare_regions<2>(gas_request(periodic, 1.0, 0.5), 60, 0.05, 0);
    compare_regions<3>(gas_request(periodic, 1.0, 0.5), 400, 0.01, 20);
  }
}

TEST_CASE("With sizes from 1 to 30 a sweep of strips compares less than a sixth of what cells do",
          "[collide]") {
  with_backend(default_backend_name(), [](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    Request request = gas_request(false, 30.0, 0.2);
    const auto start = start_of<2>(request, 4000, std::string(backend_name<Space>()));
    const Physics<2> physics = request.physics(start.region);
    const auto compared = [&](const std::string& name) {
      const auto method = make_method<2>(name, space, physics, request);
      method->load(copy_state<typename Space::memory_space>(start.state));
      return static_cast<double>(method->contacts().candidates);
    };
    CHECK(compared("cells") > 6.0 * compared("sweep-device"));
  });
}
