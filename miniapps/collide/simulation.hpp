#pragma once
/// \file
/// One run of one method: recorded in the warm-up, measured in the repeats, and compared with the
/// reference.

#include "distributed/rank_cost.hpp"
#include "methods.hpp"
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
};

struct Simulation {
  std::string method;
  Count particles = 0;
  std::vector<Record> records;  ///< of the warm-up; the first is the start
  double crowding = 0.0;        ///< particles in a square or cube whose side is the largest reach
  double seconds = 0.0;         ///< of all steps of a measured run
  std::map<std::string, double> figures;  ///< the method's own, of the last run
  std::vector<RankCost> costs;  ///< of this rank in each measured run
  Comparison comparison;
};

/// Runs every requested method. Collective.
std::vector<Simulation> simulate_all(app::Session& session, const Request& request);

/// Named checks of `--verify`.
void verify(app::Session& session, const Request& request,
            const std::vector<Simulation>& simulations);

/// Table, results and figures of merit.
void report(app::Session& session, const Request& request,
            const std::vector<Simulation>& simulations);

}  // namespace copse::collide
