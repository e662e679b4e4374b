#pragma once
/// \file
/// Hashes for the checks: not those that the results under check are fingerprinted with.

#include <copse/backend/types.hpp>

#include <cstdint>
#include <type_traits>

namespace copse {

/// The unsigned integer of the size of Real.
using RealBits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

/// Scrambles 64 bits one to one, so that sums of the results of different inputs differ.
inline std::uint64_t scramble(std::uint64_t h) {
  h = (h ^ (h >> 31)) * 0x7fb5d329728ea185u;
  h = (h ^ (h >> 27)) * 0x81dadef4bc2dd44du;
  return h ^ (h >> 33);
}

}  // namespace copse
