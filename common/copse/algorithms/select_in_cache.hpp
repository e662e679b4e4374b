#pragma once
/// \file
/// The k-th smallest of keys that fit a processor's cache, by one thread: SELECT of Floyd and
/// Rivest as in segmented_select.hpp, with vectorised loops over the keys. Host only.

#include <copse/algorithms/detail/select_kernels.hpp>
#include <copse/algorithms/quickselect.hpp>
#include <copse/algorithms/split_rows.hpp>
#include <copse/algorithms/team_select.hpp>
#include <copse/backend/types.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace copse {

namespace detail {

/// Fewer keys than this are selected without a sample.
inline constexpr Count few_keys = 512;
/// Largest sample: enough to leave 8 % of the keys in the bracket.
inline constexpr Count cache_sample = 2048;

/// Counts keys relative to [low, high], in pieces whose counts fit a key so that the loop
/// vectorises.
template <class Key>
BracketCount count_bracket(const Key* keys, Count n, Bracket<Key> bracket) {
  BracketCount sum{0, 0, 0, 0};
  constexpr Count piece = 4096;
  for (Count first = 0; first < n; first += piece) {
    const int here = static_cast<int>(std::min(piece, n - first));
    Key below = 0, at_low = 0, up_to_high = 0, at_high = 0;
    for (int i = 0; i < here; ++i) {
      const Key key = keys[first + i];
      below += key < bracket.low;
      at_low += key == bracket.low;
      up_to_high += key < bracket.high;
      at_high += key == bracket.high;
    }
    sum.below += below;
    sum.at_low += at_low;
    if (bracket.low == bracket.high) continue;
    sum.inside += up_to_high - below - at_low;
    sum.at_high += at_high;
  }
  return sum;
}

/// `key` with the number of keys below it and equal to it.
template <class Key>
Selected<Key> count_key(const Key* keys, Count n, Key key) {
  const BracketCount c = count_bracket(keys, n, Bracket<Key>{key, key});
  return {key, c.below, c.at_low};
}

}  // namespace detail

/// Finds the key of 1-based `rank` among keys[0, n). `scratch` must have room for n keys; `keys`
/// are not changed. O(n).
template <class Key>
Selected<Key> select_in_cache(const Key* keys, Count n, Count rank, Key* scratch) {
  using namespace detail;
  if (n > few_keys) {
    // At about this sample size, sampling costs as much as selecting from the keys inside.
    const double two_thirds = std::pow(static_cast<double>(n), 2.0 / 3.0);
    const Count m = std::min(cache_sample, static_cast<Count>(0.7 * two_thirds));
    std::array<Key, cache_sample> sample;
    // One sample in each of m strides, without divisions, which made the selection a seventh
    // slower.
    const Count step = (n << 32) / m;
    const Count stride = n / m;
    for (Count i = 0; i < m; ++i)
      sample[i] = keys[(i * step >> 32) + ((sample_hash(n + i) >> 32) * stride >> 32)];
    const double p = static_cast<double>(rank) / static_cast<double>(n);
    // Three deviations: a miss in 300 calls costs less than wider brackets would.
    const double margin = 3.0 * std::sqrt(static_cast<double>(m) * p * (1.0 - p)) + 1.0;
    const double low = std::floor(static_cast<double>(m) * p - margin);
    const double high = std::ceil(static_cast<double>(m) * p + margin);
    Bracket<Key> bracket{Key{0}, static_cast<Key>(~Key{0})};
    const auto of_sample = [&](double order) {
      return quickselect(sample.data(), static_cast<int>(m), static_cast<int>(order));
    };
    if (low >= 1.0) bracket.low = of_sample(low);
    if (high <= static_cast<double>(m)) bracket.high = of_sample(high);
    const BracketCount c = count_bracket(keys, n, bracket);
    if (rank > c.below && rank <= c.below + c.at_low) return {bracket.low, c.below, c.at_low};
    const Count up_to_inside = c.below + c.at_low + c.inside;
    if (rank > up_to_inside && rank <= up_to_inside + c.at_high)
      return {bracket.high, up_to_inside, c.at_high};
    if (rank > c.below && rank <= up_to_inside && c.inside < n / 2) {
      Count kept = 0;
      constexpr Count piece = 4096;
      for (Count first = 0; first < n; first += piece)
        kept += keep_between(keys + first, static_cast<int>(std::min(piece, n - first)),
                             bracket.low, bracket.high, scratch + kept);
      Selected<Key> found =
          select_in_cache(scratch, kept, rank - c.below - c.at_low, scratch + kept);
      found.below += c.below + c.at_low;
      return found;
    }
    // The bracket missed the answer, or most keys are inside.
    std::copy_n(keys, n, scratch);
    std::nth_element(scratch, scratch + (rank - 1), scratch + n);
    return count_key(keys, n, scratch[rank - 1]);
  }
  return count_key(keys, n, quickselect(keys, static_cast<int>(n), static_cast<int>(rank)));
}

}  // namespace copse
