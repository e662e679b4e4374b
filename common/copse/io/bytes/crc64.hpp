#pragma once
/// \file
/// The 64-bit cyclic redundancy check of xz, GenericIO and others (CRC-64/XZ).
///
/// Polynomial 0x42F0E1EBA9EA3693 of ECMA-182, bits reflected, register and result complemented; the
/// check value of the nine bytes "123456789" is 0x995DC9BBDF1939FA. One table look-up per byte.

#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::io {

class Crc64 {
 public:
  void add(std::span<const std::byte> bytes);
  std::uint64_t value() const { return ~state_; }

 private:
  std::uint64_t state_ = ~std::uint64_t{0};
};

}  // namespace copse::io
