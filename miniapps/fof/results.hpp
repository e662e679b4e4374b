#pragma once
/// \file
/// What is done with labels: groups, their catalogue and files.

#include "catalogue/halo_mass_function.hpp"
#include "catalogue/output.hpp"
#include "levels/sub_groups.hpp"
#include "measured_linking.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>

#include <filesystem>
#include <optional>
#include <vector>

namespace copse::fof {

enum class OutputFormat { hdf5, csv, group_numbers, group_particles };

/// \throws InputError unless the suffix of the path is one of .h5, .hdf5, .csv, .grp and .gtp
OutputFormat output_format(const std::filesystem::path& path);

/// Enters the numbers of groups into the report and prints them.
void report_totals(app::Session& session, const GroupTotals& totals);

/// What there is to say of a level below the first.
struct LevelTotals {
  int level = 0;
  LinkingLengths links;
  Count groups = 0;
  Count particles_in_groups = 0;
  Count largest = 0;   ///< members of the largest group
  Count crossing = 0;  ///< see SubLevel
  double seconds = 0.0;
};
LevelTotals totals_of(const SubLevel& level, const Groups<Kokkos::HostSpace>& groups);
/// As report_totals, into the list `levels`.
void report_level(app::Session& session, const LevelTotals& totals);

/// Prints the largest groups.
void print_largest(app::Session& session, const Catalogue& catalogue);

/// The mass function that goes with a catalogue's file: of members on level 0; none without volume.
std::optional<MassFunction> mass_function_of_top(const Catalogue& top);

/// Counts the groups and reports them, and likewise those of the levels below; with --output, makes
/// their catalogue and writes it in the format that the suffix names. Runs on the backend the
/// labels come from.
void report_groups(app::Session& session, const Request& request, const LinkedInput& input,
                   const MeasuredLinking& linking, const std::vector<SubLevel>& levels = {});

}  // namespace copse::fof
