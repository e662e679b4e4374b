#pragma once
/// \file
/// Checks groups with attached particles of other species (attach.hpp), over ranks, without
/// gathering particles.

#include "../measured_linking.hpp"
#include <copse/app/verification.hpp>
#include <copse/backend/mpi/communicator.hpp>

#include <string>

namespace copse::fof {

/// Checks `labels` of all particles of an input of which one species was linked. A sample of the
/// attached particles, or all if they are few, is compared with the linked particles of every rank.
/// The linked particles must keep the groups given by `of_linked`. Labels must be smallest global
/// indices. Reads positions and indices of all particles. Collective. O(n log n), and at most 2e8
/// pairs over all ranks; a rank sends 8 bytes for every label that another rank defines.
/// \return a sentence stating what was compared
std::string verify_attached(const Communicator& comm, const LinkedInput& input,
                            const GlobalLabels<Kokkos::HostSpace>& of_linked,
                            const GlobalLabels<Kokkos::HostSpace>& labels,
                            app::Verification& verification);

}  // namespace copse::fof
