#pragma once
/// \file
/// One file of a GADGET-1/2 binary snapshot: its header and the positions of its blocks.
///
/// The file is a sequence of Fortran records: a 32-bit byte count, the bytes, the count again. The
/// first record is a header of 256 bytes. POS, VEL, ID and, if some particle type has individual
/// masses, MASS follow, then gas properties. Format 2 puts a record of 8 bytes (a name of four
/// letters and the distance to the next name) before each block, so blocks may come in any order.
/// Files have the byte order of the machine that wrote them; the first count, 256 or 8, reveals it.
/// Source: V. Springel, "User guide for GADGET-2", section 6.

#include <copse/io/bytes/byte_source.hpp>

#include <array>
#include <bit>
#include <string>

namespace copse::io::gadget {

inline constexpr int types = 6;

struct Header {
  std::array<std::int32_t, types> count{};         ///< particles of each type in this file
  std::array<double, types> mass{};                ///< mass of a type; 0: see the MASS block
  std::array<std::uint32_t, types> total_count{};  ///< of all files, lower 32 bits
  double time = 0.0;
  std::int32_t files = 1;
  double box_size = 0.0;  ///< edge of the periodic cube; 0: none
};

/// A block of scalars or 3-vectors: `width` bytes per number, the first at byte `offset`.
struct Block {
  Count offset = 0;
  Count width = 0;
};

struct Part {
  std::endian order = std::endian::little;
  int format = 1;
  Header header;
  Count rows = 0;            ///< over all types
  Count rows_with_mass = 0;  ///< rows whose mass is in the MASS block
  Block position, velocity, id, mass;

  bool has_mass_per_particle(int type) const { return header.mass[type] == 0.0; }
};

/// True if the first bytes are the length of a GADGET header in either byte order.
bool starts_like_gadget(ByteSource& source);

/// Reads the header and scans all records up to the end of the file.
/// \throws InputError naming the byte offset of a record whose two counts differ or that extends
///         past the end of the file, the block that is missing, or the count that contradicts a
///         block's size.
Part scan_part(ByteSource& source);

}  // namespace copse::io::gadget
