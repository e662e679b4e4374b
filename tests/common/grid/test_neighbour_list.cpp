// Neighbour lists against all pairs.
#include "common/grid/grid_points.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/grid/neighbour_list.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace copse;

namespace {

/// Partners of every row, ascending, by testing all pairs.
template <int D, class T, class View>
std::vector<std::vector<LocalIndex>> all_pairs(const View& points, T cutoff, bool periodic,
                                               ListKind kind) {
  const Count n = points.extent(0);
  const auto upper = test::grid_upper<D, T>();
  std::vector<std::vector<LocalIndex>> partners(n);
  for (Count i = 0; i < n; ++i)
    for (Count j = kind == ListKind::half ? i + 1 : 0; j < n; ++j) {
      T distance2 = 0;
      for (int a = 0; a < D; ++a) {
        T d = std::abs(points(i, a) - points(j, a));
        if (periodic) d = std::min(d, upper[a] - d);
        distance2 += d * d;
      }
      if (i != j && distance2 <= cutoff * cutoff) partners[i].push_back(static_cast<LocalIndex>(j));
    }
  return partners;
}

/// Partners of every row, ascending.
template <class Memory, LocalIndex Slice>
std::vector<std::vector<LocalIndex>> listed(const NeighbourList<Memory, Slice>& list) {
  const auto offsets = download(list.offsets);
  const auto counts = download(list.counts), partners = download(list.partners);
  const Count n = counts.size();
  REQUIRE(offsets.size() == (n + Slice - 1) / Slice + 1);
  REQUIRE(offsets.back() == partners.size());
  std::vector<std::vector<LocalIndex>> rows(n);
  for (Count i = 0; i < n; ++i) {
    REQUIRE(counts[i] * Slice <= offsets[i / Slice + 1] - offsets[i / Slice]);
    for (Count k = 0; k < counts[i]; ++k)
      rows[i].push_back(partners[offsets[i / Slice] + k * Slice + i % Slice]);
    std::sort(rows[i].begin(), rows[i].end());
  }
  return rows;
}

/// \param side of the cells
template <int D, class T, LocalIndex... Slices>
void compare_lists(Count n, double cutoff, double side) {
  const auto points = test::grid_points<D, T>(n, 3);
  for (const bool periodic : {false, true})
    for (const ListKind kind : {ListKind::full, ListKind::half}) {
      const auto expected = all_pairs<D, T>(points, static_cast<T>(cutoff), periodic, kind);
      const auto grid =
          CellGrid<D, T>::cover({}, test::grid_upper<D, T>(), side, periodic, Count{1000000});
      for_each_backend([&](const auto& space) {
        using Space = std::decay_t<decltype(space)>;
        CAPTURE(D, n, cutoff, side, periodic, kind == ListKind::half);
        CAPTURE(std::string(backend_name<Space>()));
        const auto position =
            Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, points);
        CellSorter<Space> sorter(space);
        const auto cells = sorter.template sort<D, T>(grid, position);
        const auto compare = [&](auto lister) {
          const auto list = lister.template build<D, T>(
              grid, cells, position, static_cast<T>(cutoff), kind, test::grid_upper<D, T>());
          space.fence();
          REQUIRE(listed(list) == expected);
        };
        compare(NeighbourLister<Space>(space));
        (compare(NeighbourLister<Space, Slices>(space)), ...);
      });
    }
}

}  // namespace

TEST_CASE("A list has every pair within the cutoff: full lists twice, half lists once", "[grid]") {
  compare_lists<1, double>(300, 0.05, 0.05);
  compare_lists<2, double>(600, 0.11, 0.11);
  compare_lists<3, double>(600, 0.25, 0.25);
  compare_lists<2, float>(600, 0.11, 0.11);
  compare_lists<3, float>(600, 0.25, 0.25);
}

TEST_CASE("Lists do not depend on the side of the cells", "[grid]") {
  for (const double side : {0.04, 0.1, 0.3, 3.0}) {
    compare_lists<2, double>(400, 0.15, side);
    compare_lists<3, double>(400, 0.3, side);
  }
}

TEST_CASE("Slices of any number of rows hold the same lists", "[grid]") {
  compare_lists<2, double, 1, 3, 32>(600, 0.11, 0.11);
  compare_lists<3, float, 1, 3, 32>(64, 0.25, 0.25);
  compare_lists<2, double, 1, 3, 32>(0, 0.4, 0.4);
}

TEST_CASE("Few rows and no row have lists", "[grid]") {
  for (const Count n : {0, 1, 2, 9}) compare_lists<2, double>(n, 0.4, 0.4);
}

TEST_CASE("A table in the order of cells needs no rows in its cell list", "[grid]") {
  const Count n = 500;
  const auto points = test::grid_points<2, double>(n, 9);
  const auto grid =
      CellGrid<2, double>::cover({}, test::grid_upper<2, double>(), 0.1, false, Count{1000});
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    CellSorter<Space> sorter(space);
    NeighbourLister<Space> lister(space);
    const auto first = sorter.template sort<2, double>(
        grid, Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, points));
    space.fence();
    const auto rows = download(first.rows);
    const auto sorted = Kokkos::create_mirror(points);
    for (Count k = 0; k < n; ++k)
      for (int a = 0; a < 2; ++a) sorted(k, a) = points(rows[k], a);
    const auto expected = all_pairs<2, double>(sorted, 0.1, false, ListKind::full);
    const auto list = lister.template build<2, double>(
        grid, {first.offsets, {}},
        Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, sorted), 0.1,
        ListKind::full);
    space.fence();
    REQUIRE(listed(list) == expected);
  });
}
