#pragma once
/// \file
/// Tipsy array files: one number (or one 3-vector) per particle of a snapshot, such as group
/// numbers (.grp), accelerations (.acc), potentials (.pot) or particle numbers (.iord).
///
/// ASCII: the first line is the number N of particles, followed by one value per line; comments
/// start with '#' (bytes/text_lines.hpp). Binary: a 32-bit N, then 32-bit values, big-endian
/// ("standard") or little-endian; the file does not say whether they are integers or floats, the
/// caller must know. In both, N values are a scalar array and 3N a vector array: all x, then all y,
/// then all z. The file is binary if its size matches the N of its first four bytes.
///
/// Group numbers: 0 means in no group; other labels are arbitrary, so compare partitions, never
/// labels.

#include <copse/io/bytes/byte_source.hpp>

#include <vector>

namespace copse::io {

template <class T>
struct TipsyArray {
  Count particles = 0;
  int components = 1;     ///< 1 or 3
  std::vector<T> values;  ///< [components][particles]

  T operator()(Count particle, int component = 0) const {
    return values[static_cast<Count>(component) * particles + particle];
  }
};

/// Reads all values as floating-point numbers, in O(file) time and memory.
/// \throws InputError naming the line or byte if a value is missing, extra or not a number, or the
///         last line is unfinished.
TipsyArray<double> read_tipsy_reals(ByteSource& source);

/// Reads all values as integers.
/// \throws InputError under the same conditions as read_tipsy_reals.
TipsyArray<std::int64_t> read_tipsy_integers(ByteSource& source);

}  // namespace copse::io
