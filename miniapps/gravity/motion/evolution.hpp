#pragma once
/// \file
/// A run of --steps: measured, verified, reported and written.

#include "../request.hpp"
#include "leapfrog.hpp"
#include "restart.hpp"
#include <copse/app/session.hpp>

namespace copse::gravity {

/// Bodies that move, on one rank or over several; all methods but `steps` and `time` are
/// collective.
class Evolving {
 public:
  virtual ~Evolving() = default;
  virtual Count bodies() const = 0;  ///< over all ranks
  virtual void start() = 0;          ///< the initial state and its fields
  virtual void step(double dt) = 0;  ///< as Motion::step
  virtual Count steps() const = 0;   ///< since the input
  virtual double time() const = 0;
  virtual MotionSums sums() const = 0;
  virtual Restart gather() const = 0;    ///< the state in the order of the input, on rank 0
  virtual void count_work() {}           ///< of the last fields, in the warm-up, for `report`
  virtual void report(app::Session&) {}  ///< what only this kind has to report
};

/// Moves the bodies of the input or of --restart by --steps. The warm-up writes snapshots and
/// records the sums of every step; each timed run starts from the same state and only steps. First
/// fields are computed outside the measured steps. Fills `results` of the report.
/// \throws InputError as solve_all, and if a file cannot be read or written
void evolve(app::Session& session, const Request& request);

/// Limits of --verify.
/// Largest |E - E0| / |U0|. Measured with --softening 0.01 for 1000 and 10,000 bodies and all
/// methods: 1.7e-4 and less (plummer, 50 steps of 0.01; nfw and uniform, 20 steps of 0.001). A
/// step that is too long fails: nfw, 50 steps of 0.01, 5e-3.
inline constexpr double drift_tolerance = 1e-3;
/// Largest |P - P0| over the impulse of all forces, the sum of m |a| dt. Measured in the same runs:
/// 3.5e-4 and less.
inline constexpr double push_tolerance = 1e-3;

}  // namespace copse::gravity
