#pragma once
/// \file
/// Checks groups against the reference (reference.hpp), whole or in a slab.
///
/// Groups of many particles are too slow to find twice on one thread. Beyond `whole_limit`
/// particles the reference sees a slab of them alone: between two planes across the box's longest
/// axis. Groups of the slab's particles must lie within one group each, and a group that has no
/// member within the linking length of a plane must be the same group.

#include "measured_linking.hpp"
#include <copse/app/verification.hpp>

#include <string>

namespace copse::fof {

inline constexpr Count whole_limit = 2'000'000;

/// Enters the checks of labels, which must be the input's.
/// \return a sentence that says what was compared
std::string verify_labels(const LinkedInput& input, const Labels<Kokkos::HostSpace>& labels,
                          app::Verification& verification, Count limit = whole_limit);

}  // namespace copse::fof
