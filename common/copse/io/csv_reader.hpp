#pragma once
/// \file
/// Particles as text: one particle a line, columns separated by commas, semicolons or blanks.
///
/// Which column is what:
///  - by name, if the first line is not numbers, or if the last comment line before the numbers has
///    a name for each column and x, y and z among them (as numpy.savetxt writes it). Known names,
///    in any order and case: x, y, z, vx, vy, vz, mass, id, weight; others are skipped over;
///  - else by position: x, y, z, then vx, vy, vz if there are at least six columns, then mass, then
///    id; further columns, and a fourth and fifth of five, are skipped over.
///
/// Text from '#' to the end of a line, blank lines, a byte order mark and carriage returns are
/// ignored. The separator is found in the first line of names or numbers: ';' before ',' before
/// blanks. Every line must have the same number of columns. Units are the author's; there is no
/// box.

#include <copse/io/snapshot_reader.hpp>

namespace copse::io {

/// True if the beginning of the source is text.
bool probe_csv(ByteSource& source);

/// Reads the file once to count its lines and to note where every 65,536th particle starts, so that
/// a rank finds its slice without parsing what is before it.
/// \throws InputError naming the line if the columns cannot be told or a line is longer than 1 MiB.
std::unique_ptr<SnapshotReader> open_csv(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
