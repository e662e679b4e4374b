/// \file
/// Linked with the peers of orb, this moves COPSE_AMOUNT particles from the last leaf to the first
/// if the environment variable COPSE_SABOTAGE says "leaf". check_peer_tolerances.py names the check
/// that must detect it.

#include "sabotage_asked.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/types.hpp>

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

[[maybe_unused]] const bool armed = (app::corrupt<std::vector<Count>> = corrupt_sizes) != nullptr;

}  // namespace
}  // namespace copse::peers
