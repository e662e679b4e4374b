#pragma once
/// \file
/// Splits a few thousand rows of a column in two, stably, by a bit mask: the inner loop of every
/// partition and filter on a host.
///
/// AVX-512 has the instruction for this, compress, which no compiler generates from portable code;
/// AVX2 permutes the lanes of a register by a table of 256 permutations. They move 16 and 8 rows at
/// once, the portable loop one, and the result is the same. Kokkos SIMD can neither compress nor
/// permute by a variable. Comparisons are written for the same registers: with AVX2 they take
/// 0.08 ns per row in cache, and GCC 12's code for the portable loop, which stores the bits one by
/// one, takes 0.27 ns (Sapphire Rapids Xeon). The only other file with CPU intrinsics is
/// backend/native_vector.hpp.

#include <copse/backend/types.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

#if defined(__CUDA_ARCH__)
// nvcc's device pass only parses this file.
#elif defined(__AVX512F__)
#define COPSE_HAS_COMPRESS
#include <immintrin.h>
#elif defined(__AVX2__)
#define COPSE_HAS_PERMUTE
#include <immintrin.h>
#endif

namespace copse {

/// One bit per row, 16 rows per word.
inline constexpr int mask_rows = 16;
template <int Rows>
using RowMask = std::array<std::uint16_t, (Rows + mask_rows - 1) / mask_rows>;

/// The number of rows with key <= threshold, and the keys on either side of it.
template <class Key>
struct ThresholdSides {
  int up_to = 0;
  Key left_max = 0;                           ///< largest key <= threshold, 0 if there is none
  Key right_min = static_cast<Key>(~Key{0});  ///< smallest key > threshold, ~0 if there is none
};

#if defined(COPSE_HAS_PERMUTE)
namespace detail {

inline constexpr int half_mask = mask_rows / 2;  ///< rows of an AVX2 register

/// Entry m: the positions of the bits set in m, ascending, one in each byte.
inline constexpr std::array<std::uint64_t, 256> set_positions = [] {
  std::array<std::uint64_t, 256> table{};
  for (unsigned mask = 0; mask < 256; ++mask)
    for (unsigned bit = 0, at = 0; bit < half_mask; ++bit)
      if ((mask >> bit) & 1u) table[mask] |= std::uint64_t{bit} << (8 * at++);
  return table;
}();

/// The lanes whose bit is set, in order, and unspecified lanes after them.
inline __m256i compress(__m256i values, std::uint32_t bits) {
  const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(set_positions[bits]));
  return _mm256_permutevar8x32_epi32(values, _mm256_cvtepu8_epi32(bytes));
}
/// A mask of the first n lanes.
inline __m256i first_lanes(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
template <class T>
__m256i load_rows(const T* from) {
  static_assert(sizeof(T) == 4);
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
/// Writes the first n lanes. Lanes after them are written too where there is room before `end`.
template <class T>
void store_rows(T* to, const T* end, __m256i values, int n) {
  if (to + half_mask <= end)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
  else
    _mm256_maskstore_epi32(reinterpret_cast<int*>(to), first_lanes(n), values);
}
}  // namespace detail
#endif

/// Sets bit i of `mask` for each row i < rows with keys[i] <= threshold.
template <class Key, int Rows>
ThresholdSides<Key> compare_rows(const Key* keys, int rows, Key threshold, RowMask<Rows>& mask) {
  ThresholdSides<Key> sides;
#if defined(COPSE_HAS_COMPRESS)
  if constexpr (sizeof(Key) == 4) {
    const __m512i at = _mm512_set1_epi32(static_cast<int>(threshold));
    __m512i left_max = _mm512_setzero_si512();
    __m512i right_min = _mm512_set1_epi32(-1);
    for (int word = 0; word * mask_rows < rows; ++word) {
      const int first = word * mask_rows;
      const int here = rows - first < mask_rows ? rows - first : mask_rows;
      const auto lanes = static_cast<__mmask16>((1u << here) - 1);
      const __m512i values = _mm512_maskz_loadu_epi32(lanes, keys + first);
      const __mmask16 up_to = _mm512_mask_cmple_epu32_mask(lanes, values, at);
      const auto above = static_cast<__mmask16>(~up_to & lanes);
      left_max = _mm512_mask_max_epu32(left_max, up_to, left_max, values);
      right_min = _mm512_mask_min_epu32(right_min, above, right_min, values);
      sides.up_to += __builtin_popcount(up_to);
      mask[word] = up_to;
    }
    std::array<Key, mask_rows> lane_max, lane_min;
    _mm512_storeu_si512(lane_max.data(), left_max);
    _mm512_storeu_si512(lane_min.data(), right_min);
    sides.left_max = *std::max_element(lane_max.begin(), lane_max.end());
    sides.right_min = *std::min_element(lane_min.begin(), lane_min.end());
    return sides;
  }
#endif
  int word = 0;
#if defined(COPSE_HAS_PERMUTE)
  if constexpr (sizeof(Key) == 4) {
    const __m256i at = _mm256_set1_epi32(static_cast<int>(threshold));
    __m256i left_max = _mm256_setzero_si256();
    __m256i right_min = _mm256_set1_epi32(-1);
    // The bits of keys <= threshold. AVX2 compares signed integers only, so: min(a, b) == a.
    const auto compare = [&](const Key* from) {
      const __m256i values = detail::load_rows(from);
      const __m256i up_to = _mm256_cmpeq_epi32(_mm256_min_epu32(values, at), values);
      left_max = _mm256_max_epu32(left_max, _mm256_and_si256(values, up_to));
      right_min = _mm256_min_epu32(right_min, _mm256_or_si256(values, up_to));
      return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(up_to)));
    };
    for (; (word + 1) * mask_rows <= rows; ++word) {
      const Key* const from = keys + word * mask_rows;
      const std::uint32_t bits = compare(from) | compare(from + detail::half_mask)
                                                     << detail::half_mask;
      sides.up_to += __builtin_popcount(bits);
      mask[word] = static_cast<std::uint16_t>(bits);
    }
    std::array<Key, detail::half_mask> lane_max, lane_min;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lane_max.data()), left_max);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lane_min.data()), right_min);
    sides.left_max = *std::max_element(lane_max.begin(), lane_max.end());
    sides.right_min = *std::min_element(lane_min.begin(), lane_min.end());
  }
#endif
  for (; word * mask_rows < rows; ++word) {
    const int first = word * mask_rows;
    const int here = rows - first < mask_rows ? rows - first : mask_rows;
    std::uint32_t bits = 0;
    for (int i = 0; i < here; ++i) {
      const Key key = keys[first + i];
      bits |= std::uint32_t{key <= threshold} << i;
      // All ones if key <= threshold: a mask, because a branch would be mispredicted half of the
      // time.
      const Key up_to = static_cast<Key>(-static_cast<Key>(key <= threshold));
      const Key left = key & up_to;
      const Key right = key | up_to;
      sides.left_max = left > sides.left_max ? left : sides.left_max;
      sides.right_min = right < sides.right_min ? right : sides.right_min;
    }
    sides.up_to += __builtin_popcount(bits);
    mask[word] = static_cast<std::uint16_t>(bits);
  }
  return sides;
}

/// Copies the rows whose bit is set to `set` and the others to `clear`, each in order; `n_set` bits
/// are set. Writes nothing beyond the last row of either.
/// \tparam pieces  the rows are one of the pieces of `Rows` rows of a column: requests the next
///
/// A piece is a new stream to the hardware prefetcher, so its first loads would wait for memory.
/// With requests a build of orb (10^7 particles, two cores) takes about 0.7 of the time on a Zen 5
/// with AVX-512. On a Sapphire Rapids Xeon it takes 0.93 with AVX2, but 1.06 with AVX-512.
template <class T, int Rows, bool pieces = false>
void split_rows(const T* from, int rows, const RowMask<Rows>& mask, int n_set, T* set, T* clear) {
  const int n_clear = rows - n_set;
#if defined(COPSE_HAS_COMPRESS)
  if constexpr (sizeof(T) == 4) {
    const T* const set_end = set + n_set;
    const T* const clear_end = clear + n_clear;
    for (int word = 0; word * mask_rows < rows; ++word) {
      const int first = word * mask_rows;
      const int here = rows - first < mask_rows ? rows - first : mask_rows;
      const std::uint32_t bits = mask[word];
      const int sets = __builtin_popcount(bits);
      const auto lanes = static_cast<__mmask16>((1u << here) - 1);
      if (pieces) __builtin_prefetch(from + first + Rows, 0, 2);
      const __m512i values = _mm512_maskz_loadu_epi32(lanes, from + first);
      const __m512i up = _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), values);
      const __m512i down =
          _mm512_maskz_compress_epi32(static_cast<__mmask16>(~bits & lanes), values);
      // Store whole registers as long as later rows overwrite the excess: masked stores are slow.
      if (set + mask_rows <= set_end) {
        _mm512_storeu_si512(set, up);
      } else {
        _mm512_mask_storeu_epi32(set, static_cast<__mmask16>((1u << sets) - 1), up);
      }
      if (clear + mask_rows <= clear_end) {
        _mm512_storeu_si512(clear, down);
      } else {
        _mm512_mask_storeu_epi32(clear, static_cast<__mmask16>((1u << (here - sets)) - 1), down);
      }
      set += sets;
      clear += here - sets;
    }
    return;
  }
#endif
  int row = 0, up = 0, down = 0;
#if defined(COPSE_HAS_PERMUTE)
  if constexpr (sizeof(T) == 4) {
    for (; row + detail::half_mask <= rows; row += detail::half_mask) {
      const std::uint32_t bits = (mask[row / mask_rows] >> (row % mask_rows)) & 0xffu;
      const int sets = __builtin_popcount(bits);
      const __m256i values = detail::load_rows(from + row);
      if (pieces && row % mask_rows == 0) __builtin_prefetch(from + row + Rows, 0, 2);
      detail::store_rows(set + up, set + n_set, detail::compress(values, bits), sets);
      detail::store_rows(clear + down, clear + n_clear, detail::compress(values, bits ^ 0xffu),
                         detail::half_mask - sets);
      up += sets;
      down += detail::half_mask - sets;
    }
  }
#endif
  // The side of a row is unpredictable: the row is written to both, and only its own side advances.
  // Once one side is full, all remaining rows belong to the other.
  while (up < n_set && down < n_clear) {
    const int bit = (mask[row / mask_rows] >> (row % mask_rows)) & 1;
    set[up] = clear[down] = from[row];
    up += bit;
    down += 1 - bit;
    ++row;
  }
  std::copy_n(from + row, n_set - up, set + up);
  std::copy_n(from + row, n_clear - down, clear + down);
}

/// Copies the keys strictly between low and high to `to`, in order. `to` must have room for all
/// rows. \return the number of keys copied
template <class Key>
int keep_between(const Key* keys, int rows, Key low, Key high, Key* to) {
  int kept = 0;
#if defined(COPSE_HAS_COMPRESS)
  if constexpr (sizeof(Key) == 4) {
    const __m512i below = _mm512_set1_epi32(static_cast<int>(low));
    const __m512i above = _mm512_set1_epi32(static_cast<int>(high));
    for (int first = 0; first < rows; first += mask_rows) {
      const int here = rows - first < mask_rows ? rows - first : mask_rows;
      const auto lanes = static_cast<__mmask16>((1u << here) - 1);
      const __m512i values = _mm512_maskz_loadu_epi32(lanes, keys + first);
      __mmask16 inside = _mm512_mask_cmpgt_epu32_mask(lanes, values, below);
      inside = _mm512_mask_cmplt_epu32_mask(inside, values, above);
      const int n = __builtin_popcount(inside);
      // `to` may be `keys`: the rows overwritten by a whole register have already been read.
      if (here == mask_rows) {
        _mm512_storeu_si512(to + kept, _mm512_maskz_compress_epi32(inside, values));
      } else {
        _mm512_mask_storeu_epi32(to + kept, static_cast<__mmask16>((1u << n) - 1),
                                 _mm512_maskz_compress_epi32(inside, values));
      }
      kept += n;
    }
    return kept;
  }
#endif
  int i = 0;
#if defined(COPSE_HAS_PERMUTE)
  if constexpr (sizeof(Key) == 4) {
    const __m256i below = _mm256_set1_epi32(static_cast<int>(low));
    const __m256i above = _mm256_set1_epi32(static_cast<int>(high));
    for (; i + detail::half_mask <= rows; i += detail::half_mask) {
      const __m256i values = detail::load_rows(keys + i);
      // Unsigned comparisons by minimum and maximum: AVX2 compares signed integers only.
      const __m256i outside =
          _mm256_or_si256(_mm256_cmpeq_epi32(_mm256_min_epu32(values, below), values),
                          _mm256_cmpeq_epi32(_mm256_max_epu32(values, above), values));
      const auto bits =
          static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(outside)) ^ 0xff);
      // `to` may be `keys`: the rows overwritten by a whole register have already been read.
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + kept), detail::compress(values, bits));
      kept += __builtin_popcount(bits);
    }
  }
#endif
  for (; i < rows; ++i) {
    const Key k = keys[i];
    to[kept] = k;
    kept += k > low && k < high;
  }
  return kept;
}

}  // namespace copse
