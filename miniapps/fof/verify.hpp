#pragma once
/// \file
/// The checks of --verify: groups of any size over ranks are compared with independent ones
/// (slabs/compare_groups.hpp). No rank gathers particles.

#include "measured_linking.hpp"
#include <copse/app/session.hpp>
#include <copse/app/verification.hpp>

#include <string>
#include <vector>

namespace copse::fof {

/// Flood fills (reference.hpp), on one thread, verify trees and groups within groups up to this
/// number of particles.
inline constexpr Count whole_limit = 2'000'000;

/// Adds the checks of labels of one rank, which must belong to the particles of `input`.
/// \return a sentence stating what was compared
std::string verify_labels(const LinkedInput& input, const Labels<Kokkos::HostSpace>& labels,
                          app::Verification& verification);

/// With --verify: verifies the labels of the first linking, and checks that all other linkings give
/// the same ones and that all ranks use the same friendship criterion. Every rank records the
/// checks. Collective.
void verify_linkings(app::Session& session, const Communicator& comm, const LinkedInput& input,
                     const std::vector<MeasuredLinking>& measured);

/// True if all checks so far passed on every rank. Collective.
bool passed_everywhere(app::Session& session, const Communicator& comm);

}  // namespace copse::fof
