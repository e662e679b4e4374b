#pragma once
/// \file
/// The lane types of visitors: one lane, or several SIMD lanes of a processor at once.
///
/// A packet is W queries that traverse a tree together. On a GPU it is a warp: 32 threads, each
/// with the data of one query. On a CPU it is one thread whose variables are vectors of W numbers.
/// Code that is templated on a *lane type* `L` and uses `L::Real`, `L::Index`, `L::Mask` with
/// operators and the functions below works for both: with OneLane a Real is a float and a Mask a
/// bool; with VectorLanes they are vectors and vector masks.
///
/// A mask is not a condition: `if (mask)` would test W lanes at once. Choose values with `select`,
/// skip work with `if (any(mask))`.

#include <copse/backend/fused.hpp>
#include <copse/backend/lane_vector.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// A single query: a lane of a GPU packet, or a walk without packets.
struct OneLane {
  static constexpr int width = 1;
  using Real = copse::Real;
  using Index = std::uint32_t;
  using Mask = bool;
};

/// A lane of a GPU packet that walks, and so has scratch memory.
struct PacketLane : OneLane {};

/// Queries per packet on hosts: 64 bytes of floats, in one register or several. The same on all
/// processors, because packets that walk as a group decide together.
inline constexpr int vector_lanes = 16;

/// True if registers are long enough for packets on hosts to be faster than single queries.
/// Measured with 32 and 64 bytes, and without vectors; registers of 16 bytes (NEON) are not
/// measured.
inline constexpr bool packets_are_vectors = sizeof(detail::Register<Real>) >= 32;

/// A packet in the SIMD lanes of a host thread.
struct VectorLanes {
  static constexpr int width = vector_lanes;
  using Real = LaneVector<copse::Real, width>;
  using Index = LaneVector<std::uint32_t, width>;
  using Mask = LaneMask<width>;
};

KOKKOS_FORCEINLINE_FUNCTION bool any(bool mask) {
  return mask;
}

template <class T>
requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION T select(bool mask, T yes, T no) {
  return mask ? yes : no;
}
/// Minimum and maximum. If one number is NaN, a host returns b; a device, in one instruction, the
/// other number.
KOKKOS_FORCEINLINE_FUNCTION float lane_min(float a, float b) {
  KOKKOS_IF_ON_DEVICE((return ::fminf(a, b);))
  KOKKOS_IF_ON_HOST((return a < b ? a : b;))
}
KOKKOS_FORCEINLINE_FUNCTION double lane_min(double a, double b) {
  KOKKOS_IF_ON_DEVICE((return ::fmin(a, b);))
  KOKKOS_IF_ON_HOST((return a < b ? a : b;))
}
KOKKOS_FORCEINLINE_FUNCTION float lane_max(float a, float b) {
  KOKKOS_IF_ON_DEVICE((return ::fmaxf(a, b);))
  KOKKOS_IF_ON_HOST((return a > b ? a : b;))
}
KOKKOS_FORCEINLINE_FUNCTION double lane_max(double a, double b) {
  KOKKOS_IF_ON_DEVICE((return ::fmax(a, b);))
  KOKKOS_IF_ON_HOST((return a > b ? a : b;))
}

/// a * b + c, rounded once: the same bits on every backend and with every lane type.
KOKKOS_FORCEINLINE_FUNCTION float lane_fma(float a, float b, float c) {
  return fused(a, b, c);
}
KOKKOS_FORCEINLINE_FUNCTION double lane_fma(double a, double b, double c) {
  return fused(a, b, c);
}
KOKKOS_FORCEINLINE_FUNCTION float lane_sqrt(float a) {
  return Kokkos::sqrt(a);
}
KOKKOS_FORCEINLINE_FUNCTION double lane_sqrt(double a) {
  return Kokkos::sqrt(a);
}
/// 1 / sqrt(a) to 3 units in the last place; the bits may differ between backends. Requires a
/// positive normal a; other inputs give an unspecified result, which may be NaN. On a device it is
/// one instruction; rsqrtf adds three for subnormal numbers.
KOKKOS_FORCEINLINE_FUNCTION float lane_rsqrt(float a) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((float root; asm("rsqrt.approx.ftz.f32 %0, %1;"
                                       : "=f"(root)
                                       : "f"(a));
                       return root;))
#endif
  KOKKOS_IF_ON_HOST((return Kokkos::rsqrt(a);))
}
KOKKOS_FORCEINLINE_FUNCTION double lane_rsqrt(double a) {
  return Kokkos::rsqrt(a);
}

/// The elements of an array at the lanes' indices.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T gather(const T* from, std::uint32_t at) {
  return from[at];
}
/// Writes the lanes in `mask` to the array at their indices, which must be distinct.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void scatter(T* to, std::uint32_t at, T value, bool mask) {
  if (mask) to[at] = value;
}

}  // namespace copse
