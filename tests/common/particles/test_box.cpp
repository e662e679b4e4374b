// Oracle: sides chosen here.
#include <copse/particles/box.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace copse;

TEST_CASE("A box with a side that is longer or shorter by three tolerances is no cube") {
  Box<3> box = unit_box<3>();
  CHECK(is_cube(box));
  for (const double sign : {-1.0, 1.0})
    for (int a = 0; a < 3; ++a) {
      box.upper[a] = static_cast<Real>(1.0 + sign * 0.5 * cube_tolerance);
      CHECK(is_cube(box));
      box.upper[a] = static_cast<Real>(1.0 + sign * 3.0 * cube_tolerance);
      CHECK_FALSE(is_cube(box));
      box.upper[a] = 1;
    }
}
