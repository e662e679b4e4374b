#pragma once
/// \file
/// Checks groups that particles of other species were attached to (attach.hpp).

#include "../measured_linking.hpp"
#include <copse/app/verification.hpp>

#include <string>

namespace copse::fof {

/// Enters checks of `labels`, of all particles of an input of which a species was linked: attached
/// particles are held against every linked one, some of them, and all if they are few; the linked
/// ones must have the groups among themselves that `of_linked` says; and labels must be smallest
/// rows. Reads positions and rows of all particles. O(n), and 2e8 pairs at most.
/// \return a sentence that says what was compared
std::string verify_attached(const LinkedInput& input, const Labels<Kokkos::HostSpace>& of_linked,
                            const Labels<Kokkos::HostSpace>& labels,
                            app::Verification& verification);

}  // namespace copse::fof
