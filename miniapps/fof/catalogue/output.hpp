#pragma once
/// \file
/// Groups and their catalogue as files. Every file appears whole or not at all, and every function
/// throws InputError naming it if it cannot be written.

#include "../linker.hpp"
#include "catalogue.hpp"
#include "groups.hpp"
#include "halo_mass_function.hpp"
#include "owned_groups.hpp"
#include <copse/backend/communicator.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <filesystem>

namespace copse::fof {

/// What there is of level 0, beside the groups that are listed.
struct GroupTotals {
  Count particles = 0;
  Count groups = 0;
  Count particles_in_groups = 0;
  Count min_members = 0;
  Count components = 0;  ///< sets of friends of any size, single particles included
  Count largest = 0;     ///< particles in the largest of these
};

GroupTotals totals_of(const Groups<Kokkos::HostSpace>& top);

/// What is written of the groups of all ranks. Groups are with their owners; rank 0 writes, and
/// gets a window of the particles at a time, however many there are.
struct GroupFile {
  const OwnedGroups& owned;
  const Catalogue& catalogue;  ///< of all groups; rank 0 alone needs it
  const GroupTotals& totals;
  const MassFunction* mass_function;              ///< or none
  const GlobalLabels<Kokkos::HostSpace>& labels;  ///< of level 0, of this rank's input rows
  Count first_row = 0;                            ///< of these, over all ranks
};

/// Members, or rows, that rank 0 gets at a time.
inline constexpr Count members_at_a_time = Count{1} << 20;

/// Writes everything as HDF5.
///
///     /groups/NAME             [groups] or [groups][k]  a dataset a column of the catalogue
///     /membership/offsets      [groups + 1]  group g has entries [offsets(g), offsets(g + 1))
///     /membership/particles    [members]     input rows, group by group, each in input order
///     /membership/ids          [members]     optional: the particles' ids
///     /membership/position     [members][3]  where the members are
///     /labels                  [n]           smallest input row of the particle's group, level 0
///     /mass_function/{lower,upper,groups,groups_above,per_decade}   [bins]  optional
///
/// Each column has the attributes `unit` and `meaning`. Attributes of /: copse_version, particles,
/// groups, particles_in_groups, min_members, components, largest, box_lower, box_upper, periodic.
/// The attributes tell of level 0; lists of members go on with the groups of the levels below.
/// Columns of velocities, species and levels are left out if there are none.
/// Rows have 32 bits while they fit. Collective; throws on rank 0.
void write_catalogue_hdf5(const Communicator& comm, const std::filesystem::path& path,
                          const GroupFile& file, Count window = members_at_a_time);

/// Writes the catalogue as text: a line of names, then one line a group, separated by commas, with
/// as many digits as give the numbers back exactly. Centres, mean velocities, masses and ids have
/// the names that make the file one of particles, too (csv_reader.hpp).
void write_catalogue_csv(const std::filesystem::path& path, const Catalogue& catalogue);

/// Writes a Tipsy array of group numbers (.grp) in ASCII: the number of particles, then for each
/// the number of its group, of the last level it has one on, or 0 if it is in none. Line i is of
/// row i of all ranks. Collective; throws on rank 0.
void write_group_numbers(const Communicator& comm, const std::filesystem::path& path,
                         const GroupFile& file, Count window = members_at_a_time);

/// Writes the groups as particles (.gtp), as SKID of the Washington N-body shop does beside its
/// .grp: a Tipsy file with one star a group, in the order of their numbers. Its mass is the
/// group's, its position that of the central particle (SKID: of the density maximum), its velocity
/// the mean velocity, its eps the group's radial size, here r_max, and its tform `time`, where SKID
/// has that of the snapshot; metals and phi are 0. Source: the manual page of SKID 1.3, "Output
/// files". Numbers are 32-bit floats, in the standard (big-endian) form.
void write_group_particles(const std::filesystem::path& path, const Catalogue& catalogue,
                           double time = 0.0);

}  // namespace copse::fof
