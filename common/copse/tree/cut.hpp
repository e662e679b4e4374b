#pragma once
/// \file
/// Cuts and keys of the bisection engine (bisection.hpp): the plane of a cut, the key by which the
/// engine compares particles, and the value of a key.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace copse {

/// The position of a cut plane: the middle of [low, high], but below high, so that `x <= plane`
/// separates the two even if they are adjacent floating-point numbers. No multiplication feeds an
/// addition that a compiler could fuse, which would make backends differ in the last bit.
template <class Value>
KOKKOS_INLINE_FUNCTION Value middle_below(Value low, Value high) {
  const double sum = static_cast<double>(low) + static_cast<double>(high);
  // The sum of two doubles can overflow; two floats in double cannot.
  const double middle = Kokkos::isfinite(sum)
                            ? sum * 0.5
                            : static_cast<double>(low) * 0.5 + static_cast<double>(high) * 0.5;
  const Value plane = static_cast<Value>(middle);
  return plane < high ? plane : low;
}

/// A finished cut, from which the policy sets the extents of the children.
template <class Value>
struct Cut {
  Count left;       ///< particles on the left
  Count right;      ///< particles on the right
  Value left_max;   ///< largest key on the left; meaningless if left == 0
  Value right_min;  ///< smallest key on the right; meaningless if right == 0

  /// The plane between the two sides of a cell with these faces. A face replaces the key of an
  /// empty side.
  KOKKOS_FUNCTION Value plane(Value lower, Value upper) const {
    return middle_below(left > 0 ? left_max : lower, right > 0 ? right_min : upper);
  }
};

/// True for policies with `static constexpr bool divides_ties = true`: exactly `rank` particles of
/// a cell go left, and of equal keys the first ones. The cell sizes of such trees depend on the
/// ranks alone, not on the keys, and need not be stored.
template <class Policy>
inline constexpr bool divides_ties = [] {
  if constexpr (requires { Policy::divides_ties; }) return Policy::divides_ties;
  return false;
}();

/// The key the engine compares: the ordered key of a value; if ties are divided, followed by the
/// particle index, which makes every key of a cell unique. A double then keeps its upper 32 bits:
/// the cut is next to the wanted one, and still divides exactly.
template <class Policy>
using LevelKey =
    std::conditional_t<divides_ties<Policy>, std::uint64_t, OrderedKey<typename Policy::Value>>;

template <class Policy>
KOKKOS_FORCEINLINE_FUNCTION LevelKey<Policy> level_key(typename Policy::Value value, Count row) {
  const auto key = ordered_key(value);
  if constexpr (divides_ties<Policy>) {
    return (std::uint64_t{key >> (8 * sizeof(key) - 32)} << 32) | (row & 0xffffffffu);
  } else {
    return key;
  }
}

/// The value of a key, to the precision the key keeps.
template <class Policy>
KOKKOS_FUNCTION typename Policy::Value value_of_level_key(LevelKey<Policy> key) {
  using Value = typename Policy::Value;
  if constexpr (divides_ties<Policy>) {
    using Key = OrderedKey<Value>;
    return from_ordered_key<Value>(
        static_cast<Key>(static_cast<Key>(key >> 32) << (8 * sizeof(Key) - 32)));
  } else {
    return from_ordered_key<Value>(key);
  }
}

/// The key of most policies: one coordinate of a particle.
struct CoordinateKey {
  const Real* column;
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Count row) const { return column[row]; }
};

template <class PointSet>
KOKKOS_FUNCTION CoordinateKey coordinate_key(const PointSet& points, int axis) {
  return CoordinateKey{points.data() + points.stride(1) * axis};
}

}  // namespace copse
