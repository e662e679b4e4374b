#pragma once
/// \file
/// The groups of all ranks on one, for verification.

#include "../measured_linking.hpp"
#include "domains.hpp"

namespace copse::fof {

/// The most particles that one rank is given: 2^26 with all columns, in 6-D, are 3 GiB
/// with their labels.
inline constexpr Count largest_gathered = Count{1} << 26;

/// On rank 0 all particles in the order of the input, with their labels; nothing elsewhere.
struct GatheredGroups {
  LinkedInput input;
  Labels<Kokkos::HostSpace> labels;
};

/// \throws InputError for more than `largest_gathered` particles, in a sentence that begins with
///         `what`, the option that needs them on one rank
void require_gatherable(Count particles, const std::string& what);

/// There must be no more particles than can be gathered. Collective.
GatheredGroups gather_groups(const Communicator& comm, const LinkedInput& input,
                             const GlobalLabels<Kokkos::HostSpace>& labels);

/// On rank 0 what verify_attached reads; nothing elsewhere.
struct GatheredSpecies {
  LinkedInput input;  ///< positions of all particles and the rows that were linked, or were not
  Labels<Kokkos::HostSpace> of_linked;
  Labels<Kokkos::HostSpace> labels;
};

/// Of an input of which one species was linked. As gather_groups.
GatheredSpecies gather_species(const Communicator& comm, const LinkedInput& input,
                               const GlobalLabels<Kokkos::HostSpace>& of_linked,
                               const GlobalLabels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
