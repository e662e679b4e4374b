#pragma once
/// \file
/// The options of the run that wrote a restart file: the dataset `options` [bytes], a line
/// "name value" for each option that decides the motion.

#include <copse/io/hdf5/hdf5_file.hpp>
#include <copse/io/hdf5/hdf5_reader.hpp>

#include <string>

namespace copse::io {

void write_run_options(Hdf5Writer& file, const std::string& options);

/// \throws InputError naming `file` and the first line that differs, if the file was written by a
///         run with other options
void require_run_options(const Hdf5Reader& in, const std::string& file, const std::string& options);

}  // namespace copse::io
