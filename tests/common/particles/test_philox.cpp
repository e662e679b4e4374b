#include <copse/particles/philox.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

using copse::philox4x32;
using copse::PhiloxBlock;
using copse::PhiloxKey;
using copse::RandomPurpose;
using copse::RandomStream;

namespace {

bool equal(const PhiloxBlock& a, const PhiloxBlock& b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

}  // namespace

// Oracle: the known-answer vectors published with Random123 (kat_vectors, philox4x32 10).
TEST_CASE("Philox4x32-10 gives the published known answers") {
  CHECK(equal(philox4x32(PhiloxBlock{0, 0, 0, 0}, PhiloxKey{0, 0}),
              PhiloxBlock{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U}));
  CHECK(equal(philox4x32(PhiloxBlock{~0U, ~0U, ~0U, ~0U}, PhiloxKey{~0U, ~0U}),
              PhiloxBlock{0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU}));
  CHECK(equal(philox4x32(PhiloxBlock{0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U},
                         PhiloxKey{0xa4093822U, 0x299f31d0U}),
              PhiloxBlock{0xd16cfe09U, 0x94fdcceb, 0x5001e420U, 0x24126ea1U}));
}

// Oracle: the counter of a stream as documented, encrypted directly.
TEST_CASE("A stream is Philox over index, purpose and draw number under the seed") {
  const std::uint64_t seed = 0x0123456789abcdefU;
  const std::uint64_t index = 0xfedcba9876543210U;
  RandomStream stream(seed, RandomPurpose::weight, index);
  for (std::uint32_t draw = 0; draw < 3; ++draw)
    CHECK(equal(stream.next_block(),
                philox4x32({0x76543210U, 0xfedcba98U, 2, draw}, {0x89abcdefU, 0x01234567U})));
}

// Oracle: mean 1/2 and variance 1/12 of the unit interval, within five standard errors.
TEST_CASE("Unit numbers lie strictly inside (0,1) with the moments of the uniform distribution") {
  const int n = 200000;
  double sum = 0, squares = 0, least = 1, most = 0;
  for (int i = 0; i < n; ++i) {
    RandomStream stream(7, RandomPurpose::position, static_cast<std::uint64_t>(i));
    const auto pair = stream.next_pair();
    const auto triple = stream.next_triple();
    for (const double u : {pair[0], pair[1], triple[0], triple[1], triple[2]}) {
      sum += u;
      squares += u * u;
      least = std::min(least, u);
      most = std::max(most, u);
    }
  }
  const double m = 5.0 * n;
  CHECK(least > 0.0);
  CHECK(most < 1.0);
  CHECK(std::abs(sum / m - 0.5) < 5 * std::sqrt(1.0 / 12 / m));
  CHECK(std::abs(squares / m - 1.0 / 3) < 5 * std::sqrt(4.0 / 45 / m));
}
