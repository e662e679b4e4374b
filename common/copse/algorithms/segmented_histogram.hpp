#pragma once
/// \file
/// segmented_histogram: for every segment, the histogram of one digit of its keys.
///
/// A search from the most significant digit has found a prefix of the wanted key. One pass over the
/// keys counts, for each value of the next digit, the keys that agree with the prefix; the prefix
/// grows by the digit at which the running sum passes the wanted rank. Integer sums do not depend
/// on their order, so histograms of parts of a segment on different ranks can be added.
/// segmented_select reads the keys once instead of three times, but only within one rank.
///
/// Work is divided into tiles (segments.hpp): a team of a device counts a tile into its own bins in
/// scratch memory, a thread of a host several tiles into bins on the stack. Each non-empty bin is
/// added to that of its segment with one atomic.
///
/// Work model per key: sizeof(Key) bytes read, about 6 integer operations, one shared atomic.

#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/split_rows.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>

namespace copse {

/// Most bits of one digit: 2^11 sums of 64 bits take 16 KiB, and three such digits cover 32 bits.
inline constexpr int max_histogram_bits = 11;

/// Most bins over all segments, 32 MiB, for up to 2^18 segments. More segments have more bins,
/// because a digit has at least 4 bits (histogram_bits).
inline constexpr Count max_histogram_bins = Count{1} << 22;

/// The bits of a key that follow a prefix of `known` bits.
template <class Key>
struct KeyDigit {
  static constexpr int key_bits = 8 * static_cast<int>(sizeof(Key));
  int known = 0;
  int bits = 0;  ///< 0: one bin that counts the keys with the prefix

  KOKKOS_FUNCTION int shift() const { return key_bits - known - bits; }
  KOKKOS_FUNCTION bool agrees(Key key, Key prefix) const {
    return known == 0 || static_cast<Key>(key ^ prefix) >> (key_bits - known) == 0;
  }
  /// The bits that `agrees` compares.
  KOKKOS_FUNCTION Key prefix_mask() const {
    return known == 0 ? Key{0} : static_cast<Key>(static_cast<Key>(~Key{0}) << (key_bits - known));
  }
  KOKKOS_FUNCTION std::uint32_t value(Key key) const {
    return static_cast<std::uint32_t>(key >> shift()) & ((std::uint32_t{1} << bits) - 1);
  }
};

/// Bits per digit for that many segments. The limit is what max_histogram_bins allows, but at least
/// 4 and at most max_histogram_bits. Within it, all digits of a key get about the same length.
constexpr int histogram_bits(Count segments, int key_bits) {
  int most = max_histogram_bits;
  while (most > 4 && segments << most > max_histogram_bins) --most;
  const int digits = (key_bits + most - 1) / most;
  return (key_bits + digits - 1) / digits;
}

/// Every key counts 1.
struct UnitWeight {
  static constexpr bool weighted = false;
  using TileSum = std::uint32_t;
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator()(Count) const { return 1; }
};

/// A key counts with the integer weight of its row. Sums must stay below 2^64.
struct IntegerWeight {
  static constexpr bool weighted = true;
  using TileSum = std::uint64_t;
  const std::uint32_t* weight;
  Count stride = 1;  ///< in elements; the weight may be one member of a larger row
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator()(Count row) const {
    return weight[row * stride];
  }
};

namespace detail {

/// Histograms are stored one after the other: bin b of segment s is element (s << bits) + b.
template <class ExecutionSpace, class Keys, class Key, class Prefix, class Weight>
struct HistogramTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Sum = typename Weight::TileSum;
  static constexpr int threads = 256;
  /// Keys that a thread loads before it counts any. With an atomic after each load, only one load
  /// per thread would be in flight.
  static constexpr int batch = 8;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, 4>>;
  using Bins =
      Kokkos::View<Sum*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Keys keys;
  TileTable<MemorySpace> tiles;
  KeyDigit<Key> digit;
  Prefix prefix;
  Weight weight;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> histogram;

  KOKKOS_FUNCTION int bins() const { return 1 << digit.bits; }
  KOKKOS_FUNCTION Count* target(const Tile& tile) const {
    return histogram.data() + (Count{tile.segment} << digit.bits);
  }

  /// Device: one team per tile.
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Tile tile = tiles.tile(team.league_rank());
    if (tile.segment == Tile::none) return;
    const Bins sums(team.team_scratch(0), bins());
    for (int b = team.team_rank(); b < bins(); b += threads) sums(b) = 0;
    team.team_barrier();
    const auto key_of = keys.segment(tile.segment);
    const Key common = prefix(tile.segment);
    const Key of_prefix = digit.prefix_mask();
    for (Count begin = tile.begin + static_cast<Count>(team.team_rank()); begin < tile.end;
         begin += batch * threads) {
      const auto n = static_cast<std::uint32_t>(tile.end - begin);
      Key key[batch];
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r) {
        const auto wide = static_cast<std::uint32_t>(r * threads);
        key[r] = key_of(begin + (wide < n ? wide : 0));
      }
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r) {
        const auto wide = static_cast<std::uint32_t>(r * threads);
        if ((wide < n) & (((key[r] ^ common) & of_prefix) == 0))
          scratch_add(&sums(digit.value(key[r])), Sum{weight(begin + wide)});
      }
    }
    team.team_barrier();
    Count* const total = target(tile);
    for (int b = team.team_rank(); b < bins(); b += threads)
      if (sums(b) > 0) Kokkos::atomic_add(total + b, Count{sums(b)});
  }
};

/// Tiles that a team or a thread of a host counts together: several, to amortise clearing its bins
/// and adding them to the histogram, but few enough to leave some for `enough` others. Their sums
/// stay below 2^32.
inline Count tiles_counted_together(Count tiles, Count enough) {
  constexpr Count most_tiles = 16;
  return std::clamp<Count>(tiles / enough, 1, most_tiles);
}

/// Host: a thread clears its bins and adds them to the histogram once for several tiles of a
/// segment.
template <class ExecutionSpace, class Keys, class Key, class Prefix, class Weight>
struct HistogramTilesOnHost {
  HistogramTile<ExecutionSpace, Keys, Key, Prefix, Weight> kernel;
  Count tiles_of_item;

  void operator()(Count item) const {
    std::array<typename Weight::TileSum, std::size_t{1} << max_histogram_bits> sums;
    std::fill_n(sums.begin(), kernel.bins(), 0);
    const Count end = std::min(kernel.tiles.bound, (item + 1) * tiles_of_item);
    for (Count t = item * tiles_of_item; t < end; ++t) {
      const Tile tile = kernel.tiles.tile(t);
      if (tile.segment == Tile::none) continue;
      count(tile, sums.data());
      if (t + 1 < end && kernel.tiles.tile(t + 1).segment == tile.segment) continue;
      Count* const total = kernel.target(tile);
      for (int b = 0; b < kernel.bins(); ++b) {
        if (sums[b] > 0) Kokkos::atomic_add(total + b, Count{sums[b]});
        sums[b] = 0;
      }
    }
  }

 private:
  void count(const Tile& tile, typename Weight::TileSum* sums) const {
    const auto key = kernel.keys.segment(tile.segment);
    const Key common = kernel.prefix(tile.segment);
    const KeyDigit<Key> digit = kernel.digit;
    // The keys that agree with the prefix lie between these, which wrap around if there is none.
    const Key before = static_cast<Key>((common & digit.prefix_mask()) - 1);
    const Key after = static_cast<Key>((common | static_cast<Key>(~digit.prefix_mask())) + 1);
    if (Weight::weighted || before >= after) {
      for (Count i = tile.begin; i < tile.end; ++i) {
        const Key k = key(i);
        if (digit.agrees(k, common)) sums[digit.value(k)] += kernel.weight(i);
      }
      return;
    }
    // Selected first, without the branch, which would often be mispredicted.
    std::array<Key, tile_size> keys;
    const int rows = static_cast<int>(tile.end - tile.begin);
    for (int i = 0; i < rows; ++i) keys[i] = key(tile.begin + i);
    const int kept = keep_between(keys.data(), rows, before, after, keys.data());
    for (int i = 0; i < kept; ++i) ++sums[digit.value(keys[i])];
  }
};

}  // namespace detail

/// Adds to histogram((s << digit.bits) + v) the sum of `weight(row)` over the rows of segment s
/// whose key agrees with `prefix(s)` in the first `digit.known` bits and has value v in the next
/// `digit.bits`; nothing for segments without tiles. Several instances may add at the same time.
///
/// \param keys       as for segmented_select: `keys.segment(s)(row)` is a Key
/// \param tiles      those of the segments to be counted
/// \param prefix     device function: segment -> Key
/// \param weight     UnitWeight or IntegerWeight
/// \param histogram  [segments << digit.bits]
/// O(rows + segments 2^bits), one read of the keys.
template <class ExecutionSpace, class Keys, class MemorySpace, class Key, class Prefix,
          class Weight>
void add_segmented_histogram(
    const ExecutionSpace& space, const Keys& keys, const TileTable<MemorySpace>& tiles,
    const KeyDigit<Key>& digit, const Prefix& prefix, const Weight& weight,
    const Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>& histogram) {
  using Kernel = detail::HistogramTile<ExecutionSpace, Keys, Key, Prefix, Weight>;
  if (tiles.bound == 0) return;
  const Kernel kernel{keys, tiles, digit, prefix, weight, histogram};
  if constexpr (runs_on_host<ExecutionSpace>) {
    const Count of_item =
        detail::tiles_counted_together(tiles.bound, 8 * static_cast<Count>(space.concurrency()));
    Kokkos::parallel_for(
        "copse::histogram::count",
        Kokkos::RangePolicy<ExecutionSpace>(space, 0, (tiles.bound + of_item - 1) / of_item),
        detail::HistogramTilesOnHost<ExecutionSpace, Keys, Key, Prefix, Weight>{kernel, of_item});
  } else {
    typename Kernel::Policy policy(space, static_cast<int>(tiles.bound), Kernel::threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::Bins::shmem_size(kernel.bins())));
    Kokkos::parallel_for("copse::histogram::count", policy, kernel);
  }
}

/// As add_segmented_histogram, to a histogram of zeros.
template <class ExecutionSpace, class Keys, class MemorySpace, class Key, class Prefix,
          class Weight>
void segmented_histogram(const ExecutionSpace& space, const Keys& keys,
                         const TileTable<MemorySpace>& tiles, const KeyDigit<Key>& digit,
                         const Prefix& prefix, const Weight& weight,
                         const Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>& histogram) {
  Kokkos::deep_copy(space, histogram, Count{0});
  add_segmented_histogram(space, keys, tiles, digit, prefix, weight, histogram);
}

}  // namespace copse
