#pragma once
/// \file
/// What is done with labels: groups, their catalogue and files.

#include "levels/sub_groups.hpp"
#include "measured_linking.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>

#include <filesystem>
#include <vector>

namespace copse::fof {

/// \throws InputError unless the suffix of the path is one of .h5, .hdf5, .csv, .grp and .gtp
void check_output_path(const std::filesystem::path& path);

/// Counts the groups and reports them, and likewise those of the levels below; with --output, makes
/// their catalogue and writes it in the format that the suffix names. Runs on the backend the
/// labels come from.
void report_groups(app::Session& session, const Request& request, const LinkedInput& input,
                   const MeasuredLinking& linking, const std::vector<SubLevel>& levels = {});

}  // namespace copse::fof
