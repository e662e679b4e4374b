#pragma once
/// \file
/// The k-th smallest of a few thousand keys, by one team in its scratch memory.

#include <copse/algorithms/quickselect.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse {

/// The key of a given rank, and the counts that a cut needs to resolve ties: the number of smaller
/// and of equal keys. The rank is in (below, below + equal].
template <class Key>
struct Selected {
  Key key{};
  Count below = 0;
  Count equal = 0;
};

namespace detail {

inline constexpr int radix_bits = 8;
inline constexpr int radix_bins = 1 << radix_bits;

}  // namespace detail

/// Scratch of one `team_select` in addition to the keys.
struct SelectScratch {
  std::uint32_t histogram[detail::radix_bins];
  std::uint32_t bin;
  std::uint32_t below;
  std::uint32_t equal;
};

/// Finds the key of 1-based `rank` among keys[0, n), 1 <= rank <= n, all in team scratch memory.
/// Every thread of the team must call it and gets the result.
///
/// Device: radix selection from the most significant digit; each digit takes one histogram by
/// shared-memory atomics and one team scan, 4 digits for 32-bit keys. Host: a team is one thread,
/// and quickselect is faster. O(n) in both cases; n <= most_quickselect_keys.
template <class Team, class Key>
KOKKOS_FUNCTION Selected<Key> team_select(const Team& team, Key* keys, std::uint32_t n,
                                          std::uint32_t rank, SelectScratch& scratch) {
  Selected<Key> result;
  KOKKOS_IF_ON_HOST(((void)team; (void)scratch;
                     result.key = quickselect(keys, static_cast<int>(n), static_cast<int>(rank));
                     for (std::uint32_t i = 0; i < n; ++i) {
                       result.below += keys[i] < result.key;
                       result.equal += keys[i] == result.key;
                     }))
  KOKKOS_IF_ON_DEVICE(
      (Key prefix = 0; std::uint32_t remaining = rank; std::uint32_t below = 0;
       std::uint32_t equal = n; for (int shift = 8 * sizeof(Key) - detail::radix_bits; shift >= 0;
                                     shift -= detail::radix_bits) {
         Kokkos::parallel_for(Kokkos::TeamThreadRange(team, detail::radix_bins),
                              [&](int b) { scratch.histogram[b] = 0; });
         team.team_barrier();
         // Keys that agree with the digits found so far; at the top digit these are all keys.
         const Key above =
             static_cast<Key>(~((Key{1} << shift << (detail::radix_bits - 1) << 1) - 1));
         Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [&](std::uint32_t i) {
           const Key key = keys[i];
           if ((key & above) == prefix)
             scratch_add(&scratch.histogram[(key >> shift) & (detail::radix_bins - 1)], 1u);
         });
         team.team_barrier();
         Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, detail::radix_bins),
                               [&](int b, std::uint32_t& sum, bool final) {
                                 const std::uint32_t count = scratch.histogram[b];
                                 if (final && sum < remaining && remaining <= sum + count) {
                                   scratch.bin = static_cast<std::uint32_t>(b);
                                   scratch.below = sum;
                                   scratch.equal = count;
                                 }
                                 sum += count;
                               });
         team.team_barrier();
         prefix |= static_cast<Key>(scratch.bin) << shift;
         below += scratch.below;
         remaining -= scratch.below;
         equal = scratch.equal;
         team.team_barrier();
       } result.key = prefix;
       result.below = below; result.equal = equal;))
  return result;
}

}  // namespace copse
