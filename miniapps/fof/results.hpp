#pragma once
/// \file
/// Reports a run of fof: input, linking times, groups, catalogue and output files.

#include "measured_linking.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/mpi/communicator.hpp>

#include <filesystem>
#include <vector>

namespace copse::fof {

enum class OutputFormat { hdf5, csv, group_numbers, group_particles };

/// \throws InputError unless the suffix of the path is one of .h5, .hdf5, .csv, .grp and .gtp
OutputFormat output_format(const std::filesystem::path& path);

/// --dry-run: reports the memory of the input and of the largest method.
/// \throws InputError if the input size is not known
void report_estimate(app::Session& session, const Request& request);

void report_input(app::Session& session, const LinkedInput& input);

/// Times and figures of merit. On several ranks also, for the first linking: `ranks` (a list by
/// rank: particles and ghosts of the domain, links to other ranks found there); `merge_rounds`;
/// `bytes_sent_per_particle` {domains, ghosts, merging, labels}; `histogram_bytes_per_rank`;
/// `compute_seconds`, `communicate_seconds` and `wait_seconds` {max, mean} over ranks, each the
/// median of the repeats. Per-particle figures count linked particles only. Collective.
void report_linkings(app::Session& session, const Communicator& comm, const Request& request,
                     const LinkedInput& input, const std::vector<MeasuredLinking>& measured);

/// Attaches the other species if only one is linked (species/species_results.hpp), then counts and
/// reports the groups and the sub-groups of all levels. With --output, builds the catalogue and
/// writes it in the format given by the suffix.
///
/// No rank gathers all particles: on several ranks each group moves to its owner rank
/// (distributed/whole_groups.hpp). The owner links the sub-groups without messages, because a
/// sub-group lies within its parent, and computes and numbers the catalogue
/// (catalogue/owned_groups.hpp). A single rank owns all groups. Runs on the backend of the linking.
/// Collective.
void report_groups(app::Session& session, const Communicator& comm, const Request& request,
                   const LinkedInput& input, const MeasuredLinking& linking);

}  // namespace copse::fof
