#pragma once
/// \file
/// Writes groups and their catalogue to files. Each file is written completely or not at all. All
/// functions throw InputError with the file name if it cannot be written.

#include "../linker.hpp"
#include "catalogue.hpp"
#include "groups.hpp"
#include "halo_mass_function.hpp"
#include "owned_groups.hpp"
#include <copse/backend/mpi/communicator.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <filesystem>

namespace copse::fof {

/// Totals of level 0, in addition to the listed groups.
struct GroupTotals {
  Count particles = 0;
  Count groups = 0;
  Count particles_in_groups = 0;
  Count min_members = 0;
  Count components = 0;  ///< components of any size, single particles included
  Count largest = 0;     ///< particles in the largest component
};

GroupTotals totals_of(const Groups<Kokkos::HostSpace>& top);

/// The data to write, over all ranks. Groups are on their owner ranks. Rank 0 writes, and receives
/// the particles in windows of fixed size.
struct GroupFile {
  const OwnedGroups& owned;
  const Catalogue& catalogue;  ///< of all groups; needed on rank 0 only
  const GroupTotals& totals;
  const MassFunction* mass_function;              ///< may be null
  const GlobalLabels<Kokkos::HostSpace>& labels;  ///< of level 0, for this rank's input particles
  Count first_row = 0;                            ///< global index of the first of these
};

/// Number of members or labels that rank 0 receives at a time.
inline constexpr Count members_at_a_time = Count{1} << 20;

/// Writes everything as HDF5.
///
///     /groups/NAME             [groups] or [groups][k]  one dataset per column of the catalogue
///     /membership/offsets      [groups + 1]  group g has entries [offsets(g), offsets(g + 1))
///     /membership/particles    [members]     input indices, group by group, each in input order
///     /membership/ids          [members]     optional: the particles' ids
///     /membership/position     [members][3]  positions of the members
///     /labels                  [n]           smallest input index of the particle's group, level 0
///     /mass_function/{lower,upper,groups,groups_above,per_decade}   [bins]  optional
///
/// Each column has the attributes `unit` and `meaning`. Attributes of /: copse_version, particles,
/// groups, particles_in_groups, min_members, components, largest, box_lower, box_upper, periodic.
/// The attributes describe level 0; the member lists continue with the groups of the lower levels.
/// Columns of velocities, species and levels are omitted if not available. Indices have 32 bits if
/// they fit. Collective; throws on rank 0.
void write_catalogue_hdf5(const Communicator& comm, const std::filesystem::path& path,
                          const GroupFile& file, Count window = members_at_a_time);

/// Writes the catalogue as CSV: a header line, then one line per group, with enough digits to read
/// the numbers back exactly. Centres, mean velocities, masses and ids have column names that make
/// the file readable as particles (csv_reader.hpp).
void write_catalogue_csv(const std::filesystem::path& path, const Catalogue& catalogue);

/// Writes a Tipsy array of group numbers (.grp) in ASCII: the number of particles, then for each
/// particle the number of its group on the lowest level where it has one, or 0. Lines are in global
/// particle order. Collective; throws on rank 0.
void write_group_numbers(const Communicator& comm, const std::filesystem::path& path,
                         const GroupFile& file, Count window = members_at_a_time);

/// Writes the groups as particles (.gtp), as SKID of the Washington N-body shop does next to its
/// .grp: a Tipsy file with one star per group, in group order. Mass is that of the group, position
/// that of the central particle (SKID: of the density maximum), velocity the mean velocity, eps the
/// radial size of the group (here r_max), and tform is `time` (SKID: the time of the snapshot);
/// metals and phi are 0. Source: the manual page of SKID 1.3, "Output files". Numbers are 32-bit
/// floats in the standard (big-endian) format.
void write_group_particles(const std::filesystem::path& path, const Catalogue& catalogue,
                           double time = 0.0);

/// \throws InputError unless the suffix of the path is one of .h5, .hdf5, .csv, .grp and .gtp
void check_output_path(const std::filesystem::path& path);

/// Writes the groups in the format given by the suffix. Collective.
void write_groups(const Communicator& comm, const std::filesystem::path& path,
                  const GroupFile& file);

}  // namespace copse::fof
