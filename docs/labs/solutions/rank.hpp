#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace copse::labs {

// [begin lab]
struct Digit {
  int shift, bits;
};
inline constexpr Digit digits[] = {{21, 11}, {10, 11}, {0, 10}};

/// The key of the given rank, digit by digit, the most significant first. Reads the keys three
/// times.
template <class Keys>
std::uint32_t find_rank(const Keys& keys, std::size_t rank) {
  std::uint32_t prefix = 0;  // the digits found so far
  for (const Digit digit : digits) {
    const std::uint32_t mask = (1U << digit.bits) - 1;
    std::array<std::uint32_t, 2048> count{};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint32_t upper = keys[i] >> digit.shift;
      count[upper & mask] += upper >> digit.bits == prefix;
    }
    std::uint32_t value = 0;
    while (rank >= count[value]) rank -= count[value++];
    prefix = prefix << digit.bits | value;
  }
  return prefix;
}
// [end lab]

}  // namespace copse::labs
