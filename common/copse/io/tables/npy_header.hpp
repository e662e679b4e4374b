#pragma once
/// \file
/// The header of a .npy file: a Python dictionary literal.

#include <copse/io/bytes/byte_source.hpp>

#include <string>
#include <vector>

namespace copse::io {

struct NpyHeader {
  std::string descr;           ///< type and byte order, "<f4" for little-endian 32-bit floats
  bool fortran_order = false;  ///< first index fastest
  std::vector<Count> shape;
  Count data_begin = 0;  ///< byte at which the array starts
};

/// Reads and checks the header; the caller checks whether the array fits the file.
/// \throws InputError naming the source and the offending byte.
NpyHeader read_npy_header(ByteSource& source);

}  // namespace copse::io
