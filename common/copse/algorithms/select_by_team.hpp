#pragma once
/// \file
/// The k-th smallest of any number of values, by one team. Made for devices; on a host a team has
/// one thread, and select_in_cache.hpp is faster.
///
/// One pass counts the values in linear bins between two bounds. The values in the bin of the
/// wanted rank are then few enough to be copied to scratch memory, where each is ranked against all
/// others. If they are too many, which takes clustered values or ties, the search continues between
/// the smallest and the largest of them, with bins of equally many keys: these always separate
/// different values.
///
/// Bytes per value: two reads, the second from a cache if the values fit one; about 8 barriers.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/team_select.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/packet_reduction.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace copse {

/// A team of `Threads` threads, which must all call each function: packets of `packet_width` on a
/// device, one thread on a host.
template <class Team, class Value, int Threads>
class SelectByTeam {
 public:
  using Key = OrderedKey<Value>;
  static constexpr int width = Threads < packet_width ? Threads : packet_width;
  static constexpr int warps = Threads / width;
  static constexpr int bins = 2048;
  /// Most values that are ranked against each other.
  static constexpr std::uint32_t most_candidates = 512;
  static_assert((Threads == 1 || Threads % packet_width == 0) && warps <= packet_width &&
                bins % Threads == 0);

  /// In scratch memory.
  struct Memory {
    std::uint32_t bin[bins];
    Key candidate[most_candidates];
    Key low[warps], high[warps];  ///< of each warp
    std::uint32_t sum[warps];
    std::uint32_t candidates;
    Selected<Key> found;
    /// The bin that contains the rank.
    int chosen;
    Count below, inside;
  };

  KOKKOS_FUNCTION SelectByTeam(const Team& team, Memory& memory)
      : team_(team),
        memory_(memory),
        thread_(team.team_rank()),
        warp_(thread_ / width),
        lane_(thread_ % width) {}

  /// Selects the value of 1-based `rank` among value(i), 0 <= i < n. `low` and `high` are a guess
  /// of the smallest and the largest; any guess is valid.
  template <class ValueOf>
  KOKKOS_FUNCTION Selected<Key> select(const ValueOf& value, Count n, Count rank, Value low,
                                       Value high) const {
    const Value scale = Value{bins} / (high - low);
    Count below = 0, inside = n;
    Key first = 0, last = static_cast<Key>(~Key{0});
    if (scale > Value{0} && Kokkos::isfinite(scale)) {
      const auto bin_of = [=](Value v) {
        const Value b = (v - low) * scale;
        return b < Value{0} ? 0 : b < Value{bins} ? static_cast<int>(b) : bins - 1;
      };
      choose_bin(value, n, rank, bin_of);
      const int chosen = memory_.chosen;
      below = memory_.below;
      inside = memory_.inside;
      const auto in_bin = [=](Value v) { return bin_of(v) == chosen; };
      if (inside <= most_candidates) return rank_candidates(value, n, rank - below, below, in_bin);
      range_of(value, n, in_bin, first, last);
    } else if (inside > most_candidates) {
      range_of(
          value, n, [](Value) { return true; }, first, last);
    }
    while (inside > most_candidates) {
      const int wide = static_cast<int>(Kokkos::bit_width(static_cast<Key>(last - first)));
      const int shift = wide > bin_bits ? wide - bin_bits : 0;
      choose_bin(value, n, rank - below, [=](Value v) {
        const Key key = ordered_key(v);
        return key < first || key > last ? -1 : static_cast<int>((key - first) >> shift);
      });
      below += memory_.below;
      inside = memory_.inside;
      first += static_cast<Key>(memory_.chosen) << shift;
      if (shift == 0) return {first, below, inside};
      const Key end = static_cast<Key>(first + ((Key{1} << shift) - 1));
      last = end < last ? end : last;
    }
    return rank_candidates(value, n, rank - below, below, [=](Value v) {
      const Key key = ordered_key(v);
      return key >= first && key <= last;
    });
  }

  /// Reduces over the team; two barriers.
  KOKKOS_FUNCTION void reduce_range(Key& low, Key& high) const {
    low = packet_min(low);
    high = packet_max(high);
    if (lane_ == 0) {
      memory_.low[warp_] = low;
      memory_.high[warp_] = high;
    }
    team_.team_barrier();
    low = packet_min(memory_.low[lane_ < warps ? lane_ : 0]);
    high = packet_max(memory_.high[lane_ < warps ? lane_ : 0]);
    team_.team_barrier();
  }

 private:
  static constexpr int bin_bits = std::bit_width(static_cast<unsigned>(bins)) - 1;
  /// Values that a thread loads before it uses the first.
  static constexpr int batch = 8;

  template <class ValueOf, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const ValueOf& value, Count n, const Use& use) const {
    for (Count first = thread_; first < n; first += batch * Threads) {
      Value v[batch];
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r) {
        const Count i = first + static_cast<Count>(r) * Threads;
        v[r] = value(i < n ? i : first);
      }
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r)
        if (first + static_cast<Count>(r) * Threads < n) use(v[r]);
    }
  }

  /// Finds the bin that contains the rank; `bin_of(v)` is negative for values that do not count.
  template <class ValueOf, class BinOf>
  KOKKOS_FUNCTION void choose_bin(const ValueOf& value, Count n, Count rank,
                                  const BinOf& bin_of) const {
    for (int b = thread_; b < bins; b += Threads) memory_.bin[b] = 0;
    team_.team_barrier();
    for_each(value, n, [&](Value v) {
      const int b = bin_of(v);
      if (b >= 0) scratch_add(&memory_.bin[b], 1u);
    });
    team_.team_barrier();
    constexpr int each = bins / Threads;
    std::uint32_t mine = 0;
    for (int b = 0; b < each; ++b) mine += memory_.bin[thread_ * each + b];
    const std::uint32_t up_to = packet_inclusive_sum(mine);
    if (lane_ == width - 1) memory_.sum[warp_] = up_to;
    team_.team_barrier();
    const std::uint32_t of_warps = packet_inclusive_sum(lane_ < warps ? memory_.sum[lane_] : 0);
    const std::uint32_t before_warp = packet_broadcast(of_warps, warp_ > 0 ? warp_ - 1 : 0);
    std::uint32_t sum = (warp_ > 0 ? before_warp : 0) + up_to - mine;
    if (sum < rank && rank <= sum + mine) {
      int b = thread_ * each;
      while (sum + memory_.bin[b] < rank) sum += memory_.bin[b++];
      memory_.chosen = b;
      memory_.below = sum;
      memory_.inside = memory_.bin[b];
    }
    team_.team_barrier();
  }

  /// The smallest and the largest key of the values with `wanted(v)`.
  template <class ValueOf, class Wanted>
  KOKKOS_FUNCTION void range_of(const ValueOf& value, Count n, const Wanted& wanted, Key& low,
                                Key& high) const {
    low = static_cast<Key>(~Key{0});
    high = 0;
    for_each(value, n, [&](Value v) {
      if (!wanted(v)) return;
      const Key key = ordered_key(v);
      low = key < low ? key : low;
      high = key > high ? key : high;
    });
    reduce_range(low, high);
  }

  /// Ranks the values with `wanted(v)`, at most most_candidates.
  template <class ValueOf, class Wanted>
  KOKKOS_FUNCTION Selected<Key> rank_candidates(const ValueOf& value, Count n, Count rank,
                                                Count below, const Wanted& wanted) const {
    if (thread_ == 0) memory_.candidates = 0;
    team_.team_barrier();
    for_each(value, n, [&](Value v) {
      if (wanted(v)) memory_.candidate[scratch_fetch_add(&memory_.candidates, 1u)] = ordered_key(v);
    });
    team_.team_barrier();
    const std::uint32_t candidates = memory_.candidates;
    for (std::uint32_t c = thread_; c < candidates; c += Threads) {
      const Key mine = memory_.candidate[c];
      std::uint32_t less = 0, equal = 0;
      for (std::uint32_t other = 0; other < candidates; ++other) {
        const Key key = memory_.candidate[other];
        less += key < mine;
        equal += key == mine;
      }
      if (less < rank && rank <= less + equal) memory_.found = {mine, below + less, equal};
    }
    team_.team_barrier();
    return memory_.found;
  }

  const Team& team_;
  Memory& memory_;
  int thread_, warp_, lane_;
};

}  // namespace copse
