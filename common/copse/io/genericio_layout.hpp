#pragma once
/// \file
/// The contents of a GenericIO file of the HACC code and their byte positions.
///
/// Layout: the magic "HACC01L" (little-endian) or "HACC01B" (big-endian) and a zero byte; a header
/// of 64-bit integers that says where the tables of variables and of blocks lie; the two tables; a
/// checksum of everything up to there; then one block per writing rank. A block holds each variable
/// as one array followed by the CRC-64/XZ checksum of the array, complemented (crc64.hpp).
/// Source: GenericIO (Argonne National Laboratory, ANL-15-066), the format of its version 1 files.

#include <copse/io/bytes/byte_source.hpp>

#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

namespace copse::io::genericio {

inline constexpr Count checksum_bytes = 8;

struct Variable {
  std::string name;
  bool is_float = false;
  Count width = 0;  ///< bytes of one value
};

struct Block {
  Count first_row = 0;  ///< row number in the whole file
  Count rows = 0;
  Count offset = 0;  ///< of its first variable
};

/// Invariant: every array of every block, with its checksum, lies inside the file, and all of them
/// together are no larger than the file.
struct Layout {
  std::endian order = std::endian::little;
  Count rows = 0;
  std::array<double, 3> origin{};  ///< lower corner of the simulated volume
  std::array<double, 3> edge{};    ///< its edges
  std::vector<Variable> variables;
  std::vector<Block> blocks;

  /// Index of a variable, or -1.
  int find(std::string_view name) const;

  /// Byte at which the array of variable `v` starts in a block.
  Count array_offset(const Block& block, int v) const;
};

bool has_magic(ByteSource& source);

/// \throws InputError if a table lies outside the file, the counts contradict each other or the
///         size of the file, the header's checksum is wrong, or blocks are compressed (not
///         supported).
Layout read_layout(ByteSource& source);

/// True if `stored` is the complement of `checksum` in either byte order: the format does not
/// specify the byte order in which a big-endian machine stores it.
bool is_complement(std::uint64_t stored, std::uint64_t checksum);

}  // namespace copse::io::genericio
