#include <copse/backend/fused.hpp>

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

using copse::detail::fused_in_double;

namespace {

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// Number of cases, made by `next()`, whose result differs from that of the C library.
template <class Next>
int differences(int cases, const Next& next) {
  int different = 0;
  for (int i = 0; i < cases; ++i) {
    const auto [a, b, c] = next();
    different += !same(fused_in_double(a, b, c), std::fma(a, b, c));
  }
  return different;
}

struct Case {
  float a, b, c;
};

}  // namespace

TEST_CASE("A product and a sum in double round to the bits of fmaf", "[fused]") {
  std::mt19937_64 random(7);
  const auto bits = [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(random())); };
  const auto whole = [&](unsigned n) { return static_cast<float>(random() % n); };

  SECTION("of any numbers, NaN, infinities and subnormal ones included") {
    CHECK(differences(2'000'000, [&] { return Case{bits(), bits(), bits()}; }) == 0);
  }
  SECTION("of squared distances") {
    std::uniform_real_distribution<float> in_box(-1, 1);
    CHECK(differences(2'000'000, [&] {
            const float d = in_box(random);
            return Case{d, d, std::abs(in_box(random))};
          }) == 0);
  }
  // A number times its rounded inverse is so near to 1 that a sum whose exact value is not midway
  // between two floats often is when rounded to double.
  const auto nearly = [&](int exponent, float c) {
    const float a = 1 + std::ldexp(whole(1 << 23), -23);
    return Case{std::ldexp(a, exponent / 2), std::ldexp(1 / a, exponent / 2), c};
  };
  SECTION("of signed zeros") {
    for (const float a : {0.0f, -0.0f, 1.0f})
      for (const float b : {0.0f, -0.0f, -1.0f})
        for (const float c : {0.0f, -0.0f, 1.0f}) {
          CAPTURE(a, b, c);
          CHECK(same(fused_in_double(a, b, c), std::fma(a, b, c)));
        }
  }
  SECTION("near the middle of two floats") {
    CHECK(differences(200'000, [&] { return nearly(-24, 1 + std::ldexp(whole(1 << 23), -23)); }) ==
          0);
  }
  SECTION("near the middle of two subnormal numbers") {
    CHECK(differences(200'000, [&] {
            return nearly(-150, whole(1 << 23) * std::numeric_limits<float>::denorm_min());
          }) == 0);
  }
}
