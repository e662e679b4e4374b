#pragma once
/// \file
/// .npy files built by hand from the documentation of numpy.lib.format.

#include "byte_builder.hpp"

#include <string>

namespace copse::test {

/// Version `major`.0 with the given dictionary, then the array's bytes.
inline std::vector<std::byte> npy_bytes(const std::string& dictionary,
                                        const std::vector<std::byte>& array, int major = 1) {
  ByteBuilder file(std::endian::little);
  file.put_text("\x93NUMPY" + std::string(1, static_cast<char>(major)), 8);
  const std::string header = dictionary + "\n";
  if (major == 1)
    file.put(static_cast<std::uint16_t>(header.size()));
  else
    file.put(static_cast<std::uint32_t>(header.size()));
  file.put_text(header, header.size());
  file.bytes.insert(file.bytes.end(), array.begin(), array.end());
  return file.bytes;
}

inline std::string npy_dictionary(const std::string& descr, bool fortran,
                                  const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

/// The numbers 0.5, 1.5, ... as an array of `count` floats.
template <class T>
std::vector<std::byte> halves(std::size_t count, std::endian order) {
  ByteBuilder array(order);
  for (std::size_t i = 0; i < count; ++i) array.put(static_cast<T>(i) + T{0.5});
  return array.bytes;
}

}  // namespace copse::test
