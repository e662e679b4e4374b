// Oracles: integer sums by a plain loop; for floating point, the documented order.
#include "../../common/algorithms/on_each_backend.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fof/catalogue/segmented_reduction.hpp>
#include <numeric>
#include <vector>

namespace copse::fof {
namespace {

using copse::test::to_backend;
using copse::test::to_host;

template <class T>
struct PlainSum {
  T value = T(0);
  KOKKOS_FUNCTION void join(const PlainSum& other) { value += other.value; }
};

/// The element itself, or nothing if it is not in the stated segment.
template <class T, class MemorySpace>
struct Listed {
  Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace> values;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> offsets;
  KOKKOS_FUNCTION PlainSum<T> operator()(Count segment, Count i) const {
    PlainSum<T> sum;
    if (offsets(segment) <= i && i < offsets(segment + 1)) sum.value = values(i);
    return sum;
  }
};

template <class T, class Space>
std::vector<T> sums_on(const Space& space, const std::vector<T>& values,
                       const std::vector<Count>& offsets) {
  using MemorySpace = typename Space::memory_space;
  Count longest = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    longest = std::max(longest, offsets[s + 1] - offsets[s]);
  const auto device_offsets = to_backend<Space>(offsets);
  const auto tree = make_reduction_tree(space, device_offsets, longest);
  const Kokkos::View<PlainSum<T>*, Kokkos::LayoutLeft, MemorySpace> sums("sums", tree.nodes());
  const Kokkos::View<PlainSum<T>*, Kokkos::LayoutLeft, MemorySpace> result =
      reduce_segments("test::sum", space, tree,
                      Listed<T, MemorySpace>{to_backend<Space>(values), device_offsets}, sums);
  space.fence();
  std::vector<T> found;
  for (const PlainSum<T>& sum : to_host(result)) found.push_back(sum.value);
  return found;
}

std::vector<Count> offsets_of(const std::vector<Count>& sizes) {
  std::vector<Count> offsets{0};
  for (const Count size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

const std::vector<Count> odd_sizes{300000, 1, 64, 63, 4096, 65, 1, 2, 4097, 128, 262145, 1};

/// The documented order: 64 neighbours at a time, level by level.
double in_promised_order(std::vector<double> values) {
  do {
    std::vector<double> next;
    for (std::size_t i = 0; i < values.size(); i += 64) {
      double sum = 0.0;
      for (std::size_t j = i; j < std::min(i + 64, values.size()); ++j) sum += values[j];
      next.push_back(sum);
    }
    values = next;
  } while (values.size() > 1);
  return values[0];
}

TEST_CASE("Segments of any length are summed, each by itself") {
  const std::vector<Count> offsets = offsets_of(odd_sizes);
  std::vector<Count> values(offsets.back());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * i % 1013;
  std::vector<Count> expected;
  for (std::size_t s = 0; s < odd_sizes.size(); ++s)
    expected.push_back(std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                                       values.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]),
                                       Count{0}));
  for_each_backend([&](const auto& space) { CHECK(sums_on(space, values, offsets) == expected); });
}

TEST_CASE("No segments have no sums") {
  for_each_backend([&](const auto& space) {
    CHECK(sums_on(space, std::vector<Count>{}, std::vector<Count>{0}).empty());
  });
}

TEST_CASE("Floating-point sums have the same bits everywhere, those of the documented order") {
  const std::vector<Count> offsets = offsets_of(odd_sizes);
  std::vector<double> values(offsets.back());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (i % 2 == 0 ? 1.0 : -1.0) / static_cast<double>(1 + i * i % 1013);
  std::vector<double> expected;
  for (std::size_t s = 0; s < odd_sizes.size(); ++s)
    expected.push_back(
        in_promised_order({values.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                           values.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1])}));
  for_each_backend([&](const auto& space) { CHECK(sums_on(space, values, offsets) == expected); });
}

}  // namespace
}  // namespace copse::fof
