#include "on_each_backend.hpp"
#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/particles/uniform_points.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <set>

namespace copse::test {
namespace {

template <int Dim>
CurveCell<Dim> random_cell(std::mt19937_64& random) {
  CurveCell<Dim> cell{};
  for (int a = 0; a < Dim; ++a)
    cell[a] = static_cast<CurveCoordinate<Dim>>(random() >> (64 - curve_bits<Dim>));
  return cell;
}

template <int Dim>
bool equal(const CurveCell<Dim>& a, const CurveCell<Dim>& b) {
  for (int axis = 0; axis < Dim; ++axis)
    if (a[axis] != b[axis]) return false;
  return true;
}

/// Oracle: the definition, bit by bit.
template <int Dim>
std::uint64_t interleaved(const CurveCell<Dim>& cell) {
  std::uint64_t key = 0;
  for (int b = 0; b < curve_bits<Dim>; ++b)
    for (int a = 0; a < Dim; ++a)
      key |= static_cast<std::uint64_t>((cell[a] >> b) & 1) << (b * Dim + a);
  return key;
}

/// By Skilling's steps on the words of a key.
template <int Dim>
std::uint64_t hilbert_key(const CurveCell<Dim>& cell, int bits = curve_bits<Dim>) {
  CurveCells<Dim, 1> one;
  for (int a = 0; a < Dim; ++a) one.word[a][0] = cell[a];
  std::uint64_t key[1] = {};
  hilbert_keys(one, key, bits);
  return key[0];
}

template <int Dim>
CurveCell<Dim> cell_of_number(std::uint64_t number, int bits) {
  CurveCell<Dim> cell{};
  for (int a = 0; a < Dim; ++a)
    cell[a] = static_cast<CurveCoordinate<Dim>>((number >> (a * bits)) & ((1u << bits) - 1));
  return cell;
}

TEMPLATE_TEST_CASE_SIG("Morton keys are the interleaved bits, and convert back to their cells", "",
                       ((int Dim), Dim), 1, 2, 3, 4, 5, 6, 7, 8) {
  std::mt19937_64 random(7);
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto cell = random_cell<Dim>(random);
    const std::uint64_t key = morton_key<Dim>(cell);
    wrong += key != interleaved<Dim>(cell) || !equal<Dim>(morton_cell<Dim>(key), cell);
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE_SIG("The parts of a cell have all the Hilbert digits, at every level", "",
                       ((int Dim), Dim), 1, 2, 3, 4, 5, 6, 7, 8) {
  std::mt19937_64 random(8);
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    const auto cell = random_cell<Dim>(random);
    const std::uint64_t key = hilbert_key<Dim>(cell);
    wrong += key >> (Dim * curve_bits<Dim>) != 0;
    // So no two cells share a key: at the level where their paths part, their digits differ.
    for (int level = 0; level < curve_bits<Dim>; ++level) {
      std::set<std::uint64_t> digits;
      for (std::uint64_t part = 0; part < std::uint64_t{1} << Dim; ++part) {
        auto other = cell;
        for (int a = 0; a < Dim; ++a) {
          const auto bit = static_cast<CurveCoordinate<Dim>>((part >> a) & 1);
          const CurveCoordinate<Dim> mask = CurveCoordinate<Dim>{1} << level;
          other[a] = (cell[a] & ~mask) | (bit << level);
        }
        const std::uint64_t digit = hilbert_key<Dim>(other) >> (Dim * level);
        wrong += digit >> Dim != key >> (Dim * level) >> Dim;
        digits.insert(digit);
      }
      wrong += digits.size() != std::size_t{1} << Dim;
    }
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE_SIG("The Hilbert curve visits every cell, stepping between adjacent cells", "",
                       ((int Dim), Dim), 2, 3, 4) {
  for (int bits = 1; bits * Dim <= 12; ++bits) {
    INFO(Dim << " dimensions, " << bits << " bits");
    const std::uint64_t cells = std::uint64_t{1} << (bits * Dim);
    std::vector<CurveCell<Dim>> visited(cells);
    std::set<std::uint64_t> keys;
    for (std::uint64_t c = 0; c < cells; ++c) {
      const auto cell = cell_of_number<Dim>(c, bits);
      const std::uint64_t key = hilbert_key<Dim>(cell, bits);
      REQUIRE(key < cells);
      keys.insert(key);
      visited[key] = cell;
    }
    CHECK(keys.size() == cells);
    int jumps = 0;
    for (std::uint64_t k = 1; k < cells; ++k) {
      std::int64_t distance = 0;
      for (int a = 0; a < Dim; ++a)
        distance += std::abs(static_cast<std::int64_t>(visited[k][a]) -
                             static_cast<std::int64_t>(visited[k - 1][a]));
      jumps += distance != 1;
    }
    CHECK(jumps == 0);
  }
}

// Oracle: the same keys without a table.
TEMPLATE_TEST_CASE_SIG("The table of turns gives the Hilbert keys, in grids of every size", "",
                       ((int Dim), Dim), 2, 3) {
  std::mt19937_64 random(10);
  int wrong = 0;
  for (int bits = 1; bits <= curve_bits<Dim>; ++bits)
    for (int i = 0; i < 500; ++i) {
      auto cell = random_cell<Dim>(random);
      for (int a = 0; a < Dim; ++a) cell[a] >>= curve_bits<Dim> - bits;
      wrong += copse::hilbert_key<Dim>(cell, bits) != hilbert_key<Dim>(cell, bits);
    }
  CHECK(wrong == 0);
}

// Octrees rely on this: the digits of a key, most significant first, descend the cells.
TEST_CASE("Cells of one coarse cell share the first digits of their keys on both curves") {
  std::mt19937_64 random(9);
  for (int i = 0; i < 500; ++i) {
    auto cell = random_cell<3>(random);
    const int low_bits = static_cast<int>(random() % curve_bits<3>);
    const std::uint64_t morton = morton_key<3>(cell) >> (3 * low_bits);
    const std::uint64_t hilbert = hilbert_key<3>(cell) >> (3 * low_bits);
    for (int a = 0; a < 3; ++a) cell[a] ^= static_cast<std::uint32_t>(random()) % (1u << low_bits);
    REQUIRE(morton_key<3>(cell) >> (3 * low_bits) == morton);
    REQUIRE(hilbert_key<3>(cell) >> (3 * low_bits) == hilbert);
  }
}

TEST_CASE("A grid has cubic cells of the longest side, and clamps points outside") {
  Box<3> box;
  box.lower = {Real(-2), Real(10), Real(0)};
  box.upper = {Real(6), Real(12), Real(0)};
  const CurveGrid<3> grid(box);
  CHECK(grid.side == 8.0);
  using Cell = std::vector<std::uint32_t>;
  const auto cell = [&](double x, double y, double z) {
    const auto c = grid.cell(Kokkos::Array<double, 3>{x, y, z});
    return Cell{c[0], c[1], c[2]};
  };
  constexpr std::uint32_t cells = 1u << 21;
  CHECK(cell(-2, 10, 0) == Cell{0, 0, 0});
  CHECK(cell(2, 12, 0) == Cell{cells / 2, cells / 4, 0});
  CHECK(cell(6, 12, 1) == Cell{cells - 1, cells / 4, cells / 8});
  CHECK(cell(-3, 1e30, -1e300) == Cell{0, cells - 1, 0});
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(cell(infinity, -infinity, std::nan("")) == Cell{cells - 1, 0, 0});
}

TEST_CASE(
    "A grid without extent has one cell, one of the smallest extent distinguishes its faces") {
  Box<2> box;
  const Kokkos::Array<Real, 2> origin{};
  CHECK(CurveGrid<2>(box).cell(origin)[0] == 0);
  CHECK(CurveGrid<2>(box).cell(Kokkos::Array<Real, 2>{Real(1), Real(1)})[1] == 0);
  const Real tiny = std::numeric_limits<Real>::min();
  box.upper = {tiny, tiny};
  const CurveGrid<2> grid(box);
  CHECK(grid.cell(origin)[0] == 0);
  CHECK(grid.cell(Kokkos::Array<Real, 2>{tiny, tiny})[0] > 0);
  const Real huge = std::numeric_limits<Real>::max();
  box.lower = {-huge, -huge};
  box.upper = {huge, huge};
  const auto corner = CurveGrid<2>(box).cell(box.lower);
  CHECK(corner[0] == 0);
  CHECK(corner[1] == 0);
}

template <int Dim>
void check_order(Curve curve, Count n) {
  auto points = uniform_points<Dim>(Kokkos::Serial{}, 3, 0, n);
  for (Count i = 0; i < n / 4; ++i)  // equal keys: the rows must keep their order
    for (int a = 0; a < Dim; ++a) points(i * 3, a) = points(i, a);
  const Box<Dim> box = unit_box<Dim>();
  const CurveGrid<Dim> grid(box);
  std::vector<std::uint64_t> keys(n);
  for (Count i = 0; i < n; ++i) {
    Kokkos::Array<Real, Dim> x{};
    for (int a = 0; a < Dim; ++a) x[a] = points(i, a);
    const auto cell = grid.cell(x);
    keys[i] = curve == Curve::morton ? interleaved<Dim>(cell) : hilbert_key<Dim>(cell);
  }
  std::vector<LocalIndex> expected(n);
  std::iota(expected.begin(), expected.end(), LocalIndex{0});
  std::stable_sort(expected.begin(), expected.end(),
                   [&](LocalIndex a, LocalIndex b) { return keys[a] < keys[b]; });

  for_each_backend([&]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    INFO(backend_name<Space>() << ", " << Dim << " dimensions, n = " << n);
    const auto there = Kokkos::create_mirror_view_and_copy(Memory{}, points);
    Kokkos::View<std::uint64_t*, Memory> key_view("copse::test::keys", n);
    Kokkos::View<LocalIndex*, Memory> order("copse::test::order", n);
    Workspace<Memory> workspace;
    curve_keys(space, there, box, curve, key_view);
    CHECK(to_host(key_view) == keys);
    curve_order(space, there, box, curve, key_view, order, workspace);
    CHECK(to_host(order) == expected);
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    CHECK(to_host(key_view) == sorted);
    constexpr int levels = 3;
    auto coarse = expected;
    std::iota(coarse.begin(), coarse.end(), LocalIndex{0});
    const auto coarse_key = [&](LocalIndex i) {
      return keys[i] >> (Dim * (curve_bits<Dim> - levels));
    };
    std::stable_sort(coarse.begin(), coarse.end(),
                     [&](LocalIndex a, LocalIndex b) { return coarse_key(a) < coarse_key(b); });
    curve_order(space, there, box, curve, key_view, order, workspace, levels);
    CHECK(to_host(order) == coarse);
  });
}

// Oracle: std::stable_sort of the rows by their keys.
TEMPLATE_TEST_CASE_SIG("The order along a curve is the stable sort by keys on every backend", "",
                       ((int Dim), Dim), 2, 3, 5, 8) {
  for (const Curve curve : {Curve::morton, Curve::hilbert})
    for (const Count n : {0, 1, 2, 1000, 40000}) check_order<Dim>(curve, n);
}

}  // namespace
}  // namespace copse::test
