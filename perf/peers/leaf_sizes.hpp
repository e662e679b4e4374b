#pragma once
/// \file
/// What a peer must have in common with orb for a comparison of times to mean anything: as many
/// leaves, of the same sizes.

#include <copse/app/session.hpp>
#include <copse/backend/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace copse::peers {

/// Particles by which a leaf may differ from the rule's size: where equal coordinates stay
/// together, each of the cuts above a leaf may be off by a tie. Enough where they are rare, as in
/// the inputs that are compared.
inline constexpr Count tie_tolerance = 16;

/// Sizes of orb's leaves under `LeafRule::complete`, left to right, if no two coordinates are
/// equal: floor(n d' / d) particles go left at every cut.
std::vector<Count> rule_leaf_sizes(Count n, std::uint32_t leaves);

/// Records leaves, smallest and largest leaf in the report, as orb does, and checks as
/// `leaf_sizes` that no leaf is more than `tolerance` particles from the rule's. Sizes are compared
/// in ascending order where a peer numbers its leaves in its own way.
void report_leaf_sizes(app::Session& session, std::vector<Count> sizes, Count tolerance,
                       bool in_order);

}  // namespace copse::peers
