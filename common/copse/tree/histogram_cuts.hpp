#pragma once
/// \file
/// HistogramCuts: a cut search from the most significant digit of the keys.
///
/// Each round makes one histogram of the next digit for all open cells (segmented_histogram.hpp).
/// The digit in which the running sum reaches the wanted rank extends the prefix, until the whole
/// key and the counts below and at it are known. Exact; three rounds for 32-bit keys at the top of
/// a tree, more for many cells (histogram_bits).
///
/// Unlike SelectCuts, this search supports:
///  - *Ranks*: histograms of a cell's parts add up. `reduce` is called on every histogram before it
///    is used; if it sums over the ranks, all ranks find the cut of the whole cell.
///  - *Weights*: a histogram of weights instead of counts finds the cut by work.
///
/// The weighted cut ([Rehmann 2022] eq. 6). The wanted left weight is the left leaves' share of the
/// cell's weight W, T = floor(W d' / d), or its ceiling under LeafRule::halves. Left gets the
/// longest run of particles, in key order, that weighs at most T; under LeafRule::halves the
/// shortest that weighs at least T. (Eq. 6 as printed sums from i = 0 to x and subtracts one
/// afterwards; with unit weights that is one particle short whenever d divides N d'.) Particles of
/// one key are not divided: the whole tie goes to the side that leaves the left weight nearer to T,
/// right if both are equally near. With unit weights that is the unweighted cut, bit by bit.

#include <copse/algorithms/segmented_histogram.hpp>
#include <copse/algorithms/segmented_select.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/detail/histogram_summary.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace copse {

namespace detail {

template <class LevelT>
struct SearchedCell {
  LevelT level;
  KOKKOS_FUNCTION bool operator()(Count s) const { return level.ranks(s) > 0; }
};

template <class LevelT, class SelectionView>
struct BeginHistogramCuts {
  LevelT level;
  SelectionView found;
  typename LevelT::template Array<Count> wanted;
  KOKKOS_FUNCTION void operator()(Count s) const {
    found(s) = {};
    wanted(s) = level.ranks(s);
  }
};

template <class SelectionView>
struct FoundPrefix {
  SelectionView found;
  KOKKOS_FUNCTION auto operator()(Count s) const { return found(s).key; }
};

/// Computes a cell's weight and its share from the first histogram of weights.
template <class LevelT>
struct ShareOfWeight {
  LevelT level;
  typename LevelT::template Array<Count> histogram;
  typename LevelT::template Array<Count> share;
  typename LevelT::template Array<Count> wanted;
  int bits;
  KOKKOS_FUNCTION void operator()(Count s) const {
    if (level.ranks(s) == 0) return;
    Count total = 0;
    for (Count b = s << bits; b < (s + 1) << bits; ++b) total += histogram(b);
    share(s) = level.policy.share(level.cells(level.active(s)), total);
    wanted(s) = share(s) == 0 ? 1 : share(s);
  }
};

/// Appends to each prefix the digit in which the running sum reaches the wanted rank.
template <class ExecutionSpace, class LevelT, class SelectionView>
struct NarrowPrefix {
  using Key = typename LevelT::Key;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  LevelT level;
  SelectionView found;
  typename LevelT::template Array<Count> histogram;
  typename LevelT::template Array<Count> wanted;
  KeyDigit<Key> digit;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count s = team.league_rank();
    if (level.ranks(s) == 0 || wanted(s) == 0) return;
    const Selected<Key> before = found(s);
    const Count remaining = wanted(s) - before.below;
    // Each thread sums consecutive bins, so that one scan of the team is enough.
    const int bins = 1 << digit.bits;
    const int each = (bins + team.team_size() - 1) / team.team_size();
    const int begin = Kokkos::min(team.team_rank() * each, bins);
    const int end = Kokkos::min(begin + each, bins);
    const Count* const bin = histogram.data() + (s << digit.bits);
    Count mine = 0;
    for (int b = begin; b < end; ++b) mine += bin[b];
    // The scan is also a barrier: every thread has read what one thread overwrites below.
    Count sum = team.team_scan(mine);
    if (remaining <= sum || sum + mine < remaining) return;
    int b = begin;
    while (sum + bin[b] < remaining) sum += bin[b++];
    const Key value = static_cast<Key>(static_cast<Key>(b) << digit.shift());
    found(s) = {static_cast<Key>(before.key | value), before.below + sum, bin[b]};
    if constexpr (divides_ties<typename LevelT::Policy>)
      if (sum + bin[b] == remaining) end_search(s, digit.shift());
  }

 private:
  /// All keys with the prefix go left: the rest of the key does not matter.
  KOKKOS_FUNCTION void end_search(Count s, int unknown_bits) const {
    found(s).key |= static_cast<Key>((Key{1} << unknown_bits) - 1);
    wanted(s) = 0;
  }
};

/// Counts the cells whose search has not ended.
template <class LevelT>
struct CountSearched {
  LevelT level;
  typename LevelT::template Array<Count> wanted;
  KOKKOS_FUNCTION void operator()(Count s, Count& sum) const {
    sum += level.ranks(s) > 0 && wanted(s) > 0;
  }
};

/// As TreeLevel::choose_threshold, in units of weight; `tied` is the number of particles at the
/// key. A single particle is no tie: the rule decides its side of the share.
template <class LevelT, class SelectionView>
struct ChooseWeightedThresholds {
  using Key = typename LevelT::Key;
  LevelT level;
  SelectionView found;
  typename LevelT::template Array<Count> share;
  typename LevelT::template Array<Count> tied;
  KOKKOS_FUNCTION void operator()(Count s) const {
    if (level.ranks(s) == 0) return;
    const auto& cell = level.cells(level.active(s));
    const Selected<Key> at = found(s);
    const Count with = at.below + at.equal;
    if (tied(s) > 1 || with == share(s)) {
      level.threshold(s) = level.choose_threshold(cell, share(s), at);
      return;
    }
    const bool fewer_is_possible = at.below > 0 || at.key > ordered_key(level.policy.lowest(cell));
    const bool fewer = !level.policy.share_is_a_least() && fewer_is_possible;
    level.threshold(s) = fewer ? static_cast<Key>(at.key - 1) : at.key;
  }
};

/// Counts the particles of cells that are contiguous ranges.
template <class MemorySpace>
struct CountInSegments {
  TileTable<MemorySpace> tiles;

  static constexpr int bits(Count cells, int key_bits) { return histogram_bits(cells, key_bits); }
  template <class ExecutionSpace, class LevelT>
  void begin(const ExecutionSpace& space, const LevelT& level, Workspace<MemorySpace>& workspace) {
    const Count n = level.segments.extent(0);
    tiles = make_tiles(space, level.segments, level.rows, n, workspace, "histogram_cuts",
                       SearchedCell<LevelT>{level});
  }
  template <class ExecutionSpace, class Keys, class Key, class Prefix, class Weight,
            class Histogram>
  void operator()(const ExecutionSpace& space, const Keys& keys, const KeyDigit<Key>& digit,
                  const Prefix& prefix, const Weight& weight, const Histogram& histogram) const {
    segmented_histogram(space, keys, tiles, digit, prefix, weight, histogram);
  }
};

}  // namespace detail

/// A cut search (bisection.hpp). `Weight` is UnitWeight, or IntegerWeight for cuts by
/// weight, which need a policy with
///
///     Count share(const Cell&, Count weight) const;  // the wanted left weight, of the cell's
///     bool share_is_a_least() const;  // left gets at least the share; otherwise at most
///
/// `Counting` makes the histograms of the level's cells and sets the maximum bits per digit.
///
/// Bytes per particle: the key once per round, three to eight rounds. Cuts by weight also read the
/// weights of the particles that match the prefix, and the key once more to count the tied
/// particles.
template <class MemorySpace, class Weight = UnitWeight,
          class Counting = detail::CountInSegments<MemorySpace>>
struct HistogramCuts {
  using Histogram = Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>;

  /// Workspace bytes for levels of up to `cells` cells and `rows` particles.
  template <class Key>
  static constexpr Count workspace_bytes(Count rows, Count cells) {
    // Fewer cells may have more bins.
    Count bins = 0;
    for (Count n = cells; n > 0; n /= 2)
      bins = std::max(bins, n << Counting::bits(n, KeyDigit<Key>::key_bits));
    return cells * (sizeof(Selected<Key>) + 2 * sizeof(Count)) + bins * sizeof(Count) +
           sizeof(Count) + tile_table_bytes(cells, rows, cells);
  }

  /// Returns the weights of the particles in their current order; called once per level.
  std::function<Weight()> weight = [] { return Weight{}; };
  /// Sums the histograms of all ranks in place; empty on a single rank.
  std::function<void(const Histogram&)> reduce;
  Counting counting = {};
  /// Number of histograms of each level so far.
  std::vector<int> rounds_per_level = {};

  template <class ExecutionSpace, class Keys, class LevelT>
  void operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  Workspace<MemorySpace>& workspace) {
    using Key = typename LevelT::Key;
    using Range = Kokkos::RangePolicy<ExecutionSpace>;
    const Count n = level.segments.extent(0);
    const int most_bits = Counting::bits(n, KeyDigit<Key>::key_bits);
    const auto found = workspace.template get<Selected<Key>>("histogram_cuts::found", n);
    const auto wanted = workspace.template get<Count>("histogram_cuts::wanted", n);
    const auto share = workspace.template get<Count>("histogram_cuts::share", n);
    const auto room = workspace.template get<Count>("histogram_cuts::histogram", n << most_bits);
    using Found = std::remove_const_t<decltype(found)>;
    counting.begin(space, level, workspace);
    Kokkos::parallel_for("copse::histogram_cuts::begin", Range(space, 0, n),
                         detail::BeginHistogramCuts<LevelT, Found>{level, found, wanted});
    const detail::FoundPrefix<Found> prefix{found};
    const Weight weights = weight();

    int rounds = 0;
    KeyDigit<Key> digit;
    for (; digit.known < KeyDigit<Key>::key_bits; digit.known += digit.bits, ++rounds) {
      digit.bits = std::min(most_bits, KeyDigit<Key>::key_bits - digit.known);
      const Histogram histogram(room.data(), n << digit.bits);
      counting(space, keys, digit, prefix, weights, histogram);
      if (reduce) reduce(histogram);
      if constexpr (Weight::weighted)
        if (rounds == 0)
          Kokkos::parallel_for(
              "copse::histogram_cuts::share", Range(space, 0, n),
              detail::ShareOfWeight<LevelT>{level, histogram, share, wanted, digit.bits});
      using Narrow = detail::NarrowPrefix<ExecutionSpace, LevelT, Found>;
      Kokkos::parallel_for("copse::histogram_cuts::narrow",
                           Kokkos::TeamPolicy<ExecutionSpace>(
                               space, static_cast<int>(n), runs_on_host<ExecutionSpace> ? 1 : 256),
                           Narrow{level, found, histogram, wanted, digit});
      if constexpr (divides_ties<typename LevelT::Policy>) {
        // The rest of a key is the row, and matters if a tie is divided.
        if (digit.known < 32 && digit.known + digit.bits >= 32) {
          Count searched = 0;
          Kokkos::parallel_reduce("copse::histogram_cuts::searched", Range(space, 0, n),
                                  detail::CountSearched<LevelT>{level, wanted}, searched);
          if (searched == 0) break;
        }
      }
    }
    if constexpr (Weight::weighted) {
      const Histogram tied(room.data(), n);
      digit.bits = 0;
      counting(space, keys, digit, prefix, UnitWeight{}, tied);
      if (reduce) reduce(tied);
      ++rounds;
      Kokkos::parallel_for(
          "copse::histogram_cuts::threshold", Range(space, 0, n),
          detail::ChooseWeightedThresholds<LevelT, Found>{level, found, share, tied});
    } else {
      Kokkos::parallel_for("copse::histogram_cuts::threshold", Range(space, 0, n),
                           detail::ChooseThresholds<LevelT, Found>{level, found});
    }
    rounds_per_level.push_back(rounds);
    last_bits_ = digit.bits;
  }

  /// After an unweighted search: fills `summary` for the last searched level: `left(s)` particles,
  /// their largest key `left_max(s)`, and the smallest key on the right `right_min(s)`; 0, 0 and ~0
  /// where a side is empty. \return false if the histograms do not determine it for all cells
  /// (sparse keys, cuts by weight); `summary` is then unusable. Synchronises with the device.
  template <class ExecutionSpace, class LevelT, class Summary>
  bool summarize(const ExecutionSpace& space, const LevelT& level, const Summary& summary,
                 Workspace<MemorySpace>& workspace) const {
    if constexpr (Weight::weighted) {
      return false;
    } else {
      using Key = typename LevelT::Key;
      const Count n = level.segments.extent(0);
      const auto found = workspace.template get<Selected<Key>>("histogram_cuts::found", n);
      const auto histogram =
          workspace.template get<Count>("histogram_cuts::histogram", n << last_bits_);
      const auto unknown = workspace.template get<Count>("histogram_cuts::unknown", 1);
      Kokkos::deep_copy(space, unknown, Count{0});
      using Found = std::remove_const_t<decltype(found)>;
      Kokkos::parallel_for("copse::histogram_cuts::summary",
                           Kokkos::TeamPolicy<ExecutionSpace>(
                               space, static_cast<int>(n), runs_on_host<ExecutionSpace> ? 1 : 128),
                           detail::SummarizeHistogram<ExecutionSpace, LevelT, Found, Summary>{
                               level, found, histogram, summary, unknown, last_bits_});
      Count missing = 0;
      const Kokkos::View<Count, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(&missing);
      Kokkos::deep_copy(space, host, Kokkos::subview(unknown, 0));
      space.fence("copse::histogram_cuts::summary");
      return missing == 0;
    }
  }

 private:
  int last_bits_ = 0;  ///< bits of the last histogram's digit
};

}  // namespace copse
