#include "generated_on_host.hpp"
#include <copse/particles/uniform_points.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <type_traits>

using copse::Count;

// Oracle: the uniform distribution along each axis (Kolmogorov and Smirnov at 0.1 %), the rows of
// the whole for a slice, and the Serial backend for the others.
TEMPLATE_TEST_CASE_SIG("Points are uniform, sliceable and the same on every backend", "",
                       ((int Dim), Dim), 1, 2, 3, 5, 7, 8) {
  const Count n = 20000;
  const auto whole = copse::uniform_points<Dim>(Kokkos::Serial{}, 6, 0, n);
  for (int a = 0; a < Dim; ++a) {
    std::vector<double> x(n);
    for (Count i = 0; i < n; ++i) x[i] = whole(i, a);
    CHECK(*std::max_element(x.begin(), x.end()) < 1.0);
    CHECK(copse_test::kolmogorov_distance(x, [](double u) { return u; }) <
          copse_test::kolmogorov_limit(n));
  }
  copse::for_each_backend([&](auto space) {
    const auto there = copse::uniform_points<Dim>(space, 6, 777, 1000);
    const auto slice = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, there);
    Count different = 0;
    for (Count i = 0; i < 1000; ++i)
      for (int a = 0; a < Dim; ++a) different += slice(i, a) != whole(777 + i, a);
    CHECK(different == 0);
  });
}
