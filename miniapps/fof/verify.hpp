#pragma once
/// \file
/// Compares groups with the reference (reference.hpp), for all particles or within a slab. Groups
/// of several ranks are gathered on rank 0 first.
///
/// The reference runs on one thread and is too slow for large inputs. Above `whole_limit` particles
/// it links only those in a slab, between two planes across the longest axis of the box. Each
/// reference group must then lie within one group of the result. A reference group with no member
/// within the linking length of a plane must equal a group of the result.

#include "measured_linking.hpp"
#include <copse/app/session.hpp>
#include <copse/app/verification.hpp>

#include <string>
#include <vector>

namespace copse::fof {

inline constexpr Count whole_limit = 2'000'000;

/// Largest number of particles gathered on one rank: 2^26 particles in 6-D with labels are 3 GiB.
inline constexpr Count largest_gathered = Count{1} << 26;

/// Adds the checks of labels, which must belong to the particles of `input`.
/// \return a sentence stating what was compared
std::string verify_labels(const LinkedInput& input, const Labels<Kokkos::HostSpace>& labels,
                          app::Verification& verification, Count limit = whole_limit);

/// \throws InputError if --verify would have to gather more than `largest_gathered` particles
void check_verifiable(const app::Session& session);

/// With --verify: all linkings must give the labels of the first one. Those are gathered and
/// verified. All ranks must use the same friendship criterion.
/// Every rank records the checks. Collective.
void verify_linkings(app::Session& session, const Communicator& comm, const LinkedInput& input,
                     const std::vector<MeasuredLinking>& measured);

/// Gathers the groups of all species and verifies them (species/verify_attached.hpp). `of_linked`
/// holds the labels of the linked particles, `labels` those of all particles. Collective.
void verify_attached_groups(app::Session& session, const Communicator& comm,
                            const LinkedInput& input,
                            const GlobalLabels<Kokkos::HostSpace>& of_linked,
                            const GlobalLabels<Kokkos::HostSpace>& labels);

/// True if all checks so far passed on every rank. Collective.
bool passed_everywhere(app::Session& session, const Communicator& comm);

}  // namespace copse::fof
