#pragma once
/// \file
/// One run of one method: recorded in the warm-up, measured in the repeats, and compared with the
/// reference.

#include "distributed/rank_cost.hpp"
#include "methods.hpp"
#include "output.hpp"
#include "radial_distribution.hpp"
#include "request.hpp"
#include "start.hpp"
#include <copse/app/session.hpp>

#include <map>
#include <string>
#include <vector>

namespace copse::collide {

/// The state of a moment, summed over all particles.
struct Record {
  Count step = 0;
  double kinetic = 0.0;
  double momentum[3] = {};
  ContactSums contacts;

  double energy() const { return kinetic + contacts.potential; }
};

/// What `--verify` found; each is the worst of all compared steps.
struct Comparison {
  Count steps = 0;              ///< compared
  double wrong_contacts = 0.0;  ///< steps whose set of contacts differs
  double wrong_bits = 0.0;      ///< particles with other bits after the last compared step
  double deviation = 0.0;       ///< of a step, relative; only if sums have any order
  double wrong_ids = 0.0;       ///< ids that are missing after the last compared step
  Count wall_bounces = 0;       ///< coordinates that a wall turned in the compared steps
};

struct Simulation {
  std::string method;
  Count particles = 0;
  std::vector<Record> records;  ///< of the warm-up; the first is the start
  double crowding = 0.0;        ///< particles in a square or cube whose side is the largest reach
  double seconds = 0.0;         ///< of all steps of a measured run
  double copy_seconds = 0.0;    ///< of a copy of the state within its memory
  double state_bytes = 0.0;     ///< that such a copy reads and writes
  double least_bytes = 0.0;     ///< that any step reads and writes: positions, velocities, ids
  double volume = 0.0;          ///< of the region
  std::map<std::string, double> figures;  ///< the method's own, of the last run
  std::vector<RankCost> costs;            ///< of this rank in each measured run
  Comparison comparison;
  RadialDistribution radial;  ///< of the last state; only of the first method
};

/// Runs every requested method. Collective. The warm-up of the first one fills `output`, if there
/// is one, and leaves it to the caller to commit it. \throws InputError naming step and particle if
/// one is no longer at a finite place
std::vector<Simulation> simulate_all(app::Session& session, const Request& request, Output* output);

/// Bytes of Views in the memory of the backend at the peak of a run. Methods with lists or tables
/// of their own need more.
Count estimate_bytes(Count particles, const Request& request, const std::string& backend);

/// Named checks of `--verify`.
void verify(app::Session& session, const Request& request,
            const std::vector<Simulation>& simulations);

/// Table, results and figures of merit.
void report(app::Session& session, const Request& request,
            const std::vector<Simulation>& simulations);

}  // namespace copse::collide
