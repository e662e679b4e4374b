#pragma once
/// \file
/// Checks groups with attached particles of other species (attach.hpp).

#include "../measured_linking.hpp"
#include <copse/app/verification.hpp>

#include <string>

namespace copse::fof {

/// Checks `labels` of all particles of an input of which one species was linked. A sample of the
/// attached particles, or all if they are few, is compared with every linked particle. The linked
/// particles must keep the groups given by `of_linked`. Labels must be smallest particle indices.
/// Reads positions and indices of all particles. O(n), and at most 2e8 pairs.
/// \return a sentence stating what was compared
std::string verify_attached(const LinkedInput& input, const Labels<Kokkos::HostSpace>& of_linked,
                            const Labels<Kokkos::HostSpace>& labels,
                            app::Verification& verification);

}  // namespace copse::fof
