#pragma once
/// \file
/// Named key arrays that are hard for selection and partition, and segmentations of them.

#include <copse/algorithms/segments.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace copse::test {

inline const std::vector<std::string>& key_kinds() {
  static const std::vector<std::string> kinds{"random",     "sorted", "reversed",  "constant",
                                              "duplicates", "skewed", "two values"};
  return kinds;
}

template <class Key>
std::vector<Key> make_keys(const std::string& kind, std::size_t n, unsigned seed = 7) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(n);
  // The algorithms reserve the largest key; halve the range to avoid it.
  for (auto& k : keys) k = static_cast<Key>(random()) / 2;
  if (kind == "sorted" || kind == "reversed") std::sort(keys.begin(), keys.end());
  if (kind == "reversed") std::reverse(keys.begin(), keys.end());
  if (kind == "constant") std::fill(keys.begin(), keys.end(), Key{12345});
  if (kind == "duplicates")
    for (auto& k : keys) k %= 7;
  if (kind == "two values")
    for (auto& k : keys) k = k % 1000 == 0 ? Key{1} : Key{0};
  if (kind == "skewed")  // most keys in a narrow range, a few far away
    for (auto& k : keys) k = k % 100 == 0 ? k : Key{1000000} + k % 64;
  return keys;
}

/// Cuts [0, n) at the given fractions (in any order; repeats make empty segments).
inline std::vector<Segment> cut_at(Count n, std::vector<double> fractions) {
  std::sort(fractions.begin(), fractions.end());
  std::vector<Segment> segments;
  Count begin = 0;
  for (double f : fractions) {
    const auto end = static_cast<Count>(f * static_cast<double>(n));
    segments.push_back({begin, end});
    begin = end;
  }
  segments.push_back({begin, n});
  return segments;
}

}  // namespace copse::test
