#pragma once
/// \file
/// Counter-based random numbers: the draws of particle i depend only on the seed and on i.
///
/// A generated data set is therefore the same on every backend, for every number of threads and for
/// every split over ranks, without stored state or skipping ahead in a sequence.
///
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011),
/// generator Philox4x32-10. The tests check the published known-answer vectors.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The 128-bit counter and output block, and the 64-bit key, of Philox4x32.
using PhiloxBlock = Kokkos::Array<std::uint32_t, 4>;
using PhiloxKey = Kokkos::Array<std::uint32_t, 2>;

/// Philox4x32-10: a bijection of the counter for every key; 20 widening multiplications.
KOKKOS_FORCEINLINE_FUNCTION constexpr PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {
        static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
        static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

/// The purpose of a draw. Draws of different purposes are independent even for the same index, so
/// requesting another column never changes the existing ones.
enum class RandomPurpose : std::uint32_t {
  position = 0,
  velocity = 1,
  weight = 2,
  sub_sphere = 3,
  halo_size = 4,
  halo_place = 5,
  point = 6,
  point_table = 7,
  random_order = 8,
  projection = 9,
  random_half = 10,
};

/// The random stream of (seed, purpose, index). Rejection sampling may draw from it as often as it
/// needs (2^32 blocks) without overlapping another stream.
class RandomStream {
 public:
  KOKKOS_FORCEINLINE_FUNCTION RandomStream(std::uint64_t seed, RandomPurpose purpose,
                                           std::uint64_t index)
      : key_{low(seed), high(seed)},
        counter_{low(index), high(index), static_cast<std::uint32_t>(purpose), 0} {}

  /// The next 128 bits.
  KOKKOS_FORCEINLINE_FUNCTION PhiloxBlock next_block() {
    const PhiloxBlock block = philox4x32(counter_, key_);
    ++counter_[3];
    return block;
  }

  /// Two numbers strictly between 0 and 1, on a grid of 2^-52.
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<double, 2> next_pair() {
    const PhiloxBlock b = next_block();
    return {unit(word(b[0], b[1]) >> 12, 0x1p-52), unit(word(b[2], b[3]) >> 12, 0x1p-52)};
  }

  /// Three numbers strictly between 0 and 1 from one block, on a grid of 2^-42.
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<double, 3> next_triple() {
    const PhiloxBlock b = next_block();
    const std::uint64_t w0 = word(b[0], b[1]);
    const std::uint64_t w1 = word(b[2], b[3]);
    const std::uint64_t left_over = (w0 & 0x1FFFFFU) << 21 | (w1 & 0x1FFFFFU);
    return {unit(w0 >> 22, 0x1p-42), unit(w1 >> 22, 0x1p-42), unit(left_over, 0x1p-42)};
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::uint32_t low(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::uint64_t word(std::uint32_t lo,
                                                                  std::uint32_t hi) {
    return static_cast<std::uint64_t>(hi) << 32 | lo;
  }
  /// The midpoint of grid cell k: never 0, never 1, and exact in double for up to 52 bits.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr double unit(std::uint64_t k, double spacing) {
    return (static_cast<double>(k) + 0.5) * spacing;
  }

  PhiloxKey key_;
  PhiloxBlock counter_;
};

}  // namespace copse
