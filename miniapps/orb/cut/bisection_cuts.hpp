#pragma once
/// \file
/// BisectionCuts: the cut search of the thesis ([Rehmann 2022] algorithm 2; bracket.hpp lists its
/// printed errors) for all open cells of a level at once.
///
/// Each step counts the keys up to the middle of every cell's bounds and moves one bound there. A
/// cell is done when its left count is within `alpha` of the rule's or when its bounds are adjacent
/// numbers. With alpha = 0 and no step limit the cuts are bitwise those of SelectCuts.
///
/// Bytes per particle and level: 4 per step; for uniform particles the number of steps is about
/// log2 of the cell's particles plus a few. Launches per level: two per step and those of the
/// count.

#include "../count/count_left.hpp"
#include "../variant.hpp"
#include "bracket.hpp"
#include "sample_guesses.hpp"
#include <copse/algorithms/workspace.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb {

/// State of the bisections of a level.
template <class LevelT, class MemorySpace>
struct BisectionState {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;
  LevelT level;
  CutTrials<MemorySpace> trials;
  Array<CutBracket> bracket;
  Array<CutGuesses> guesses;
  bool has_guesses = false;
  Count alpha = 0;

  KOKKOS_FUNCTION Count rank(Count s) const {
    return level.policy.rank(level.cells(level.active(s)));
  }
  KOKKOS_FUNCTION void close(Count s, OrderedKey<Real> threshold) const {
    level.threshold(s) = threshold;
    trials.cut(s) = Kokkos::Experimental::quiet_NaN_v<Real>;
  }
  /// Sets the trial cut of `step`, or closes the cell if there is none left.
  KOKKOS_FUNCTION void propose(Count s, Count step, bool last_was_low) const {
    const CutBracket b = bracket(s);
    if (has_guesses && step < 2) {
      const CutGuesses& g = guesses(s);
      const Real guess = step == 0 ? g.middle : (last_was_low ? g.high : g.low);
      if (b.holds(guess)) {
        trials.cut(s) = guess;
        return;
      }
    }
    Real cut = Real{0};
    if (b.middle(cut)) {
      trials.cut(s) = cut;
    } else {
      close(s, b.better_bound(rank(s), lower_face(s)));
    }
  }
  KOKKOS_FUNCTION Real lower_face(Count s) const {
    return level.policy.lowest(level.cells(level.active(s)));
  }
};

/// Initialises the bounds and key columns of all cells to be cut.
template <class State, class Keys>
struct BeginBisection {
  State state;
  Keys keys;
  KOKKOS_FUNCTION void operator()(Count s) const {
    state.trials.left(s) = 0;
    state.trials.cut(s) = Kokkos::Experimental::quiet_NaN_v<Real>;
    if (state.level.ranks(s) == 0) return;
    const auto& cell = state.level.cells(state.level.active(s));
    const Segment rows = state.level.segments(s);
    state.trials.column(s) = AxisColumn{keys.segment(s).value.column};
    state.bracket(s) =
        CutBracket{static_cast<OrderedKey<Real>>(ordered_key(state.lower_face(s)) - 1),
                   ordered_key(cell.upper[cell.cut_axis]), 0, rows.size()};
    state.trials.cut(s) = Real{0};  // open; the first step's cut is proposed next
  }
};

/// After a count: closes the cell, or moves a bound and proposes the next cut.
template <class State>
struct ImproveCuts {
  State state;
  Count step;  ///< of the cut proposed now
  bool last;   ///< no step is left: accept the current bounds
  KOKKOS_FUNCTION void operator()(Count s, Count& keys) const {
    if (!state.trials.is_open(s)) return;
    const Real cut = state.trials.cut(s);
    const Count left = state.trials.left(s);
    state.trials.left(s) = 0;
    const Count rank = state.rank(s);
    if ((left > rank ? left - rank : rank - left) <= state.alpha) {
      state.close(s, ordered_key(cut));
      return;
    }
    const Count wanted = state.level.ranks(s);
    state.bracket(s).narrow(cut, left, wanted);
    if (last) {
      state.close(s, state.bracket(s).better_bound(rank, state.lower_face(s)));
      return;
    }
    state.propose(s, step, left < wanted);
    if (state.trials.is_open(s)) keys += state.level.segments(s).size();
  }
};

/// A cut search (bisection.hpp) for keys that are coordinates.
template <class ExecutionSpace>
class BisectionCuts {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// \param log  receives the counts of its last level; must outlive the search
  BisectionCuts(const Variant& variant, BuildLog& log)
      : variant_(variant), count_left_(variant.count), log_(log) {}

  template <class Keys, class LevelT>
  void operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  Workspace<MemorySpace>& workspace) {
    using State = BisectionState<LevelT, MemorySpace>;
    using Range = Kokkos::RangePolicy<ExecutionSpace>;
    const Count n = level.segments.extent(0);
    State state;
    state.level = level;
    state.trials.segments = level.segments;
    state.trials.column = workspace.template get<AxisColumn>("bisection::column", n);
    state.trials.cut = workspace.template get<Real>("bisection::cut", n);
    state.trials.left = workspace.template get<Count>("bisection::left", n);
    state.trials.rows = level.rows;
    state.bracket = workspace.template get<CutBracket>("bisection::bracket", n);
    state.guesses = workspace.template get<CutGuesses>("bisection::guesses", n);
    state.has_guesses = variant_.cut == CutMethod::sampled_bisection;
    state.alpha = variant_.alpha;

    Kokkos::parallel_for("copse::orb::bisection_begin", Range(space, 0, n),
                         BeginBisection<State, Keys>{state, keys});
    count_left_.prepare(space, state.trials, workspace);
    if (state.has_guesses) launch_sample_guesses(space, state.trials, level.ranks, state.guesses);
    LevelLog& log = log_.levels.back();
    Count open_keys = 0;
    // Proposes the first cut of every cell; sums the keys to be counted and the cells.
    Kokkos::parallel_reduce(
        "copse::orb::bisection_first", Range(space, 0, n),
        KOKKOS_LAMBDA(const Count s, Count& keys_sum, Count& cells) {
          if (!state.trials.is_open(s)) return;
          cells += 1;
          state.propose(s, 0, false);
          if (state.trials.is_open(s)) keys_sum += state.level.segments(s).size();
        },
        open_keys, log.cells);
    for (Count step = 1; open_keys > 0; ++step) {
      log.launches += count_left_.run(space, state.trials);
      log.keys_counted += open_keys;
      log.iterations += 1;
      Kokkos::parallel_reduce("copse::orb::bisection_improve", Range(space, 0, n),
                              ImproveCuts<State>{state, step, step == variant_.max_steps},
                              open_keys);
    }
  }

 private:
  Variant variant_;
  CountLeft<ExecutionSpace> count_left_;
  BuildLog& log_;
};

}  // namespace copse::orb
