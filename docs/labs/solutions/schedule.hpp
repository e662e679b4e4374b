#pragma once
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace copse::labs {

// [begin lab]
/// The sandpile of [Liu 2019]: for one leaf after the other, queries that reach it move before the
/// others, and both groups keep their order. This is a stable sort by descending numbers, done here
/// eight leaves at a time, the least significant first.
inline std::vector<std::uint32_t> schedule(std::span<const std::uint64_t> reached) {
  std::vector<std::uint32_t> order(reached.size()), next(reached.size());
  std::iota(order.begin(), order.end(), 0U);
  for (int shift = 0; shift < 64; shift += 8) {
    const auto digit = [&](std::uint32_t query) { return ~reached[query] >> shift & 255; };
    std::array<std::uint32_t, 257> begin{};
    for (const std::uint32_t query : order) ++begin[digit(query) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const std::uint32_t query : order) next[begin[digit(query)]++] = query;
    order.swap(next);
  }
  return order;
}
// [end lab]

}  // namespace copse::labs
