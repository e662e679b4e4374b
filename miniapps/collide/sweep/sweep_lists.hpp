#pragma once
/// \file
/// Sweep and prune [Li, Scott, Twigg 2012, section 2.2]: which boxes of moving particles overlap.
///
/// A particle has an interval on each axis. Each axis has a list of the lower and upper ends of all
/// intervals, its tokens. Two intervals begin to overlap when the upper end of one is exchanged
/// with the lower end of the other, and cease to when they are exchanged again.
///
/// Invariants after `update`
///  - The tokens of each axis ascend; a lower end comes before an upper end at the same place.
///  - The set of pairs has exactly the pairs of particles whose intervals overlap on all axes.
///
/// Why: two tokens that change their order are exchanged, so a pair that begins or ceases to
/// overlap is met. On every meeting its membership is decided anew by the places of its intervals
/// after the step, so it does not matter in which order axes and exchanges are visited, or whether
/// particles jump far. Most meetings are of particles that are far apart on another axis, before
/// and after; these are not looked up.
///
/// Places are integers, so a token is one word and one comparison orders two tokens. Rounding moves
/// the ends of an interval outwards by up to three quanta, never inwards. A circular axis has 2^30
/// quanta. A token that leaves it at one end moves to the other end of the list and is sorted from
/// there, so a list holds each token once.

#include "pair_set.hpp"
#include <copse/app/corruptible.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace copse::collide {

/// Not for concurrent use; particles are called by the numbers that the caller gives them, from 0
/// without large gaps.
template <int D>
class SweepLists {
 public:
  using Number = PairSet::Number;

  struct Axis {
    double lower = 0.0;  ///< of all places
    double span = 1.0;   ///< a circular axis begins anew after it
    bool circular = false;
  };

  /// Removes all particles. `reach` is the largest length of an interval.
  void reset(const Kokkos::Array<Axis, D>& axes, double reach) {
    axes_ = axes;
    for (int a = 0; a < D; ++a) {
      scale_[a] = circle / axes[a].span;
      shift_[a] = axes[a].circular ? 32 - circle_bits : 0;
      longest_[a] = half_of(reach, a) * 2;
      tokens_[a].assign(1, least_token);
      boxes_[a].clear();
      before_[a].clear();
      swaps_[a] = 0;
    }
    pairs_.clear();
    fresh_.clear();
    dead_.clear();
  }

  /// A particle that takes part from the next `update` on.
  void add(Number i, const Kokkos::Array<double, D>& x, double length) {
    for (int a = 0; a < D; ++a) {
      if (i >= boxes_[a].size()) {
        boxes_[a].resize(i + 1);
        before_[a].resize(i + 1);
      }
      before_[a][i] = boxes_[a][i] = {place(x[a], a), half_of(length, a)};
    }
    fresh_.push_back(i);
  }

  /// Takes a particle out at the next `update`; its number may be given away after that.
  void remove(Number i) { dead_.push_back(i); }

  void move(Number i, const Kokkos::Array<double, D>& x) {
    for (int a = 0; a < D; ++a) boxes_[a][i].centre = place(x[a], a);
  }

  /// Sorts all lists. O(particles + exchanges), and O(f log f) for f new particles with the
  /// particles that are near to them on the first axis.
  void update() {
    if (!dead_.empty()) drop_dead();
    sort_axes(std::make_integer_sequence<int, D>{});
    for (int a = 0; a < D; ++a) before_[a] = boxes_[a];
    if (!fresh_.empty()) merge_fresh();
    app::corruptible(pairs_);
  }

  const PairSet& pairs() const { return pairs_; }

  /// Exchanges of neighbouring tokens of an axis since `reset`, without those of new particles.
  Count swaps(int axis) const { return swaps_[axis]; }

  /// Tokens of an axis, in order: place << 32 | upper end << 31 | particle.
  std::span<const std::int64_t> tokens(int axis) const {
    return std::span(tokens_[axis]).subspan(1);
  }

 private:
  using Token = std::int64_t;
  struct Interval {
    std::int32_t centre, half;
  };

  static constexpr int circle_bits = 30;
  static constexpr std::int32_t circle = std::int32_t{1} << circle_bits;
  static constexpr Token least_token = std::numeric_limits<Token>::min();
  static constexpr std::uint32_t upper_bit = std::uint32_t{1} << 31;

  static Number particle(Token token) { return static_cast<std::uint32_t>(token) & ~upper_bit; }
  static bool is_upper(Token token) { return (token & upper_bit) != 0; }
  static Token at(std::int64_t place, bool upper, Number i) {
    return static_cast<Token>(static_cast<std::uint64_t>(place) << 32) | (upper ? upper_bit : 0) |
           i;
  }
  static Token quanta(std::int64_t places) {
    return static_cast<Token>(static_cast<std::uint64_t>(places) << 32);
  }

  std::int32_t place(double x, int a) const {
    const double p = (x - axes_[a].lower) * scale_[a];
    // NaN becomes 0.
    return p > 0.0 ? static_cast<std::int32_t>(std::min<double>(p, circle - 1)) : 0;
  }
  std::int32_t half_of(double length, int a) const {
    return static_cast<std::int32_t>(std::min<double>(0.5 * length * scale_[a], circle / 2)) + 2;
  }

  /// From b to a; on a circular axis the short way.
  std::int32_t difference(std::int32_t a, std::int32_t b, int axis) const {
    const auto d = (static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b)) << shift_[axis];
    return static_cast<std::int32_t>(d) >> shift_[axis];
  }
  bool overlap(const Interval& a, const Interval& b, int axis) const {
    return std::abs(difference(a.centre, b.centre, axis)) <= a.half + b.half;
  }
  /// On all axes but one (or none, for -1)?
  template <int Except>
  bool overlap_except(const std::vector<Interval>* intervals, Number i, Number j) const {
    for (int a = 0; a < D; ++a)
      if (a != Except && !overlap(intervals[a][i], intervals[a][j], a)) return false;
    return true;
  }
  bool overlap_now(Number i, Number j) const { return overlap_except<-1>(boxes_, i, j); }

  /// Two ends of different kinds have changed their order on an axis.
  template <int A>
  void meet(Token passed, Token moving) {
    const Number i = particle(moving), j = particle(passed);
    // A lower end that moves down begins an overlap, which matters if there is one on the other
    // axes now; an upper end ends one, which matters if there was one.
    if (!overlap_except<A>(is_upper(moving) ? before_ : boxes_, i, j)) return;
    if (overlap_now(i, j))
      pairs_.insert(i, j);
    else
      pairs_.erase(i, j);
  }

  /// Inserts a token into the sorted ones below place k. \return where
  template <int A>
  std::size_t insert(std::size_t k, Token token) {
    Token* tokens = tokens_[A].data();
    for (; tokens[k - 1] > token; --k) {
      const Token passed = tokens[k - 1];
      tokens[k] = passed;
      if (((passed ^ token) & upper_bit) != 0) meet<A>(passed, token);
    }
    tokens[k] = token;
    return k;
  }

  template <int... A>
  void sort_axes(std::integer_sequence<int, A...>) {
    (sort<A>(), ...);
    ((axes_[A].circular ? close_circle<A>() : void()), ...);
  }

  /// Moves the tokens with their particles and sorts them.
  template <int A>
  void sort() {
    const auto& now = boxes_[A];
    const auto& before = before_[A];
    const std::size_t end = tokens_[A].size();
    Count swaps = 0;
    for (std::size_t k = 1; k < end; ++k) {
      const Token token = tokens_[A][k];
      const Number i = particle(token);
      const Token moved = token + quanta(difference(now[i].centre, before[i].centre, A));
      swaps += k - insert<A>(k, moved);
    }
    swaps_[A] += swaps;
  }

  /// Brings tokens beyond the ends of a circular axis to the other end of its list.
  template <int A>
  void close_circle() {
    auto& tokens = tokens_[A];
    const auto first = tokens.begin() + 1;
    const auto high = std::lower_bound(first, tokens.end(), quanta(circle));
    const auto highs = static_cast<std::size_t>(tokens.end() - high);
    if (highs > 0) {
      std::rotate(first, high, tokens.end());
      for (std::size_t k = 1; k <= highs; ++k) tokens[k] -= quanta(circle);
      for (std::size_t k = highs + 1; k < tokens.size(); ++k) {
        const std::size_t place = insert<A>(k, tokens[k]);
        if (place == k) break;  // all above are in order
        swaps_[A] += k - place;
      }
    }
    const auto low = std::lower_bound(first, tokens.end(), Token{0});
    const auto lows = static_cast<std::size_t>(low - first);
    if (lows == 0) return;
    std::rotate(first, low, tokens.end());
    for (std::size_t k = tokens.size() - lows; k < tokens.size(); ++k)
      swaps_[A] += k - insert<A>(k, tokens[k] + quanta(circle));
  }

  void drop_dead() {
    is_dead_.assign(boxes_[0].size(), false);
    for (const Number i : dead_) is_dead_[i] = true;
    for (auto& tokens : tokens_)
      tokens.erase(std::remove_if(tokens.begin() + 1, tokens.end(),
                                  [&](Token t) { return is_dead_[particle(t)]; }),
                   tokens.end());
    std::vector<std::pair<Number, Number>> old;
    pairs_.for_each([&](Number i, Number j) {
      if (is_dead_[i] || is_dead_[j]) old.emplace_back(i, j);
    });
    for (const auto& [i, j] : old) pairs_.erase(i, j);
    dead_.clear();
  }

  /// Merges the tokens of new particles into the lists and finds their pairs on the first axis.
  void merge_fresh() {
    const bool all = tokens_[0].size() == 1;
    std::vector<Token> fresh;
    for (int a = 0; a < D; ++a) {
      fresh.clear();
      for (const Number i : fresh_)
        for (const bool upper : {false, true}) {
          const Interval& box = boxes_[a][i];
          std::int64_t place = upper ? box.centre + box.half : box.centre - box.half;
          if (axes_[a].circular) place &= circle - 1;
          fresh.push_back(at(place, upper, i));
        }
      std::sort(fresh.begin(), fresh.end());
      auto& tokens = tokens_[a];
      const auto middle = static_cast<std::ptrdiff_t>(tokens.size());
      tokens.insert(tokens.end(), fresh.begin(), fresh.end());
      std::inplace_merge(tokens.begin(), tokens.begin() + middle, tokens.end());
    }
    is_fresh_.assign(boxes_[0].size(), false);
    for (const Number i : fresh_) is_fresh_[i] = true;
    for (std::size_t k = 1; k < tokens_[0].size(); ++k) {
      const Token token = tokens_[0][k];
      if (is_upper(token) || !is_fresh_[particle(token)]) continue;
      const Interval& box = boxes_[0][particle(token)];
      find_pairs(k, token + quanta(2 * std::int64_t{box.half}), 1);
      // Old particles may begin below.
      if (!all) find_pairs(k, token - quanta(longest_[0]), -1);
    }
    fresh_.clear();
  }

  /// Tests the particles whose lower ends are between that of the particle at k and `limit`.
  void find_pairs(std::size_t k, Token limit, int direction) {
    const auto& tokens = tokens_[0];
    const Number i = particle(tokens[k]);
    const std::size_t last = tokens.size() - 1;
    const Token around = quanta(direction * std::int64_t{circle});
    limit = at(limit >> 32, direction > 0, direction > 0 ? upper_bit - 1 : 0);
    Token turned = 0;
    for (std::size_t met = 1; met < last; ++met) {
      k += static_cast<std::size_t>(direction);
      if (k == 0 || k > last) {
        if (!axes_[0].circular) return;
        k = k == 0 ? last : 1;
        turned = around;
      }
      const Token token = tokens[k] + turned;
      if (direction > 0 ? token > limit : token < limit) return;
      const Number j = particle(token);
      if (!is_upper(token) && overlap_now(i, j)) pairs_.insert(i, j);
    }
  }

  Kokkos::Array<Axis, D> axes_{};
  Kokkos::Array<double, D> scale_{};
  int shift_[D] = {};
  std::int32_t longest_[D] = {};
  std::vector<Token> tokens_[D];  ///< after a token that is less than all
  std::vector<Interval> boxes_[D];
  std::vector<Interval> before_[D];  ///< at the last update
  std::vector<bool> is_dead_, is_fresh_;
  PairSet pairs_;
  std::vector<Number> fresh_, dead_;
  Count swaps_[D] = {};
};

}  // namespace copse::collide
