#pragma once
/// \file
/// Conditions under which a comparison of times with orb is meaningful: the same number of leaves,
/// of the same sizes.

#include <copse/app/session.hpp>
#include <copse/backend/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace copse::peers {

/// Particles by which the size of a leaf may differ from the rule: if equal coordinates stay
/// together, each cut above a leaf may be off by a tie. Measured: 1 and less by std::nth_element
/// (up to 10^7 uniform particles, 10^6 of nfw, 2 10^5 of plummer, normal and soneira-peebles, up to
/// 4096 leaves), 0 by Zoltan, which splits ties (2 10^5 particles).
inline constexpr Count tie_tolerance = 4;

/// Sizes of orb's leaves under `LeafRule::complete`, left to right, if all coordinates are
/// distinct: floor(n d' / d) particles go left at every cut.
std::vector<Count> rule_leaf_sizes(Count n, std::uint32_t leaves);

/// Records leaves, smallest and largest leaf in the report, like orb, and checks as `leaf_sizes`
/// that no leaf differs from the rule by more than `tolerance` particles. Sizes are compared in
/// ascending order if a peer numbers its leaves differently.
void report_leaf_sizes(app::Session& session, std::vector<Count> sizes, Count tolerance,
                       bool in_order);

}  // namespace copse::peers
