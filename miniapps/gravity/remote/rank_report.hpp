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

/// Prints a table of the costs. \return the same for `results`
nlohmann::json report_ranks(app::Session& session, const std::string& what, const RankCosts& costs);

}  // namespace copse::gravity
