#pragma once
/// \file
/// What a tree over ranks costs them, gathered and reported.

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

}  // namespace copse::gravity
