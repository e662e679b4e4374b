#pragma once
/// \file
/// IDX files built by hand from the description on the MNIST page.

#include "byte_builder.hpp"

#include <cstdint>
#include <vector>

namespace copse::test {

/// The header alone.
inline ByteBuilder idx_header(int type, const std::vector<std::uint32_t>& sizes) {
  ByteBuilder file(std::endian::big);
  file.put(std::uint16_t{0}).put(static_cast<std::uint8_t>(type));
  file.put(static_cast<std::uint8_t>(sizes.size()));
  for (const std::uint32_t size : sizes) file.put(size);
  return file;
}

/// The numbers 0, 1, 2, ... as an array of these sizes.
template <class T>
std::vector<std::byte> counting_idx(int type, const std::vector<std::uint32_t>& sizes) {
  ByteBuilder file = idx_header(type, sizes);
  std::uint32_t numbers = 1;
  for (const std::uint32_t size : sizes) numbers *= size;
  for (std::uint32_t k = 0; k < numbers; ++k) file.put(static_cast<T>(k));
  return file.bytes;
}

}  // namespace copse::test
