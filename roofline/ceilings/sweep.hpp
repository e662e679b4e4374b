#pragma once
/// \file
/// The kernels that sweep a working set: read, copy and triad, on hosts and devices.
///
/// A worker, a thread of a host or a team of a device, sweeps one part of the set after the other:
/// always its own, or each time another worker's. The part of a host thread is one contiguous
/// piece. The part of a device team consists of tiles, interleaved over the teams, so that all
/// teams together sweep memory from beginning to end; contiguous pieces would be read and written
/// at a thousand positions at once.

#include "workers.hpp"
#include <copse/backend/lane_vector.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

namespace copse::roofline {

enum class Stream : std::uint8_t { read, copy, triad };

constexpr const char* stream_name(Stream stream) {
  return stream == Stream::read ? "read" : stream == Stream::copy ? "copy" : "triad";
}
constexpr int stream_arrays(Stream stream) {
  return 1 + static_cast<int>(stream);
}

inline constexpr double factor = 3.0;

/// a = b + 3 c, a = b, or the sum of b's bits.
struct Arrays {
  double* a;
  const double* b;
  const double* c;
  std::uint64_t* sums;  ///< [workers]
  Count chunk;          ///< elements per worker
  Count workers;
  Count hop;  ///< distance between a worker's parts of successive sweeps
  int repeats;

  /// The index of the worker whose part is swept in this repeat.
  KOKKOS_FORCEINLINE_FUNCTION Count part(Count worker, int repeat) const {
    return (worker + static_cast<Count>(repeat) * hop) % workers;
  }
};

template <Stream S>
struct SweepOnHost {
  Arrays arg;
  /// Enough independent sums to hide the latency of an addition.
  using Words = LaneVector<std::uint64_t, 8>;
  static constexpr int sums = 8;

  void operator()(Count worker) const {
    Words sum[sums] = {};
    for (int r = 0; r < arg.repeats; ++r) {
      const Count first = arg.part(worker, r) * arg.chunk;
      double* KOKKOS_RESTRICT a = arg.a + first;
      const double* KOKKOS_RESTRICT b = arg.b + first;
      const double* KOKKOS_RESTRICT c = arg.c + first;
      if constexpr (S == Stream::read) {
        add_words(b, sum);
      } else {
        for (Count i = 0; i < arg.chunk; ++i) {
          if constexpr (S == Stream::copy) {
            a[i] = b[i];
          } else {
            a[i] = b[i] + factor * c[i];
          }
        }
      }
      // Prevents the compiler from merging identical sweeps.
      __asm__ volatile("" ::: "memory");
    }
    std::uint64_t total = 0;
    for (const Words& words : sum)
      for (int l = 0; l < 8; ++l) total += words[l];
    arg.sums[worker] = total;
  }

 private:
  void add_words(const double* b, Words (&sum)[sums]) const {
    static_assert(worker_grain<Kokkos::DefaultHostExecutionSpace> % (8 * sums) == 0);
    for (Count i = 0; i < arg.chunk; i += 8 * sums) {
      add_words_from(b + i, sum, std::make_integer_sequence<int, sums>{});
    }
  }
  template <int... K>
  static void add_words_from(const double* b, Words (&sum)[sums],
                             std::integer_sequence<int, K...>) {
    (add(b + 8 * K, sum[K]), ...);
  }
  static void add(const double* b, Words& sum) {
    sum += load_lanes<std::uint64_t, 8>(reinterpret_cast<const std::uint64_t*>(b));
  }
};

/// 16 bytes, the widest load of one thread.
struct alignas(16) Pair {
  double x, y;
};

template <Stream S, class Member>
struct SweepOnDevice {
  Arrays arg;
  static constexpr Count tile = loads * team_threads;  ///< pairs
  static_assert(worker_grain<typename Member::execution_space> % (2 * tile) == 0);

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto worker = static_cast<Count>(team.league_rank());
    std::uint64_t sum = 0;
    Pair* const a = reinterpret_cast<Pair*>(arg.a);
    const Pair* const b = reinterpret_cast<const Pair*>(arg.b);
    const Pair* const c = reinterpret_cast<const Pair*>(arg.c);
    const Count pairs = arg.workers * arg.chunk / 2;
    for (int r = 0; r < arg.repeats; ++r) {
      for (Count at = arg.part(worker, r) * tile + static_cast<Count>(team.team_rank()); at < pairs;
           at += arg.workers * tile) {
        Pair from_b[loads];
        Pair from_c[loads];
        COPSE_UNROLL
        for (int k = 0; k < loads; ++k) {
          from_b[k] = b[at + static_cast<Count>(k) * team_threads];
          if constexpr (S == Stream::triad)
            from_c[k] = c[at + static_cast<Count>(k) * team_threads];
        }
        COPSE_UNROLL
        for (int k = 0; k < loads; ++k) {
          const Count to = at + static_cast<Count>(k) * team_threads;
          if constexpr (S == Stream::read) {
            sum += Kokkos::bit_cast<std::uint64_t>(from_b[k].x) +
                   Kokkos::bit_cast<std::uint64_t>(from_b[k].y);
          } else if constexpr (S == Stream::copy) {
            a[to] = from_b[k];
          } else {
            a[to] = {from_b[k].x + factor * from_c[k].x, from_b[k].y + factor * from_c[k].y};
          }
        }
      }
    }
    if constexpr (S == Stream::read) {
      team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
      Kokkos::single(Kokkos::PerTeam(team), [&] { arg.sums[worker] = sum; });
    }
  }
};

}  // namespace copse::roofline
