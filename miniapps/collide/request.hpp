#pragma once
/// \file
/// The request: the command-line options of a run and the settings derived from them.

#include "contacts.hpp"
#include <copse/app/command_line.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace copse::collide {

struct Request {
  std::string method = "auto";
  int dimensions = 2;
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
  double cell_side = 1.0;      ///< of the cells of a grid, in cutoffs and skins
  int regions = 0;             ///< of sweep-regions; 0: one for each thread
  std::optional<double> skin;  ///< in cutoffs; empty: the method's best
  Count save_every = 0;        ///< steps between frames; 0: none

  std::vector<std::string> methods;  ///< `method` expanded by `settle`
  Force force;

  void declare(CLI::App& cli);
  /// Checks that the options are consistent and fills the derived settings.
  /// \throws InputError for impossible values and combinations
  void settle(const app::CommonOptions& common);

  bool leapfrog() const { return integrator == "leapfrog"; }
  double step_length() const;
  /// Side of the region of a generated start.
  double region_side(Count particles) const;

  template <int D>
  Physics<D> physics(const Region<D>& region) const {
    return {force, region, step_length(), summation == "ordered"};
  }
};

}  // namespace copse::collide
