/// Versions of the book's kernels against plain loops.

#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <count_left.hpp>
#include <join_links.hpp>
#include <numeric>
#include <random>
#include <vector>

namespace copse::book {
namespace {

template <class T>
using HostView = Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

TEST_CASE("Every version of counting left counts as std::count_if, for any number of keys") {
  std::mt19937 random(8);
  for (const std::size_t n : {0U, 1U, 15U, 16U, 17U, 1000U, 4097U, 100000U}) {
    HostView<Real> host("copse::book::keys", n);
    for (std::size_t i = 0; i < n; ++i)
      host(i) = i % 7 == 0 ? Real(0.5) : static_cast<Real>(random() % 1024) / 1024;
    const auto expected = [&](Real cut) {
      return static_cast<Count>(
          std::count_if(host.data(), host.data() + n, [cut](Real key) { return key <= cut; }));
    };
    SevenCuts cuts;
    for (int c = 0; c < 7; ++c) cuts[c] = static_cast<Real>(c + 1) / 8;
    for (const Real cut : {Real(-1), Real(0), Real(0.5), Real(2)}) {
      CHECK(count_left_branching(host.data(), n, cut) == expected(cut));
      CHECK(count_left_adding(host.data(), n, cut) == expected(cut));
    }
    for_each_backend([&](auto space) {
      using Space = decltype(space);
      const auto there = Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, host);
      const Keys<Space> keys(there.data(), n);
      for (const Real cut : {Real(-1), Real(0), Real(0.5), Real(2)}) {
        CHECK(count_left_reduced(space, keys, cut) == expected(cut));
        CHECK(count_left_wide(space, keys, cut) == expected(cut));
      }
      const SevenCounts seven = count_left_of_seven(space, keys, cuts);
      for (int c = 0; c < 7; ++c) CHECK(seven[c] == expected(cuts[c]));
    });
  }
}

TEST_CASE("Every version of joining links leaves the smallest row of each set") {
  std::mt19937 random(9);
  const LocalIndex rows = 5000, per_row = 2;
  HostView<LocalIndex> to("copse::book::to", rows * per_row);
  // Two links per row, mostly to nearby rows; every fifth row of the upper half has none but
  // itself.
  for (LocalIndex k = 0; k < rows * per_row; ++k) {
    const LocalIndex row = k / per_row;
    const bool alone = row > rows / 2 && row % 5 == 0;
    const auto near = static_cast<LocalIndex>(row - row % 100 + random() % 100);
    to(k) = alone ? row : random() % 1000 == 0 ? static_cast<LocalIndex>(random() % rows) : near;
  }
  std::vector<LocalIndex> expected(rows);
  std::iota(expected.begin(), expected.end(), LocalIndex{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (LocalIndex k = 0; k < rows * per_row; ++k) {
      LocalIndex& a = expected[k / per_row];
      LocalIndex& b = expected[to(k)];
      changed = changed || a != b;
      a = b = std::min(a, b);
    }
  }
  REQUIRE(*std::max_element(expected.begin(), expected.end()) > 0);
  for_each_backend([&](auto space) {
    using Memory = typename decltype(space)::memory_space;
    const Links<Memory> links{per_row, Kokkos::create_mirror_view_and_copy(Memory{}, to)};
    for (const Joining joining : {Joining::plain, Joining::shortened, Joining::by_row}) {
      const Parents<Memory> parent("copse::book::parent", rows);
      join_links(space, joining, links, parent);
      const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, parent);
      CHECK(std::equal(expected.begin(), expected.end(), found.data()));
    }
  });
}

}  // namespace
}  // namespace copse::book
