#pragma once
/// \file
/// Stable radix sort for hosts. Many rows are split by their highest bits into buckets that fit a
/// cache; a bucket is then sorted digit by digit from the lowest one. Up to 2^26 evenly spread rows
/// pass through memory twice, for any number of digits. More rows are split again.
///
/// All threads split the rows together, each a chunk at a time; then each thread sorts whole
/// buckets. A bucket with a large share of the rows is split by all threads again.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse::detail {

/// Keys and values of the same rows.
template <class Key>
struct SortRows {
  Key* keys;
  LocalIndex* values;

  SortRows at(Count row) const { return {keys + row, values + row}; }
  void put(Count row, const SortRows& from, Count source) const {
    keys[row] = from.keys[source];
    values[row] = from.values[source];
  }
};

/// Rows of a bucket. Two copies of them, 12 bytes a row, fit the second-level cache of a core.
inline constexpr Count sort_bucket = Count{1} << 14;
/// Least number of rows for each thread.
inline constexpr Count sort_chunk = Count{1} << 14;
/// Most bits of a digit. The counters of a digit stay in the first-level cache.
inline constexpr int sort_digit_bits = 11;

template <class Key>
int digit_of(Key key, int shift, int width) {
  return static_cast<int>((key >> shift) & ((Key{1} << width) - 1));
}

/// Sorts n rows by the lowest `bits` of their keys from the lowest digit up. The result is in
/// `from`, or in `other` if `into_other`; the rest is scratch.
template <class Key>
void sort_by_digits(SortRows<Key> from, SortRows<Key> other, Count n, int bits, bool into_other) {
  constexpr int most_digits = (8 * sizeof(Key) + sort_digit_bits - 1) / sort_digit_bits;
  const int widest = n < sort_bucket / 8 ? 8 : sort_digit_bits;
  const int digits = (bits + widest - 1) / widest;
  const int width = digits > 0 ? (bits + digits - 1) / digits : 0;
  std::array<LocalIndex, most_digits << sort_digit_bits> counts;
  std::fill_n(counts.begin(), static_cast<Count>(digits) << width, LocalIndex{0});
  for (Count i = 0; i < n; ++i)
    for (int d = 0; d < digits; ++d)
      ++counts[(static_cast<Count>(d) << width) + digit_of(from.keys[i], d * width, width)];
  for (int d = 0; d < digits; ++d) {
    LocalIndex* slot = counts.data() + (static_cast<Count>(d) << width);
    const int shift = d * width;
    if (n == 0 || slot[digit_of(from.keys[0], shift, width)] == n) continue;
    for (LocalIndex sum = 0, b = 0; b < LocalIndex{1} << width; ++b)
      sum += std::exchange(slot[b], sum);
    for (Count i = 0; i < n; ++i) other.put(slot[digit_of(from.keys[i], shift, width)]++, from, i);
    std::swap(from, other);
    into_other = !into_other;
  }
  if (!into_other) return;
  std::copy_n(from.keys, n, other.keys);
  std::copy_n(from.values, n, other.values);
}

/// Where each bucket of a split begins, and n at the end.
using SortBuckets = std::vector<Count>;

/// Bits that split n rows into buckets.
inline int split_bits(Count n, int bits) {
  const int wanted = static_cast<int>(std::bit_width(n / sort_bucket));
  return std::clamp(wanted, 1, std::min(bits, sort_digit_bits));
}

/// Moves n rows into buckets by the bits [shift, shift + width) of their keys. `loop(count, body)`
/// calls body for each of `chunks` chunks. \return one bucket if all rows belong to it: then
/// nothing has moved
template <class Key, class Loop>
SortBuckets split_rows_by_key(SortRows<Key> from, SortRows<Key> to, Count n, int shift, int width,
                              Count chunks, const Loop& loop) {
  const Count buckets = Count{1} << width;
  std::vector<LocalIndex> counts(chunks * buckets);
  const auto begin = [&](Count chunk) { return n * chunk / chunks; };
  loop("copse::sort::histogram", [&](Count c) {
    LocalIndex* mine = counts.data() + c * buckets;
    for (Count i = begin(c); i < begin(c + 1); ++i) ++mine[digit_of(from.keys[i], shift, width)];
  });
  SortBuckets begins(buckets + 1);
  Count sum = 0;  // n may be 2^32
  for (Count b = 0; b < buckets; ++b) {
    begins[b] = sum;
    for (Count c = 0; c < chunks; ++c)
      sum += std::exchange(counts[c * buckets + b], static_cast<LocalIndex>(sum));
    if (sum - begins[b] == n) return {0, n};
  }
  begins[buckets] = n;
  loop("copse::sort::scatter", [&](Count c) {
    LocalIndex* slot = counts.data() + c * buckets;
    for (Count i = begin(c); i < begin(c + 1); ++i)
      to.put(slot[digit_of(from.keys[i], shift, width)]++, from, i);
  });
  return begins;
}

/// One thread sorts n rows by the lowest `bits` of their keys; arguments as of sort_by_digits.
template <class Key>
void sort_alone(SortRows<Key> from, SortRows<Key> other, Count n, int bits, bool into_other) {
  if (n <= 2 * sort_bucket || bits <= sort_digit_bits)
    return sort_by_digits(from, other, n, bits, into_other);
  const int width = split_bits(n, bits);
  const auto begins = split_rows_by_key(from, other, n, bits - width, width, 1,
                                        [](const char*, const auto& body) { body(Count{0}); });
  if (begins.size() == 2) return sort_alone(from, other, n, bits - width, into_other);
  for (Count b = 0; b + 1 < begins.size(); ++b)
    sort_alone(other.at(begins[b]), from.at(begins[b]), begins[b + 1] - begins[b], bits - width,
               !into_other);
}

/// Sorts as sort_alone, with all threads of `space`. Waits for the result.
template <class ExecutionSpace, class Key>
void sort_together(const ExecutionSpace& space, SortRows<Key> from, SortRows<Key> other, Count n,
                   int bits, bool into_other) {
  const auto threads = static_cast<Count>(space.concurrency());
  if (threads == 1 || n < 2 * sort_chunk || bits <= 0) {
    Kokkos::parallel_for("copse::sort::buckets", Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1),
                         [&](Count) { sort_alone(from, other, n, bits, into_other); });
    return space.fence("copse::sort::buckets");
  }
  const Count chunks = std::min(n / sort_chunk, 4 * threads);
  const int width = split_bits(n, bits);
  const int rest = bits - width;
  const auto begins = split_rows_by_key(
      from, other, n, rest, width, chunks, [&](const char* label, const auto& body) {
        Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, chunks), body);
        space.fence(label);
      });
  if (begins.size() == 2) return sort_together(space, from, other, n, rest, into_other);
  const auto size = [&](Count b) { return begins[b + 1] - begins[b]; };
  const Count large = n / (2 * threads);
  const Count buckets = begins.size() - 1;
  for (Count b = 0; b < buckets; ++b)
    if (size(b) > large)
      sort_together(space, other.at(begins[b]), from.at(begins[b]), size(b), rest, !into_other);
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for("copse::sort::buckets", Policy(space, 0, buckets), [&](Count b) {
    if (size(b) <= large)
      sort_alone(other.at(begins[b]), from.at(begins[b]), size(b), rest, !into_other);
  });
  space.fence("copse::sort::buckets");
}

}  // namespace copse::detail
