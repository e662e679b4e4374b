#pragma once
/// \file
/// What fof says of a run: of its input, of the time linking takes, and of the groups, their
/// catalogue and files.

#include "measured_linking.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/communicator.hpp>

#include <filesystem>
#include <vector>

namespace copse::fof {

enum class OutputFormat { hdf5, csv, group_numbers, group_particles };

/// \throws InputError unless the suffix of the path is one of .h5, .hdf5, .csv, .grp and .gtp
OutputFormat output_format(const std::filesystem::path& path);

/// --dry-run: the memory that the input and the largest of the methods take.
/// \throws InputError for an input whose size is not known
void report_estimate(app::Session& session, const Request& request);

void report_input(app::Session& session, const LinkedInput& input);

/// Times and figures of merit. Over several ranks also `ranks` (a list, by rank: particles and
/// ghosts of the domain, links to other ranks found there); `merge_rounds`;
/// `bytes_sent_per_particle` {domains, ghosts, merging, labels}; `histogram_bytes_per_rank`;
/// `compute_seconds`, `communicate_seconds` and `wait_seconds` {max, mean} over ranks, each the
/// median of the repeats; all of the first linking. Figures per particle count linked particles
/// only. Collective.
void report_linkings(app::Session& session, const Communicator& comm, const Request& request,
                     const LinkedInput& input, const std::vector<MeasuredLinking>& measured);

/// Attaches particles of other species if one is linked (species/species_results.hpp), counts the
/// groups and reports them, and likewise those of the levels below. With --output, makes their
/// catalogue and writes it in the format that the suffix names.
///
/// No rank gets all particles: over several ranks every group goes to its owner
/// (distributed/whole_groups.hpp). There the levels below are linked, without messages, since a
/// sub-group is where its parent is, and the catalogue is made and numbered
/// (catalogue/owned_groups.hpp). One rank owns all groups. Runs on the backend of the linking.
/// Collective.
void report_groups(app::Session& session, const Communicator& comm, const Request& request,
                   const LinkedInput& input, const MeasuredLinking& linking);

}  // namespace copse::fof
