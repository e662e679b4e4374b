#pragma once
/// \file
/// Checks groups against the reference (reference.hpp), whole or in a slab. Groups of several ranks
/// are gathered on rank 0 first.
///
/// Groups of many particles are too slow to find twice on one thread. Beyond `whole_limit`
/// particles the reference sees only a slab of them, between two planes across the box's longest
/// axis. Groups of the slab's particles must lie within one group each, and a group without a
/// member within the linking length of a plane must be the same group.

#include "measured_linking.hpp"
#include <copse/app/session.hpp>
#include <copse/app/verification.hpp>

#include <string>
#include <vector>

namespace copse::fof {

inline constexpr Count whole_limit = 2'000'000;

/// The most particles of several ranks that one rank is given: 2^26 with all columns, in 6-D, are
/// 3 GiB with their labels.
inline constexpr Count largest_gathered = Count{1} << 26;

/// Enters the checks of labels, which must be the input's.
/// \return a sentence that says what was compared
std::string verify_labels(const LinkedInput& input, const Labels<Kokkos::HostSpace>& labels,
                          app::Verification& verification, Count limit = whole_limit);

/// \throws InputError if --verify would have to gather more than `largest_gathered` particles
void check_verifiable(const app::Session& session);

/// With --verify: all linkings must have the labels of the first; these are gathered, spoiled if
/// the request names a sabotage, and verified; and all ranks must have one definition of friends.
/// The checks are entered on every rank. Collective.
void verify_linkings(app::Session& session, const Communicator& comm, const Request& request,
                     const LinkedInput& input, const std::vector<MeasuredLinking>& measured);

/// Gathers the groups of all species and verifies them (species/verify_attached.hpp): `of_linked`
/// are the labels of the linked particles, `labels` of all. Collective.
void verify_attached_groups(app::Session& session, const Communicator& comm,
                            const LinkedInput& input,
                            const GlobalLabels<Kokkos::HostSpace>& of_linked,
                            const GlobalLabels<Kokkos::HostSpace>& labels);

/// Whether all checks so far have passed on every rank. Collective.
bool passed_everywhere(app::Session& session, const Communicator& comm);

}  // namespace copse::fof
