#pragma once
/// \file
/// A .npy file of shape [n][3] as a snapshot: positions only, no box, units as defined by the
/// author of the file.

#include <copse/io/snapshot_reader.hpp>

namespace copse::io {

/// \throws InputError under the same conditions as open_npy_table, or if the array is not [n][3].
std::unique_ptr<SnapshotReader> open_npy(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
