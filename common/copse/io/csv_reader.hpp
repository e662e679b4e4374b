#pragma once
/// \file
/// Particles as text: one particle per line, columns separated by commas, semicolons or blanks.
///
/// Columns are identified
///  - by name, if the first line holds no numbers, or if the last comment line before the numbers
///    has a name for each column, including x, y and z (as numpy.savetxt writes it). Known names,
///    in any order and case: x, y, z, vx, vy, vz, mass, id, weight. Other columns are skipped;
///  - otherwise by position: x, y, z, then vx, vy, vz if there are at least six columns, then mass,
///    then id. Further columns are skipped, and so are columns four and five of a file with five or
///    fewer.
///
/// The text format is that of bytes/text_rows.hpp. Units are those of the author; there is no box.

#include <copse/io/snapshot_reader.hpp>

namespace copse::io {

/// True if the beginning of the source is text.
bool probe_csv(ByteSource& source);

/// Reads the file once to count its lines and to record where every 65,536th particle starts, so
/// that a rank finds its slice without parsing the lines before it.
/// \throws InputError naming the line if the columns cannot be identified or a line is longer than
///         1 MiB.
std::unique_ptr<SnapshotReader> open_csv(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
