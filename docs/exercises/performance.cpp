/// Solutions of the exercises on performance.

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace copse::book {
namespace {

// [begin roofline]
/// The minimum time of a kernel: its bytes at the memory bandwidth, or its operations at the peak
/// rate.
double least_seconds(double bytes, double bandwidth, double operations, double rate) {
  return std::max(bytes / bandwidth, operations / rate);
}
// [end roofline]

// [begin by_levels]
/// Bytes per particle that the build of a tree of d leaves moves, level by level (selection 4.4,
/// count 4, move 4 + 16 + 16), and with six levels in one move (two sweeps of 12 + 1.6, leaf
/// numbers 1 + 1, a move of 16 + 16, 12 + 16 the first time).
double bytes_by_levels(int levels) {
  return 44.4 * levels;
}
double bytes_fused(int levels) {
  double bytes = 0.0;
  for (int done = 0; done < levels; done += 6) {
    const int sweeps = (std::min(6, levels - done) + 2) / 3;
    bytes += sweeps * (12 + 1.6) + 2 + (done == 0 ? 12 + 16 : 16 + 16);
  }
  return bytes;
}
// [end by_levels]

// [begin interval]
/// Number of outcomes, of 2^n, in which exactly k of n tosses are heads.
double binomial(int n, int k) {
  return std::tgamma(n + 1) / std::tgamma(k + 1) / std::tgamma(n - k + 1);
}

/// The largest number of samples that can be dropped at each end of a sorted list such that the
/// rest contains the true median with probability at least `confidence`; -1 if even all samples do
/// not.
int left_out(int samples, double confidence) {
  double outside = 0.0;  // probability that the median is beyond the k smallest or the k largest
  int k = 0;
  for (; 2 * k < samples; ++k) {
    outside += 2 * binomial(samples, k) / std::pow(2.0, samples);
    if (1.0 - outside < confidence) break;
  }
  return k - 1;
}
// [end interval]

TEST_CASE("Performance 1: the thesis measured 283 GB/s, which is 39 % of the memory bandwidth") {
  const double bytes = std::pow(2.0, 27) * 4, seconds = 1.9e-3;
  CHECK(bytes / seconds / 1e9 == Catch::Approx(282.6).margin(0.1));
  // 732 GB/s, and four operations per key at 9.3 teraflops: memory is the limit.
  const double least = least_seconds(bytes, 732e9, std::pow(2.0, 29), 9.3e12);
  CHECK(least == bytes / 732e9);
  CHECK(least / seconds == Catch::Approx(0.386).margin(1e-3));
}

TEST_CASE("Performance 2: the bytes of the builds by levels and fused equal those of the model") {
  // docs/orb-model.md, rows "host select" and "host fused".
  CHECK(bytes_by_levels(1) == Catch::Approx(44.4));
  CHECK(bytes_by_levels(12) == Catch::Approx(532.8));
  CHECK(bytes_fused(1) == Catch::Approx(43.6));
  CHECK(bytes_fused(6) == Catch::Approx(57.2));
  CHECK(bytes_fused(12) == Catch::Approx(118.4));
}

TEST_CASE("Performance 3: the median lies between the second and the ninth of ten samples") {
  CHECK(left_out(10, 0.95) == 1);  // 1 - 22 / 1024 = 0.9785
  CHECK(left_out(5, 0.95) == -1);  // 1 - 2 / 32 = 0.9375
  CHECK(left_out(6, 0.95) == 0);   // 1 - 2 / 64
  CHECK(left_out(100, 0.95) == 39);
}

}  // namespace
}  // namespace copse::book
