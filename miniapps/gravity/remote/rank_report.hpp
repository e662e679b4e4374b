#pragma once
/// \file
/// What a tree over ranks costs them, and what stateless walks repeat: gathered and reported.

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

/// What all ranks added twice, of --remote stateless.
struct SharedRepeats : Repeated {
  Count cells_plain = 0, bodies_plain = 0;  ///< in one walk by radii without inclusion, if counted
  double median_error = 0.0;                ///< of accelerations with the repeats, if known
};

/// Collective.
SharedRepeats sum_repeats(const Communicator& comm, const Repeated& mine);

/// With --verify, checks them. `bodies` are those of all ranks.
void verify_repeats(app::Session& session, const Request& request, const SharedRepeats& repeats,
                    Count bodies);

/// Prints them. \return the same for `results`
nlohmann::json report_repeats(app::Session& session, const Request& request,
                              const SharedRepeats& repeats);

/// The same of steps, by the number of the step, from `first_step` on, which has the first fields;
/// fills `results.motion.repeats`.
void report_repeats(app::Session& session, const Request& request,
                    const std::vector<SharedRepeats>& of_steps, Count first_step);

}  // namespace copse::gravity
