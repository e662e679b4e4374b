// The rows of each cell against a pass over all rows.
#include "common/grid/grid_points.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/grid/cell_list.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace copse;

namespace {

template <int D, class T>
void compare_cells(Count n, double side) {
  const auto points = test::grid_points<D, T>(n, 5);
  const auto grid =
      CellGrid<D, T>::cover({}, test::grid_upper<D, T>(), side, false, Count{1000000});
  std::vector<std::vector<LocalIndex>> expected(grid.size());
  for (Count i = 0; i < n; ++i)
    expected[grid.cell_of(test::point_of<D, T>(points, i))].push_back(static_cast<LocalIndex>(i));
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    CAPTURE(D, n, side, std::string(backend_name<Space>()));
    const auto position =
        Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, points);
    CellSorter<Space> sorter(space);
    for (int again = 0; again < 2; ++again) {  // arrays are reused
      const auto list = sorter.template sort<D, T>(grid, position);
      space.fence();
      const auto offsets = download(list.offsets), rows = download(list.rows);
      REQUIRE(offsets.size() == grid.size() + 1);
      for (Count c = 0; c < grid.size(); ++c)
        REQUIRE(std::vector<LocalIndex>(rows.begin() + offsets[c], rows.begin() + offsets[c + 1]) ==
                expected[c]);
    }
  });
}

}  // namespace

TEST_CASE("A cell's list has exactly its rows, ascending", "[grid]") {
  compare_cells<1, double>(500, 0.01);
  compare_cells<2, double>(1000, 0.05);
  compare_cells<3, float>(1000, 0.2);
  compare_cells<2, float>(1, 0.3);
  compare_cells<2, double>(0, 0.3);
}

TEST_CASE("A crowded cell is sorted too", "[grid]") {
  compare_cells<2, double>(3000, 0.9);
}
