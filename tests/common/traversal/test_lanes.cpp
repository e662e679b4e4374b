// Oracle: the same operation on each element separately.
#include <copse/backend/lanes.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace copse::test {
namespace {

template <class T>
LaneVector<T, vector_lanes> random_lanes(unsigned seed) {
  std::mt19937 random(seed);
  LaneVector<T, vector_lanes> lanes;
  for (int l = 0; l < vector_lanes; ++l) lanes.set(l, static_cast<T>(random() % 7));
  return lanes;
}

template <class T>
void check_type() {
  const auto a = random_lanes<T>(1), b = random_lanes<T>(2);
  for (int l = 0; l < vector_lanes; ++l) {
    const auto bit = [&](auto mask) { return ((mask.bits() >> l) & 1u) != 0; };
    CHECK((a + b)[l] == a[l] + b[l]);
    CHECK((a - b)[l] == static_cast<T>(a[l] - b[l]));
    CHECK((a * b)[l] == a[l] * b[l]);
    CHECK(bit(a < b) == (a[l] < b[l]));
    CHECK(bit(a <= b) == (a[l] <= b[l]));
    CHECK(bit(a > b) == (a[l] > b[l]));
    CHECK(bit(a >= b) == (a[l] >= b[l]));
    CHECK(bit(a == b) == (a[l] == b[l]));
    CHECK(bit((a < b) | (a == b)) == (a[l] <= b[l]));
    CHECK(bit((a <= b) & (a >= b)) == (a[l] == b[l]));
    CHECK(bit(!(a < b)) == (a[l] >= b[l]));
    CHECK(select(a < b, a, b)[l] == std::min(a[l], b[l]));
    CHECK(lane_min(a, b)[l] == std::min(a[l], b[l]));
    CHECK(lane_max(a, b)[l] == std::max(a[l], b[l]));
  }
  CHECK(any(a == a));
  CHECK_FALSE(any(a < a));
}

TEST_CASE("Vectors of lanes compute what their lanes compute") {
  check_type<float>();
  check_type<double>();
  check_type<std::uint32_t>();
}

template <class T>
void check_nan() {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const LaneVector<T, vector_lanes> numbers(T(3)), nans(nan);
  for (int l = 0; l < vector_lanes; ++l) {
    CHECK(lane_min(nans, numbers)[l] == T(3));
    CHECK(lane_max(nans, numbers)[l] == T(3));
    CHECK(std::isnan(lane_min(numbers, nans)[l]));
    CHECK(std::isnan(lane_max(numbers, nans)[l]));
  }
}

TEST_CASE("Of a NaN and another number, minimum and maximum return the second") {
  check_nan<float>();
  check_nan<double>();
}

TEST_CASE("A mask keeps the bits it was made of") {
  using Mask = LaneMask<vector_lanes>;
  for (std::uint32_t bits : {0u, 1u, 0x8000u, 0x1234u, 0xffffu})
    CHECK(Mask::from_bits(bits).bits() == bits);
  CHECK(Mask(true).bits() == 0xffffu);
  CHECK(Mask(false).bits() == 0u);
}

TEST_CASE("Fused multiplication and roots round once in every lane") {
  LaneVector<Real, vector_lanes> a, b, c;
  for (int l = 0; l < vector_lanes; ++l) {
    a.set(l, Real(1) + Real(l) / 3);
    b.set(l, Real(1) / Real(l + 7));
    c.set(l, -a[l] * b[l]);  // the fma then returns the product's rounding error
  }
  const auto fused = lane_fma(a, b, c);
  const auto roots = lane_sqrt(a);
  for (int l = 0; l < vector_lanes; ++l) {
    CHECK(fused[l] == std::fma(a[l], b[l], c[l]));
    CHECK(roots[l] == std::sqrt(a[l]));
  }
  CHECK(std::signbit(LaneVector<Real, vector_lanes>(Real(-0.0))[3]));
}

TEST_CASE("Reciprocal roots are good to three units in the last place") {
  std::mt19937 random(5);
  const double unit = static_cast<double>(std::numeric_limits<Real>::epsilon());
  double worst = 0.0;
  for (int repeat = 0; repeat < 1000; ++repeat) {
    LaneVector<Real, vector_lanes> a;
    for (int l = 0; l < vector_lanes; ++l)
      a.set(l, std::ldexp(static_cast<Real>(1 + random() % 100000), repeat % 200 - 100));
    const auto lanes = lane_rsqrt(a);
    for (int l = 0; l < vector_lanes; ++l) {
      const double root = std::sqrt(static_cast<double>(a[l]));
      worst = std::max({worst, std::abs(static_cast<double>(lanes[l]) * root - 1),
                        std::abs(static_cast<double>(lane_rsqrt(a[l])) * root - 1)});
    }
  }
  CHECK(worst < 1.5 * unit);
}

TEST_CASE("Gathering and scattering reach the lanes' places, and only those of the mask") {
  std::vector<Real> numbers(100);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = Real(i);
  LaneVector<std::uint32_t, vector_lanes> at;
  for (int l = 0; l < vector_lanes; ++l) at.set(l, static_cast<std::uint32_t>(5 * l + 1));
  const auto values = gather(numbers.data(), at);
  for (int l = 0; l < vector_lanes; ++l) CHECK(values[l] == Real(5 * l + 1));
  scatter(numbers.data(), at, values + values, LaneMask<vector_lanes>::from_bits(0x2u));
  CHECK(numbers[1] == 1);
  CHECK(numbers[6] == 12);
  CHECK(numbers[11] == 11);
}

}  // namespace
}  // namespace copse::test
