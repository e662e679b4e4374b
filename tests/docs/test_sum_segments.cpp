/// Versions of summing segments against a plain loop.

#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <sum_segments.hpp>
#include <vector>

namespace copse::book {
namespace {

template <class MemorySpace, class T>
Kokkos::View<const T*, MemorySpace> there(const std::vector<T>& host) {
  return Kokkos::create_mirror_view_and_copy(
      MemorySpace{}, Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
}

/// Every version on every backend, with sums that held something else before.
void check_lengths(const std::vector<Count>& lengths) {
  std::vector<Count> begin{0};
  for (const Count length : lengths) begin.push_back(begin.back() + length);
  std::mt19937 random(10);
  std::vector<std::uint32_t> value(begin.back());
  std::generate(value.begin(), value.end(), [&] { return static_cast<std::uint32_t>(random()); });
  std::vector<std::uint64_t> expected(lengths.size());
  for (std::size_t s = 0; s < lengths.size(); ++s)
    for (Count row = begin[s]; row < begin[s + 1]; ++row) expected[s] += value[row];
  for_each_backend([&](auto space) {
    using Memory = typename decltype(space)::memory_space;
    const SegmentedValues<Memory> rows{there<Memory>(begin), there<Memory>(value)};
    for (const Summing summing :
         {Summing::by_thread, Summing::by_team, Summing::by_tile, Summing::scanned}) {
      const Sums<Memory> sums("copse::book::sums", lengths.size());
      Kokkos::deep_copy(sums, 7);
      sum_segments(space, summing, rows, sums);
      const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
      INFO("version " << 1 + static_cast<int>(summing) << ", segments " << lengths.size());
      CHECK(std::equal(expected.begin(), expected.end(), found.data()));
    }
  });
}

TEST_CASE("Every version of summing segments adds up what a plain loop does") {
  std::mt19937 random(11);
  std::vector<Count> lengths;
  for (int s = 0; s < 3000; ++s) lengths.push_back(1 + random() % 20);
  for (const Count length : {100000U, 2048U, 5000U, 1U}) lengths.push_back(length);
  check_lengths(lengths);
  std::sort(lengths.rbegin(), lengths.rend());
  check_lengths(lengths);
}

TEST_CASE("Segments without rows have the sum 0, wherever they are") {
  check_lengths({0});
  check_lengths({0, 0, 0});
  check_lengths({0, 0, 3, 0, 0, 5000, 0, 0, 0, 12, 0});
  std::vector<Count> lengths(5000, 0);
  lengths[2500] = 2048;  // ends where a tile does
  lengths[2600] = 40000;
  check_lengths(lengths);
}

TEST_CASE("One segment may span all rows and any number of tiles") {
  for (const Count rows : {1U, 15U, 16U, 2047U, 2048U, 2049U, 16384U, 16385U, 70000U})
    check_lengths({rows});
}

TEST_CASE("Sums beyond 32 bits are exact") {
  const std::vector<Count> begin{0, 5000};
  const std::vector<std::uint32_t> value(5000, 0xffffffffU);
  for_each_backend([&](auto space) {
    using Memory = typename decltype(space)::memory_space;
    const SegmentedValues<Memory> rows{there<Memory>(begin), there<Memory>(value)};
    const Sums<Memory> sums("copse::book::sums", 1);
    for (const Summing summing :
         {Summing::by_thread, Summing::by_team, Summing::by_tile, Summing::scanned}) {
      sum_segments(space, summing, rows, sums);
      CHECK(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums)(0) ==
            5000 * std::uint64_t{0xffffffffU});
    }
  });
}

}  // namespace
}  // namespace copse::book
