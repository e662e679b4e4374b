#include <copse/backend/backends.hpp>
#include <copse/particles/compressed_positions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace copse;

namespace {

constexpr int all_bits[] = {32, 21, 16};

/// A unit box, boxes far from the origin and across it, a flat one, and a tiny one.
std::vector<Box<3>> boxes() {
  const Real third = Real(1) / 3;
  std::vector<Box<3>> all{unit_box<3>()};
  all.push_back({{-3000, 10, -1}, {5000, 4010, 1}, {}});
  all.push_back({{1000, Real(1e6), -third}, {1001, Real(1e6) + 1, Real(0.1)}, {}});
  all.push_back({{Real(-1e-6), 0, 5}, {Real(3e-6), Real(1e-9), 5}, {}});
  return all;
}

/// Coordinates in the box: at its faces, beside them, everywhere, and crowded at the lower face.
std::vector<Real> coordinates(const Box<3>& box, int axis) {
  const Real low = box.lower[axis], high = box.upper[axis];
  std::vector<Real> all{low, high, std::min(high, std::nextafter(low, high)),
                        std::max(low, std::nextafter(high, low))};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 20000; ++i) {
    const double u = uniform(random);
    const double share = i % 2 ? u : std::pow(u, 12);
    const Real x = static_cast<Real>(low + share * (static_cast<double>(high) - low));
    all.push_back(std::clamp(x, low, high));
  }
  return all;
}

/// Calls f(grid, axis, coordinates) for every number of bits, box and axis.
template <class F>
void for_each_axis(const F& f) {
  for (int bits : all_bits)
    for (const Box<3>& box : boxes()) {
      const FixedPoint grid = fixed_point(box, bits);
      for (int axis = 0; axis < 3; ++axis) {
        INFO(bits << " bits, from " << box.lower[axis] << " to " << box.upper[axis]);
        f(grid, axis, coordinates(box, axis));
      }
    }
}

}  // namespace

// Oracle: the sides of the box divided by 2^bits - 1, and the spacing of Real.
TEST_CASE("A coordinate in fixed point differs by at most half a step and the rounding to Real") {
  for_each_axis([](const FixedPoint& grid, int axis, const std::vector<Real>& all) {
    const double low = grid.lower[axis], high = grid.upper[axis];
    const double step = (high - low) / (std::pow(2.0, grid.bits) - 1);
    int wrong = 0;
    double largest = 0;
    for (const Real x : all) {
      const Real y = grid.decompress(grid.compress(x, axis), axis);
      const double change = std::abs(static_cast<double>(y) - static_cast<double>(x));
      const Real next = std::nextafter(std::abs(y), std::numeric_limits<Real>::max());
      const double spacing = static_cast<double>(next) - std::abs(static_cast<double>(y));
      wrong += !(change <= step / 2 * (1 + 1e-5) + spacing / 2);
      wrong += y < low || y > high;
      largest = std::max(largest, change);
    }
    CHECK(wrong == 0);
    // The bound is met where Real is finer than the step.
    if (grid.bits == 16 && step > 1e-5 * std::max(std::abs(low), std::abs(high)))
      CHECK(largest > 0.45 * step);
  });
}

TEST_CASE("Decompressed coordinates do not change when they are compressed again") {
  for_each_axis([](const FixedPoint& grid, int axis, const std::vector<Real>& all) {
    int changed = 0;
    for (const Real x : all) {
      const Real once = grid.decompress(grid.compress(x, axis), axis);
      changed += grid.decompress(grid.compress(once, axis), axis) != once;
    }
    CHECK(changed == 0);
  });
}

TEST_CASE("Fixed point keeps the order of coordinates, and the lower face") {
  for_each_axis([](const FixedPoint& grid, int axis, std::vector<Real> all) {
    std::sort(all.begin(), all.end());
    int wrong = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const auto before = grid.compress(all[i - 1], axis), here = grid.compress(all[i], axis);
      wrong += before > here || grid.decompress(before, axis) > grid.decompress(here, axis);
    }
    CHECK(wrong == 0);
    CHECK(grid.compress(all.front(), axis) == 0);
    CHECK(grid.decompress(0, axis) == all.front());
    CHECK(grid.compress(all.back(), axis) <= std::ldexp(1.0, grid.bits) - 1);
  });
}

TEST_CASE("Three numbers take 12, 8 or 6 bytes, and are read back") {
  CHECK(triple_bytes(32) == 12);
  CHECK(triple_bytes(21) == 8);
  CHECK(triple_bytes(16) == 6);
  std::mt19937 random(3);
  for (int bits : all_bits) {
    constexpr Count n = 100;
    const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
    std::vector<std::uint32_t> numbers(3 * n);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      numbers[k] = k < 6 ? (k % 2 ? mask : 0) : static_cast<std::uint32_t>(random()) & mask;
    std::vector<std::uint64_t> room(n * triple_bytes(bits) / 8 + 1, 0x5a5a5a5a5a5a5a5a);
    auto* const bytes = reinterpret_cast<std::byte*>(room.data());
    for (Count i = 0; i < n; ++i)
      write_triple(bytes, bits, i, numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
    int wrong = 0;
    for (Count k = 0; k < 3 * n; ++k) wrong += number_at(bytes, bits, k) != numbers[k];
    CHECK(wrong == 0);
    for (Count b = n * triple_bytes(bits); b < 8 * room.size(); ++b)
      wrong += bytes[b] != std::byte{0x5a};
    CHECK(wrong == 0);
  }
}

// Oracle: the conversion of single coordinates on the host.
TEST_CASE("Positions are rounded, compressed and decompressed alike on every backend") {
  for (int bits : all_bits)
    for (const Box<3>& box : boxes()) {
      const FixedPoint grid = fixed_point(box, bits);
      const Count n = coordinates(box, 0).size();
      Points<3, Kokkos::HostSpace> given("copse::test::given", n);
      double largest = 0;
      for (int a = 0; a < 3; ++a) {
        const auto all = coordinates(box, a);
        const double side = static_cast<double>(box.upper[a]) - box.lower[a];
        for (Count i = 0; i < n; ++i) {
          given(i, a) = all[i];
          const Real y = grid.decompress(grid.compress(all[i], a), a);
          if (side > 0)
            largest = std::max(
                largest, std::abs(static_cast<double>(y) - static_cast<double>(all[i])) / side);
        }
      }
      for_each_backend([&]<class Space>(const Space& space) {
        INFO(backend_name<Space>() << ", " << bits << " bits");
        using Memory = typename Space::memory_space;
        Points<3, Memory> rounded("copse::test::rounded", n), back("copse::test::back", n);
        Kokkos::deep_copy(rounded, given);
        CHECK(round_positions(space, grid, rounded) == largest);
        const CompressedPositions<Memory> packed("copse::test::packed", n * triple_bytes(bits));
        compress(space, grid, rounded, packed);
        decompress(space, grid, packed, back);
        space.fence();
        const auto rounded_here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, rounded);
        const auto back_here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, back);
        int wrong = 0;
        for (int a = 0; a < 3; ++a)
          for (Count i = 0; i < n; ++i) {
            wrong += rounded_here(i, a) != grid.decompress(grid.compress(given(i, a), a), a);
            wrong += back_here(i, a) != rounded_here(i, a);
          }
        CHECK(wrong == 0);
      });
    }
}
