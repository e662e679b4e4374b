#include "generated_on_host.hpp"
#include <copse/backend/error.hpp>
#include <copse/particles/generators.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstring>
#include <limits>

using copse::Count;
using copse::Real;
using copse_test::generate_on_host;
using copse_test::options_of;

namespace {

using HostParticles = copse::Particles<Kokkos::HostSpace>;

/// Bitwise equality of rows [0, b.size()) of b with rows [offset, ...) of a in one column.
template <class View>
bool same_bits(const View& a, const View& b, Count offset) {
  if (b.extent(0) == 0) return a.extent(0) == 0;
  for (std::size_t axis = 0; axis < b.extent(1); ++axis) {
    const auto* pa = a.data() + axis * a.extent(0) + offset;
    const auto* pb = b.data() + axis * b.extent(0);
    if (std::memcmp(pa, pb, b.extent(0) * sizeof(*pb)) != 0) return false;
  }
  return true;
}

bool same_rows(const HostParticles& whole, const HostParticles& part, Count offset = 0) {
  return same_bits(whole.position, part.position, offset) &&
         same_bits(whole.velocity, part.velocity, offset) &&
         same_bits(whole.mass, part.mass, offset) && same_bits(whole.id, part.id, offset) &&
         same_bits(whole.weight, part.weight, offset) &&
         same_bits(whole.species, part.species, offset);
}

}  // namespace

// Oracle: the Serial backend, compared bit by bit.
TEST_CASE("Every backend generates the same bits in every column of every kind") {
  for (const std::string& kind : copse::generator_names()) {
    const auto options = options_of(kind, 30011);
    const auto serial = copse::generate(Kokkos::Serial{}, options, 0, options.particles);
    copse::for_each_backend([&]<class Space>(Space space) {
      const auto here = copse::generate(space, options, 0, options.particles);
      INFO(kind << " on " << copse::backend_name<Space>());
      CHECK(same_rows(serial, copse::copy_particles<Kokkos::HostSpace>(here)));
    });
  }
}

// Oracle: the rows of the set generated in one piece.
TEST_CASE("Slices of any split are rows of the whole") {
  for (const std::string& kind : copse::generator_names()) {
    const auto options = options_of(kind, 5003);
    const auto whole = generate_on_host(options);
    for (const Count ranks : {2, 3, 7})
      for (Count rank = 0; rank < ranks; ++rank) {
        const Count first = rank * options.particles / ranks;
        const Count end = (rank + 1) * options.particles / ranks;
        const auto slice =
            copse::generate(Kokkos::DefaultHostExecutionSpace{}, options, first, end - first);
        INFO(kind << " rank " << rank << " of " << ranks);
        CHECK(slice.size() == end - first);
        CHECK(same_rows(whole, slice, first));
      }
  }
}

TEST_CASE("An empty slice is an empty table at either end of the set") {
  const auto options = options_of("uniform", 10);
  CHECK(copse::generate(Kokkos::Serial{}, options, 0, 0).size() == 0);
  CHECK(copse::generate(Kokkos::Serial{}, options, 10, 0).size() == 0);
}

TEST_CASE("Another seed gives other positions, and asking for fewer columns changes none") {
  for (const std::string& kind : copse::generator_names()) {
    INFO(kind);
    auto options = options_of(kind, 1000);
    const auto first = generate_on_host(options);
    if (kind != "lattice")
      CHECK(!same_bits(first.position, generate_on_host(options_of(kind, 1000, 43)).position, 0));
    options.columns = {};
    const auto bare = generate_on_host(options);
    CHECK(same_bits(first.position, bare.position, 0));
    CHECK(bare.velocity.extent(0) == 0);
    CHECK(bare.mass.extent(0) == 0);
    CHECK(bare.id.extent(0) == 0);
    CHECK(bare.weight.extent(0) == 0);
    CHECK(bare.species.extent(0) == 0);
  }
}

TEST_CASE("Every position is finite and in the half-open box of its kind") {
  for (const std::string& kind : copse::generator_names()) {
    const auto options = options_of(kind, 100000, 3);
    const auto p = generate_on_host(options);
    const auto& box = p.box;
    Count outside = 0;
    for (Count i = 0; i < p.size(); ++i)
      for (int a = 0; a < 3; ++a)
        if (!(p.position(i, a) >= box.lower[a] && p.position(i, a) < box.upper[a])) ++outside;
    INFO(kind);
    CHECK(outside == 0);
  }
}

// Oracle: the documented columns; P(w > x) = x^-2 with Kolmogorov and Smirnov's limit at 0.1 %.
TEST_CASE("Ids count up, masses add up to one, weights are Pareto distributed, species is dark") {
  const auto p = generate_on_host(options_of("uniform", 1 << 16));
  double mass = 0.0;
  std::vector<double> weights;
  for (Count i = 0; i < p.size(); ++i) {
    REQUIRE(p.id(i) == i);
    REQUIRE(p.species(i) == copse::Species::dark);
    mass += p.mass(i);
    weights.push_back(p.weight(i));
  }
  CHECK(mass == 1.0);
  CHECK(copse_test::kolmogorov_distance(weights, [](double w) { return 1.0 - 1.0 / (w * w); }) <
        copse_test::kolmogorov_limit(weights.size()));
  CHECK(*std::max_element(weights.begin(), weights.end()) <= 65536.0);
}

TEST_CASE("Particles of kinds without velocities are at rest") {
  for (const char* kind : {"uniform", "normal", "lattice", "soneira-peebles"}) {
    const auto p = generate_on_host(options_of(kind, 100));
    for (Count i = 0; i < p.size(); ++i)
      for (int a = 0; a < 3; ++a) CHECK(p.velocity(i, a) == Real{0});
  }
}

TEST_CASE("The last rows of the largest set can be generated") {
  for (const std::string& kind : copse::generator_names()) {
    if (kind == "nfw") continue;  // its catalogue would hold millions of haloes
    auto options = options_of(kind, copse::max_generated_particles);
    const Count last = options.particles - 1;
    const auto p = copse::generate(Kokkos::Serial{}, options, last, 1);
    INFO(kind);
    CHECK(p.id(0) == last);
    CHECK(p.box.contains({p.position(0, 0), p.position(0, 1), p.position(0, 2)}));
  }
}

TEST_CASE("Invalid requests are refused in one sentence that names the error") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  const auto refused = [](const copse::GeneratorOptions& options, Count first, Count count,
                          const std::string& text) {
    CHECK_THROWS_MATCHES(copse::generate(Kokkos::Serial{}, options, first, count),
                         copse::InputError, MessageMatches(ContainsSubstring(text)));
  };
  refused(options_of("hernquist", 10), 0, 10,
          "'hernquist': choose one of uniform, normal, plummer, lattice, soneira-peebles, nfw");
  refused(options_of("uniform", 0), 0, 0, "0 particles");
  refused(options_of("uniform", copse::max_generated_particles + 1), 0, 1, "281474976710657");
  refused(options_of("uniform", 10), 5, 6, "rows 5");
  refused(options_of("uniform", 10), 11, 0, "rows 11");
  refused(options_of("uniform", 10), 1, std::numeric_limits<Count>::max(), "rows 1");
  refused(options_of("uniform", Count{1} << 40), 0, (Count{1} << 32) + 1, "do not fit one rank");

  auto options = options_of("normal", 10);
  options.model.normal_sigma = std::numeric_limits<double>::quiet_NaN();
  refused(options, 0, 10, "normal_sigma");
  options = options_of("plummer", 10);
  options.model.plummer_truncation = 0.0;
  refused(options, 0, 10, "plummer_truncation");
  options = options_of("soneira-peebles", 10);
  options.model.fractal_branching = 1;
  refused(options, 0, 10, "fractal_branching");
  options = options_of("nfw", 10);
  options.model.halo_fraction = 1.5;
  refused(options, 0, 10, "halo_fraction");
  CHECK_THROWS_AS(copse::generator_description("hernquist"), copse::InputError);
}

TEST_CASE("Every kind has a description, and every kind can make a single particle") {
  for (const std::string& kind : copse::generator_names()) {
    CHECK(!copse::generator_description(kind).empty());
    CHECK(generate_on_host(options_of(kind, 1)).size() == 1);
  }
}
