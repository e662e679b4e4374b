#pragma once
/// \file
/// A stateless 64-bit hash.

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace copse {

/// Mixes every input bit into all output bits, one to one: the finaliser of SplitMix64 (Steele, Lea
/// and Flood, OOPSLA 2014). Zero maps to zero; the generator adds its odd constant first.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t split_mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The same after adding the generator's constant, so that zero does not map to zero. Maps the
/// number of a sample to a pseudo-random number that selects its row; any numbering of samples will
/// do.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t sample_hash(std::uint64_t x) {
  return split_mix(x + 0x9e3779b97f4a7c15U);
}

}  // namespace copse
