#pragma once
/// \file
/// Sixteen bytes of keys: the widest load a thread of a device has.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::orb {

inline constexpr int quad_keys = 16 / sizeof(Real);

/// Neighbouring keys that lie on a 16-byte boundary. Compilers turn its copy into one load.
struct alignas(16) Quad {
  Real key[quad_keys];
};

/// Keys between the 16-byte boundary at or before `keys` and `keys`.
KOKKOS_INLINE_FUNCTION int keys_after_boundary(const Real* keys) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(keys) % 16 / sizeof(Real));
}

/// Quad number q of a block of `size` keys, counted from the boundary at or before its first; keys
/// that are not of the block come as `fill`. Nothing outside the block is read.
KOKKOS_FORCEINLINE_FUNCTION Quad load_quad(const Real* keys, int size, int offset, int q,
                                           Real fill) {
  const int first = q * quad_keys - offset;
  if (first >= 0 && first + quad_keys <= size) return *reinterpret_cast<const Quad*>(keys + first);
  Quad quad;
  for (int k = 0; k < quad_keys; ++k)
    quad.key[k] = first + k >= 0 && first + k < size ? keys[first + k] : fill;
  return quad;
}

}  // namespace copse::orb
