#pragma once
/// \file
/// Maps floating-point numbers to unsigned integers of the same order.
///
/// Every cut of every tree is "the k-th smallest of some keys". Selecting on integers makes the
/// result exact and independent of the backend: equal means equal bits, every key has a
/// predecessor, and digits can be histogrammed.

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace copse {

/// Unsigned integer that holds the key of a Value.
template <class Value>
using OrderedKey = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;

/// Maps a finite value to an integer such that `x < y` exactly if `ordered_key(x) <
/// ordered_key(y)`. -0 and +0 compare equal, so both map to the key of +0. O(1), 3 integer
/// operations.
template <class Value>
KOKKOS_FORCEINLINE_FUNCTION OrderedKey<Value> ordered_key(Value x) {
  using Key = OrderedKey<Value>;
  using Signed = std::make_signed_t<Key>;
  constexpr int top = 8 * sizeof(Key) - 1;
  const Key bits = Kokkos::bit_cast<Key>(x + Value{0});  // -0 + 0 is +0
  // Negative numbers: flip all bits; others: flip the sign bit.
  const Key flip = static_cast<Key>(static_cast<Signed>(bits) >> top) | (Key{1} << top);
  return bits ^ flip;
}

/// The inverse of `ordered_key` (with +0 for both zeros).
template <class Value>
KOKKOS_FORCEINLINE_FUNCTION Value from_ordered_key(OrderedKey<Value> key) {
  using Key = OrderedKey<Value>;
  constexpr int top = 8 * sizeof(Key) - 1;
  const Key flip = (key >> top) ? (Key{1} << top) : ~Key{0};
  return Kokkos::bit_cast<Value>(static_cast<Key>(key ^ flip));
}

}  // namespace copse
