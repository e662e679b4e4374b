#pragma once
/// \file
/// Files of groups that lie on their owners, written by rank 0 a window at a time: however many
/// particles there are, rank 0 holds a window of them. The files are those of one rank.

#include "../catalogue/output.hpp"
#include "domains.hpp"
#include "owned_groups.hpp"
#include <copse/backend/communicator.hpp>

#include <filesystem>

namespace copse::fof {

/// Members, or rows, that rank 0 gets at a time.
inline constexpr Count members_at_a_time = Count{1} << 20;

/// What is written beside the groups.
struct OwnedFile {
  const OwnedGroups& owned;
  const Catalogue& catalogue;  ///< of all groups; rank 0 alone needs it
  const GroupTotals& totals;
  const MassFunction* mass_function;              ///< or none
  const GlobalLabels<Kokkos::HostSpace>& labels;  ///< of this rank's rows of the input
  Count first_row;                                ///< of these, over all ranks
};

/// write_catalogue_hdf5 of all ranks' groups. Collective.
/// \throws InputError on rank 0 if the file cannot be written
void write_owned_hdf5(const Communicator& comm, const std::filesystem::path& path,
                      const OwnedFile& file, Count window = members_at_a_time);

/// write_group_numbers of all ranks' groups. Collective.
/// \throws InputError on rank 0 if the file cannot be written
void write_owned_group_numbers(const Communicator& comm, const std::filesystem::path& path,
                               const OwnedFile& file, Count window = members_at_a_time);

}  // namespace copse::fof
