/// \file
/// Linked with the peers of orb, this corrupts the rows that they have moved or assigned, or the
/// sizes of leaves by COPSE_AMOUNT particles, as the environment variable COPSE_SABOTAGE says.
/// check_peer_tolerances.py names the check that must detect it.

#include "../../perf/peers/rows.hpp"
#include "sabotage_asked.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/types.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace copse::peers {
namespace {

void corrupt_sizes(std::vector<Count>& sizes) {
  const Asked asked("");
  if (!asked.to("leaf")) return;
  const auto moved = static_cast<Count>(asked.amount());
  sizes.front() += moved;
  sizes.back() -= moved;
}

/// Two particles of different leaves change places, or one is there twice.
void corrupt_moved(std::vector<Row>& rows) {
  const Asked asked("");
  if (asked.to("exchanged")) std::swap(rows.front(), rows.back());
  if (asked.to("repeated")) rows.front().index = rows.back().index;
}

void corrupt_assigned(std::vector<AssignedRow>& rows) {
  const Asked asked("");
  const auto other = std::find_if(rows.begin(), rows.end(), [&](const AssignedRow& assigned) {
    return assigned.part != rows.front().part;
  });
  if (asked.to("exchanged")) std::swap(rows.front().part, other->part);
  if (asked.to("repeated")) rows.front().row = other->row;
}

[[maybe_unused]] const bool armed =
    (app::corrupt<std::vector<Count>> = corrupt_sizes) != nullptr &&
    (app::corrupt<std::vector<Row>> = corrupt_moved) != nullptr &&
    (app::corrupt<std::vector<AssignedRow>> = corrupt_assigned) != nullptr;

}  // namespace
}  // namespace copse::peers
