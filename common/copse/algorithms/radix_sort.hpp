#pragma once
/// \file
/// Stable sort of unsigned keys with a 32-bit value each, the first step of trees from
/// space-filling curves.
///
/// On CUDA this is the vendor's radix sort. Host backends of Kokkos have only comparison sorts, so
/// hosts use a least-significant-digit radix sort with eight bits per pass: each pass histograms
/// chunks of the array in parallel, scans the chunk histograms digit by digit, and scatters chunk
/// by chunk, which keeps equal keys in order.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/vendor_sort.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

namespace detail {

inline constexpr int sort_digit_bits = 8;
inline constexpr int sort_digits = 1 << sort_digit_bits;

/// Smallest chunk with its own histogram.
inline constexpr Count sort_chunk = 1 << 14;

using DigitCounts = std::array<Count, sort_digits>;

template <class Key>
struct DigitPass {
  const Key* keys_from;
  Key* keys_to;
  const LocalIndex* values_from;
  LocalIndex* values_to;
  DigitCounts* counts;  ///< per chunk: counts of each digit, then the first slot of each digit
  Count n;
  Count chunks;
  int shift;

  Count begin(Count chunk) const { return n * chunk / chunks; }
  int digit(Key key) const { return static_cast<int>((key >> shift) & (sort_digits - 1)); }

  void histogram(Count chunk) const {
    DigitCounts mine{};
    for (Count i = begin(chunk); i < begin(chunk + 1); ++i) ++mine[digit(keys_from[i])];
    counts[chunk] = mine;
  }
  void scatter(Count chunk) const {
    DigitCounts to = counts[chunk];
    for (Count i = begin(chunk); i < begin(chunk + 1); ++i) {
      const Count slot = to[digit(keys_from[i])]++;
      keys_to[slot] = keys_from[i];
      values_to[slot] = values_from[i];
    }
  }
  /// Turns counts into first slots. \return false if all keys share one digit: the pass can be
  /// skipped
  bool plan() const {
    Count sum = 0;
    for (int d = 0; d < sort_digits; ++d) {
      const Count before = sum;
      for (Count c = 0; c < chunks; ++c) {
        const Count here = counts[c][d];
        counts[c][d] = sum;
        sum += here;
      }
      if (sum - before == n) return false;
    }
    return true;
  }
};

template <class ExecutionSpace, class Key>
void host_radix_sort(const ExecutionSpace& space, Key* keys, LocalIndex* values, Count n,
                     int key_bits, Key* spare_keys, LocalIndex* spare_values) {
  const Count wanted = 4 * static_cast<Count>(space.concurrency());
  const Count chunks = std::clamp<Count>(n / sort_chunk, 1, wanted);
  std::vector<DigitCounts> counts(chunks);
  Key* keys_from = keys;
  LocalIndex* values_from = values;
  for (int shift = 0; shift < key_bits; shift += sort_digit_bits) {
    const DigitPass<Key> pass{keys_from,     spare_keys, values_from, spare_values,
                              counts.data(), n,          chunks,      shift};
    using Policy = Kokkos::RangePolicy<ExecutionSpace>;
    Kokkos::parallel_for("copse::sort::histogram", Policy(space, 0, chunks),
                         [&](Count c) { pass.histogram(c); });
    space.fence("copse::sort::histogram");
    if (!pass.plan()) continue;
    Kokkos::parallel_for("copse::sort::scatter", Policy(space, 0, chunks),
                         [&](Count c) { pass.scatter(c); });
    space.fence("copse::sort::scatter");
    std::swap(keys_from, spare_keys);
    std::swap(values_from, spare_values);
  }
  if (keys_from == keys) return;
  std::copy_n(keys_from, n, keys);
  std::copy_n(values_from, n, values);
}

}  // namespace detail

/// Sorts `keys` ascending and permutes `values` alike; equal keys keep their order. Only the lowest
/// `key_bits` bits of the keys may be set. Both Views have n contiguous elements. Time O(n key_bits
/// / 8); scratch for a second copy of the rows.
template <class ExecutionSpace, class KeyView, class ValueView>
void sort_by_key(const ExecutionSpace& space, const KeyView& keys, const ValueView& values,
                 Workspace<typename ExecutionSpace::memory_space>& workspace,
                 int key_bits = 8 * sizeof(typename KeyView::value_type)) {
  using Key = typename KeyView::non_const_value_type;
  static_assert(std::is_unsigned_v<Key>);
  const Count n = keys.extent(0);
  if (n < 2) return;
  auto spare_keys = workspace.template get<Key>("sort::keys", n);
  auto spare_values = workspace.template get<LocalIndex>("sort::values", n);
  if constexpr (runs_on_host<ExecutionSpace>) {
    detail::host_radix_sort(space, keys.data(), values.data(), n, key_bits, spare_keys.data(),
                            spare_values.data());
  } else {
    using Vendor = VendorSort<ExecutionSpace>;
    static_assert(Vendor::exists, "this backend has no radix sort");
    const std::size_t bytes = Vendor::template scratch_bytes<Key>(n, key_bits);
    auto scratch = workspace.template get<std::byte>("sort::scratch", bytes);
    Vendor::sort(space, keys.data(), spare_keys.data(), values.data(), spare_values.data(), n,
                 key_bits, scratch.data(), bytes);
  }
}

}  // namespace copse
