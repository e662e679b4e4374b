// Oracle: a species column written down by hand.
#include <copse/io/species_rows.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace copse;
using Rows = std::vector<LocalIndex>;

TEST_CASE("Rows are listed by species in ascending order") {
  const auto p = allocate_particles<Kokkos::HostSpace>(5, {.species = true});
  p.species(0) = Species::star;
  p.species(1) = Species::gas;
  p.species(2) = Species::other;
  p.species(3) = Species::star;
  p.species(4) = Species::dark;
  const auto [gas, dark, star, other] = io::rows_by_species(p);
  CHECK(gas == Rows{1});
  CHECK(dark == Rows{4});
  CHECK(star == Rows{0, 3});
  CHECK(other == Rows{2});
}

TEST_CASE("Particles of unknown species count as dark") {
  const auto rows = io::rows_by_species(allocate_particles<Kokkos::HostSpace>(3));
  CHECK(rows[static_cast<int>(Species::dark)] == Rows{0, 1, 2});
}
