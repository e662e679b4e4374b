#include <copse/backend/backends.hpp>
#include <copse/particles/points.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <limits>
#include <orb/count/count_left.hpp>
#include <random>
#include <vector>

namespace copse::test {

using namespace orb;
namespace {

struct Cell {
  Segment rows;
  int axis;
  Real cut;
};

template <class Memory>
struct SetTrials {
  CutTrials<Memory> trials;
  Kokkos::View<Cell*, Memory> cells;
  Points<3, Memory> points;
  KOKKOS_FUNCTION void operator()(Count s) const {
    trials.segments(s) = cells(s).rows;
    trials.column(s) = AxisColumn{points.data() + points.stride(1) * cells(s).axis};
    trials.cut(s) = cells(s).cut;
    trials.left(s) = 0;
  }
};

/// Counts twice on one backend and compares with std::count_if.
template <class Space>
void check_counts(const Space& space, CountMethod method, const std::vector<Cell>& cells,
                  const Points<3, Kokkos::HostSpace>& x) {
  using Memory = typename Space::memory_space;
  const Count n = cells.size();
  CutTrials<Memory> trials;
  trials.segments = Segments<Memory>("copse::test::segments", n);
  trials.column = decltype(trials.column)("copse::test::column", n);
  trials.cut = decltype(trials.cut)("copse::test::cut", n);
  trials.left = decltype(trials.left)("copse::test::left", n);
  trials.rows = x.extent(0);
  const auto points = Kokkos::create_mirror_view_and_copy(Memory{}, x);
  const Kokkos::View<Cell*, Memory> given("copse::test::cells", n);
  Kokkos::View<const Cell*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(cells.data(), n);
  Kokkos::deep_copy(given, host);
  Kokkos::parallel_for("copse::test::set_trials", Kokkos::RangePolicy<Space>(space, 0, n),
                       SetTrials<Memory>{trials, given, points});
  Workspace<Memory> workspace;
  CountLeft<Space> count(method);
  count.prepare(space, trials, workspace);
  for (int repeat = 0; repeat < 2; ++repeat) {
    Kokkos::deep_copy(space, trials.left, Count{0});
    count.run(space, trials);
    const auto left = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, trials.left);
    for (Count s = 0; s < n; ++s) {
      const Real* keys = x.data() + x.stride(1) * cells[s].axis;
      const auto expected = std::count_if(keys + cells[s].rows.begin, keys + cells[s].rows.end,
                                          [&](Real k) { return k <= cells[s].cut; });
      INFO("cell " << s << ", rows " << cells[s].rows.begin << " to " << cells[s].rows.end);
      CHECK(left(s) == static_cast<Count>(expected));
    }
  }
}

template <class F>
void for_each_kernel(const F& f) {
  for_each_backend([&]<class Space>(const Space& space) {
    for (CountMethod method : {CountMethod::per_cell, CountMethod::batched, CountMethod::warp}) {
      INFO(backend_name<Space>() << ", " << count_names()[static_cast<int>(method)]);
      f(space, method);
    }
  });
}

TEST_CASE("Counts equal those of std::count_if, wherever a cell begins and ends") {
  // An odd number of rows: columns 1 and 2 begin off a 16-byte boundary.
  const Count n = 50003;
  std::mt19937 bits(5);
  Points<3, Kokkos::HostSpace> x("copse::test::points", n);
  for (Count i = 0; i < n; ++i)
    for (int a = 0; a < 3; ++a) x(i, a) = static_cast<Real>(bits() % 1000) / Real(1000);
  std::vector<Cell> cells;
  Count begin = 0;
  for (Count size : {0, 1, 2, 3, 4, 5, 4095, 4096, 4097, 8192, 1, 12289, 7, 9000}) {
    cells.push_back({{begin, begin + size},
                     static_cast<int>(cells.size() % 3),
                     static_cast<Real>(bits() % 1000) / Real(1000)});
    begin += size;
  }
  REQUIRE(begin <= n);
  cells.push_back({{begin, n}, 2, Real(0.5)});
  for_each_kernel([&](const auto& space, CountMethod m) { check_counts(space, m, cells, x); });
}

TEST_CASE("Cells without a cut are not counted, and the sign of zero does not matter") {
  constexpr Real smallest = std::numeric_limits<Real>::denorm_min();
  const std::vector<Real> keys{-Real(0), Real(0), smallest, -smallest, Real(1), -Real(1)};
  const Count n = keys.size();
  Points<3, Kokkos::HostSpace> x("copse::test::points", 4 * n);
  for (Count i = 0; i < 4 * n; ++i)
    for (int a = 0; a < 3; ++a) x(i, a) = keys[i % n];
  const std::vector<Cell> cells{{{0, n}, 0, std::numeric_limits<Real>::quiet_NaN()},
                                {{n, 2 * n}, 1, Real(0)},
                                {{2 * n, 3 * n}, 2, -Real(0)},
                                {{3 * n, 4 * n}, 0, -smallest}};
  for_each_kernel([&](const auto& space, CountMethod m) { check_counts(space, m, cells, x); });
}

}  // namespace
}  // namespace copse::test
