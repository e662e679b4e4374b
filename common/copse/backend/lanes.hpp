#pragma once
/// \file
/// What a visitor computes with: one lane, or several lanes of a processor's vector unit at once.
///
/// A packet is W queries that walk a tree together. On a GPU it is a warp: 32 threads, each with
/// the numbers of one query. On a CPU it is one thread whose every number is a vector of W. Code
/// that is templated on a *lane type* `L` and uses `L::Real`, `L::Index`, `L::Mask` with operators
/// and the functions below is both: with OneLane a float is a float and a mask a bool; with
/// VectorLanes they are vectors and their masks.
///
/// A mask is no condition: `if (mask)` would ask W questions at once. Choose by `select`, skip by
/// `if (any(mask))`.

#include <copse/backend/lane_vector.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// A query on its own: a lane of a GPU's packet, or a walk that is not in a packet.
struct OneLane {
  static constexpr int width = 1;
  using Real = copse::Real;
  using Index = std::uint32_t;
  using Mask = bool;
};

/// Queries in a packet on hosts: one 64-byte vector of floats.
inline constexpr int vector_lanes = 16;

/// A packet of a host's vector unit.
struct VectorLanes {
  static constexpr int width = vector_lanes;
  using Real = LaneVector<copse::Real, width>;
  using Index = LaneVector<std::uint32_t, width>;
  using Mask = LaneMask<width>;
};

KOKKOS_FORCEINLINE_FUNCTION bool any(bool mask) {
  return mask;
}
/// Bit l is lane l's.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lane_bits(bool mask) {
  return mask ? 1u : 0u;
}

template <class T>
requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION T select(bool mask, T yes, T no) {
  return mask ? yes : no;
}
/// Of numbers; a device has one instruction for each, which ignores what is no number.
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

/// a * b + c, rounded once: the same bits on every backend and in every lane type.
KOKKOS_FORCEINLINE_FUNCTION float lane_fma(float a, float b, float c) {
  return Kokkos::fma(a, b, c);
}
KOKKOS_FORCEINLINE_FUNCTION double lane_fma(double a, double b, double c) {
  return Kokkos::fma(a, b, c);
}
KOKKOS_FORCEINLINE_FUNCTION float lane_sqrt(float a) {
  return Kokkos::sqrt(a);
}
KOKKOS_FORCEINLINE_FUNCTION double lane_sqrt(double a) {
  return Kokkos::sqrt(a);
}
/// 1 / sqrt(a) to 3 units in the last place, not the same ones everywhere. a must be positive and
/// a normal number for that; what comes of others is a number or none.
KOKKOS_FORCEINLINE_FUNCTION float lane_rsqrt(float a) {
  return Kokkos::rsqrt(a);
}
KOKKOS_FORCEINLINE_FUNCTION double lane_rsqrt(double a) {
  return Kokkos::rsqrt(a);
}

/// The elements of an array at the lanes' indices.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T gather(const T* from, std::uint32_t at) {
  return from[at];
}
/// Writes the lanes in `mask` to the array at their indices, which must differ.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void scatter(T* to, std::uint32_t at, T value, bool mask) {
  if (mask) to[at] = value;
}

}  // namespace copse
