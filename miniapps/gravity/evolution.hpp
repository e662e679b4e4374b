#pragma once
/// \file
/// A run of --steps: measured, verified, reported and written.

#include "request.hpp"
#include <copse/app/session.hpp>

namespace copse::gravity {

/// Moves the bodies of the input or of --restart by --steps. The warm-up writes snapshots and
/// records the sums of every step; each timed run starts from the same state and only steps. First
/// fields are computed outside the measured steps. Fills `results` of the report.
/// \throws InputError as solve_all, and if a file cannot be read or written
void evolve(app::Session& session, const Request& request);

/// Limits of --verify. `drift`: the largest |E - E0| / |U0|. Measured: see README.md.
inline constexpr double drift_tolerance = 1e-3;
/// `push`: the largest |P - P0| over the impulse of all forces, the sum of m |a| dt.
inline constexpr double push_tolerance = 1e-3;

}  // namespace copse::gravity
