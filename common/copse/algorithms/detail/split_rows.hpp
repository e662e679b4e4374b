#pragma once
/// \file
/// Splitting a few thousand rows of a column in two, stably, by a bit mask: the inner loop of every
/// partition and filter on a host.
///
/// AVX-512 has the one instruction that this needs and that no compiler finds by itself: compress.
/// It moves 16 rows in about ten cycles where the portable loop, one row at a time, takes four a
/// row. This is the one file with intrinsics of a CPU; without AVX-512 the portable loop does the
/// same.

#include <copse/backend/types.hpp>

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__) && !defined(__CUDACC__)
#define COPSE_HAS_COMPRESS
#include <immintrin.h>
#endif

namespace copse::detail {

/// One bit a row, 16 rows a word.
inline constexpr int mask_rows = 16;
template <int Rows>
using RowMask = std::array<std::uint16_t, (Rows + mask_rows - 1) / mask_rows>;

/// Sets bit i for each row i < rows with keys[i] <= threshold. \return how many there are
template <class Key, int Rows>
int mask_rows_up_to(const Key* keys, int rows, Key threshold, RowMask<Rows>& mask) {
  int count = 0;
  for (int word = 0; word * mask_rows < rows; ++word) {
    const int first = word * mask_rows;
    const int here = rows - first < mask_rows ? rows - first : mask_rows;
    std::uint32_t bits = 0;
#if defined(COPSE_HAS_COMPRESS)
    if constexpr (sizeof(Key) == 4) {
      const auto lanes = static_cast<__mmask16>((1u << here) - 1);
      bits = _mm512_mask_cmple_epu32_mask(lanes, _mm512_maskz_loadu_epi32(lanes, keys + first),
                                          _mm512_set1_epi32(static_cast<int>(threshold)));
      count += __builtin_popcount(bits);
      mask[word] = static_cast<std::uint16_t>(bits);
      continue;
    }
#endif
    for (int i = 0; i < here; ++i) bits |= std::uint32_t{keys[first + i] <= threshold} << i;
    count += __builtin_popcount(bits);
    mask[word] = static_cast<std::uint16_t>(bits);
  }
  return count;
}

/// Copies the rows whose bit is set to `set` and the others to `clear`, each in order. Nothing
/// beyond the last row of either is written.
template <class T, int Rows>
void split_rows(const T* from, int rows, const RowMask<Rows>& mask, T* set, T* clear) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) < 4);
  for (int word = 0; word * mask_rows < rows; ++word) {
    const int first = word * mask_rows;
    const int here = rows - first < mask_rows ? rows - first : mask_rows;
    const std::uint32_t bits = mask[word];
    const int n_set = __builtin_popcount(bits);
#if defined(COPSE_HAS_COMPRESS)
    if constexpr (sizeof(T) == 4) {
      const auto lanes = static_cast<__mmask16>((1u << here) - 1);
      const auto up = static_cast<__mmask16>(bits);
      const auto down = static_cast<__mmask16>(~bits & lanes);
      const __m512i values = _mm512_maskz_loadu_epi32(lanes, from + first);
      _mm512_mask_storeu_epi32(set, static_cast<__mmask16>((1u << n_set) - 1),
                               _mm512_maskz_compress_epi32(up, values));
      _mm512_mask_storeu_epi32(clear, static_cast<__mmask16>((1u << (here - n_set)) - 1),
                               _mm512_maskz_compress_epi32(down, values));
      set += n_set;
      clear += here - n_set;
      continue;
    }
#endif
    // Which side a row goes is unpredictable: both places are known without a branch.
    T* sides[2] = {clear, set};
    for (int i = 0; i < here; ++i) {
      const std::uint32_t side = (bits >> i) & 1;
      *sides[side]++ = from[first + i];
    }
    set += n_set;
    clear += here - n_set;
  }
}

/// Copies the keys strictly between low and high to `to`, in order. `to` must have room for all
/// rows. \return how many there are
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
      _mm512_mask_storeu_epi32(to + kept, static_cast<__mmask16>((1u << n) - 1),
                               _mm512_maskz_compress_epi32(inside, values));
      kept += n;
    }
    return kept;
  }
#endif
  for (int i = 0; i < rows; ++i) {
    const Key k = keys[i];
    to[kept] = k;
    kept += k > low && k < high;
  }
  return kept;
}

}  // namespace copse::detail
