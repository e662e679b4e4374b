#pragma once
/// \file
/// The request: the command-line options of a run and the settings derived from them.

#include "contacts.hpp"
#include <copse/app/command_line.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace copse::collide {

/// How `microblocks-slots` makes a step, in the order of publication; the last was future work.
enum class SlotsVariant : std::uint8_t {
  rescan,
  migrate,
  fused,
  thread_per_particle,
  macro_blocks
};

/// Names on the command line, in the order of SlotsVariant.
inline constexpr std::array<const char*, 5> slots_variant_names{
    "rescan", "migrate", "fused", "thread-per-particle", "macro-blocks"};

/// Steps are counted exactly, also as double, and those of restarted runs are added.
inline constexpr Count most_steps = Count{1} << 52;

struct Request {
  std::string method = "auto";
  Count dimensions = 2;
  std::string force_name = "cs267";
  bool periodic = false;  ///< the region has no walls
  Count steps = 100;
  std::optional<double> dt;  ///< empty: the force's own
  std::optional<double> cutoff;
  std::optional<double> density;      ///< particles per d^D, d = cutoff or sigma
  std::optional<double> temperature;  ///< of the start `gas`
  double radius_spread = 1.0;         ///< largest size over smallest
  std::string integrator = "euler";
  std::string summation = "ordered";
  double cell_side = 1.0;  ///< of the cells of a grid, in cutoffs and skins
  /// In largest reaches (cutoff times the largest size); empty: the method's best.
  std::optional<double> skin;
  std::string slots_variant = "auto";  ///< of microblocks-slots
  Count regions = 0;                   ///< of sweep-regions; 0: one for each thread
  std::string domains = "orb";         ///< of several ranks
  std::string ghosts = "all";          ///< how they are sent
  Count rebalance = 0;                 ///< steps between new domains; 0: none
  Count save_every = 0;                ///< steps between frames; 0: the last state only
  std::string restart;                 ///< file to continue from; empty: none
  double radial_range = 0.0;           ///< of g(r), in cutoffs; 0: none

  std::vector<std::string> methods;  ///< `method` expanded by `settle`
  Force force;

  void declare(CLI::App& cli);
  /// Checks that the options are consistent and fills the derived settings.
  /// \throws InputError for impossible values and combinations
  void settle(const app::CommonOptions& common);

  /// Settles what depends on the number of ranks. \throws InputError for a skin without effect
  void settle_ranks(int ranks);

  /// Is the state after `step` of a run with these --steps a frame? Frames are those after steps 1,
  /// 1 + save_every, 1 + 2 save_every, ..., as the course CS 267 has them.
  bool is_frame(Count step, Count last) const {
    return save_every == 0 ? step == last : (step - 1) % save_every == 0;
  }
  /// If `done` steps of this run are made, after `before` of earlier runs: the step at which it
  /// stops next, for a frame, for the end, or after a twentieth of all steps to report progress.
  Count next_stop(Count before, Count done) const {
    const Count piece = std::max<Count>(steps / 20, 1);
    const Count stop = std::min((done / piece + 1) * piece, steps);
    const Count k = save_every;
    return k == 0 ? stop : std::min(stop, 1 + (before + done + k - 1) / k * k - before);
  }
  bool leapfrog() const { return integrator == "leapfrog"; }
  double step_length() const;
  SlotsVariant variant_of_slots() const;
  /// Is one of these among the methods?
  bool runs_any_of(std::initializer_list<const char*> names) const;
  /// \throws InputError for options that the start or all methods ignore
  void refuse_without_effect(const app::CommonOptions& common) const;
  /// Side of the region of a generated start.
  double region_side(Count particles) const;

  template <int D>
  Physics<D> physics(const Region<D>& region) const {
    return {force, region, step_length(), summation == "ordered"};
  }
};

}  // namespace copse::collide
