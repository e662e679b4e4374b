// Oracle: each list and each coordinate looked up in a loop.
#include "on_each_backend.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/particles/uniform_points.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace copse;
using namespace copse::test;

namespace {

std::vector<LocalIndex> shuffled(Count n) {
  std::vector<LocalIndex> rows(n);
  std::iota(rows.begin(), rows.end(), LocalIndex{0});
  std::shuffle(rows.begin(), rows.end(), std::mt19937(7));
  return rows;
}

template <int Dim, class Space>
void check_points(const Space& space, Count n, bool in_place) {
  const auto from = uniform_points<Dim>(space, 3, 0, n);
  const auto expected = uniform_points<Dim>(Kokkos::Serial{}, 3, 0, n);
  const auto rows = shuffled(n);
  const Points<Dim, typename Space::memory_space> other("copse::test::gathered", n);
  const auto to = in_place ? from : other;
  if constexpr (runs_on_host<Space>) {
    const Kokkos::View<Kokkos::Array<Real, Dim>*, typename Space::memory_space> scratch("scratch",
                                                                                        n);
    gather_points_through_rows("copse::test::gather", space, from, to, to_backend<Space>(rows),
                               scratch);
  } else {
    gather_rows("copse::test::gather", space, from, to, to_backend<Space>(rows));
  }
  space.fence();
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, to);
  Count wrong = 0;
  for (Count i = 0; i < n; ++i)
    for (int a = 0; a < Dim; ++a) wrong += found(i, a) != expected(rows[i], a);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("Points are gathered in the order of a permutation, on hosts also in place") {
  for_each_backend([]<class Space>(Space space) {
    for (const Count n : {Count{0}, Count{1}, Count{63}, Count{64}, Count{65}, Count{10000}}) {
      INFO(Space::name() << ", " << n << " points");
      check_points<3>(space, n, false);
      if (runs_on_host<Space>) check_points<3>(space, n, true);
    }
  });
}

TEST_CASE("On hosts a list of rows may be shorter or longer than the points, and repeat rows") {
  for_each_backend([]<class Space>(Space space) {
    if constexpr (runs_on_host<Space>) {
      constexpr Count n = 70;
      const auto from = uniform_points<2>(space, 4, 0, n);
      const Kokkos::View<Kokkos::Array<Real, 2>*, typename Space::memory_space> scratch("scratch",
                                                                                        n);
      for (const std::vector<LocalIndex>& rows :
           {std::vector<LocalIndex>{69, 3, 3}, std::vector<LocalIndex>(200, LocalIndex{69})}) {
        const Points<2, typename Space::memory_space> to("copse::test::gathered", rows.size());
        gather_points_through_rows("copse::test::gather", space, from, to, to_backend<Space>(rows),
                                   scratch);
        space.fence();
        for (Count i = 0; i < rows.size(); ++i)
          for (int a = 0; a < 2; ++a) REQUIRE(to(i, a) == from(rows[i], a));
      }
    }
  });
}

TEST_CASE("A permutation and its inverse undo each other") {
  for_each_backend([]<class Space>(Space space) {
    constexpr Count n = 1000;
    const auto rows = shuffled(n);
    using List = Kokkos::View<LocalIndex*, typename Space::memory_space>;
    const List permutation = to_backend<Space>(rows), inverse = to_backend<Space>(rows);
    invert_permutation(space, permutation, inverse);
    space.fence();
    const auto found = to_host(inverse);
    for (Count i = 0; i < n; ++i) REQUIRE(found[rows[i]] == i);
  });
}
