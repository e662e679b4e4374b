#pragma once
/// \file
/// The costs of a tree over ranks, and the repeats of stateless walks: gathered and reported.

#include "shared_tree.hpp"
#include <copse/app/session.hpp>

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace copse::gravity {

struct RankCost {
  SharedCost shared;
  RemoteCost remote;
};
using RankCosts = std::vector<RankCost>;  ///< [ranks]

/// Collective; the same on every rank.
RankCosts costs_of_ranks(const Communicator& comm, const SharedCost& shared,
                         const RemoteCost& remote);

/// Fills `results.motion.balance` with the most and the mean of the ranks, for the first fields and
/// each step, and prints how even the counts are. Collective.
/// \param interactions, seconds [steps + 1] of this rank; `interactions` may be empty
void report_balance(app::Session& session, const Communicator& comm,
                    const std::vector<double>& interactions, const std::vector<double>& seconds);

/// Prints a table of the costs. \return the same for `results`
nlohmann::json report_ranks(app::Session& session, const std::string& what, const RankCosts& costs);

/// What the walks of all ranks added twice with --remote stateless.
struct SharedRepeats : Repeated {
  /// Interactions of one walk by radii without inclusion. Not counted for steps.
  Count cells_plain = 0, bodies_plain = 0;
  /// Median relative error of accelerations with the repeats. Not known of steps.
  double median_error = 0.0;
};

/// Counts added up over the ranks, masses and their errors the largest of any rank; without the
/// members of SharedRepeats itself. Collective; the same on every rank.
SharedRepeats sum_repeats(const Communicator& comm, const Repeated& mine);

/// With --verify, checks that the repeats are those that the recursion lists
/// (buckets_unlike_recursion), that potentials show their masses (masses_of_repeats), and that
/// there are none with --inclusion radius or opening (nothing_repeats_with_inclusion).
/// \param bodies  of all ranks
void verify_repeats(app::Session& session, const Request& request, const SharedRepeats& repeats,
                    Count bodies);

/// Prints the repeats of one solution and what --inclusion costs. \return the same for
/// `results.methods[].repeats`
nlohmann::json report_repeats(app::Session& session, const Request& request,
                              const SharedRepeats& repeats);

/// Fills `results.motion.repeats` with an entry per step, and prints the first and the last.
/// \param of_steps    at least one: the first fields, then each step
/// \param first_step  number of the step that has the first fields, 0 without a restart
void report_repeats(app::Session& session, const Request& request,
                    const std::vector<SharedRepeats>& of_steps, Count first_step);

}  // namespace copse::gravity
