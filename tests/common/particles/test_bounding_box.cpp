#include <copse/backend/backends.hpp>
#include <copse/particles/bounding_box.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <random>

using namespace copse;

TEST_CASE("The bounding box is tight on every backend") {
  std::mt19937 random(1);
  std::uniform_real_distribution<Real> uniform(-5, 3);
  for (Count n : {1, 2, 33, 10000}) {
    Points<3, Kokkos::HostSpace> points("copse::test::points", n);
    Box<3> expected;
    for (Count i = 0; i < n; ++i)
      for (int a = 0; a < 3; ++a) {
        const Real x = uniform(random) * static_cast<Real>(a + 1);
        points(i, a) = x;
        expected.lower[a] = i == 0 ? x : std::min(expected.lower[a], x);
        expected.upper[a] = i == 0 ? x : std::max(expected.upper[a], x);
      }
    for_each_backend([&]<class Space>(Space space) {
      INFO(backend_name<Space>() << ", n = " << n);
      const auto there =
          Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, points);
      const Box<3> box = bounding_box(space, there);
      for (int a = 0; a < 3; ++a) {
        CHECK(box.lower[a] == expected.lower[a]);
        CHECK(box.upper[a] == expected.upper[a]);
      }
    });
  }
}

TEST_CASE("The bounding box of no points is the unit box") {
  const Box<2> box =
      bounding_box(Kokkos::Serial{}, Points<2, Kokkos::HostSpace>("copse::test::points", 0));
  CHECK(box.lower[1] == Real{0});
  CHECK(box.upper[1] == Real{1});
}

TEST_CASE("Zeros of both signs give the bits of a positive zero") {
  for_each_backend([&]<class Space>(Space space) {
    Points<1, Kokkos::HostSpace> points("copse::test::points", 2);
    points(0, 0) = -Real{0};
    points(1, 0) = -Real{0};
    const auto there = Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, points);
    const Box<1> box = bounding_box(space, there);
    CHECK_FALSE(std::signbit(box.lower[0]));
    CHECK_FALSE(std::signbit(box.upper[0]));
  });
}
