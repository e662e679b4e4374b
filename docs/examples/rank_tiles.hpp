#pragma once
/// \file
/// How teams read the keys of find_rank.hpp: in tiles, each divided among the threads.

#include "find_rank.hpp"
#include "on_host.hpp"
#include <copse/backend/backends.hpp>

namespace copse::book {

inline constexpr Key largest_key = ~Key{0};

// [begin tile]
/// A thread's share of a tile of 4096 keys, completely in flight before the first key is used. A
/// host team is one thread. Positions past the last key hold the largest key, which is above every
/// wanted rank.
template <class ExecutionSpace>
struct ShareOfTile {
  static constexpr int tile_size = 4096;
  static constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 256;
  static constexpr int size = tile_size / threads;
  Key key[size];

  KOKKOS_FUNCTION ShareOfTile(const RankKeys<ExecutionSpace>& keys, Count tile, int thread) {
    const Count first = tile * tile_size + static_cast<Count>(thread);
    const Count behind = keys.extent(0) - tile * tile_size;
    if (behind >= tile_size) {
      for (int k = 0; k < size; ++k) key[k] = keys(first + static_cast<Count>(k * threads));
    } else {
      for (int k = 0; k < size; ++k) {
        const auto i = static_cast<Count>(k * threads + thread);
        key[k] = i < behind ? keys(tile * tile_size + i) : largest_key;
      }
    }
  }
};
// [end tile]

template <class ExecutionSpace>
Count tiles_of(const RankKeys<ExecutionSpace>& keys) {
  constexpr Count size = ShareOfTile<ExecutionSpace>::tile_size;
  return (keys.extent(0) + size - 1) / size;
}

/// Sums over all teams.
template <class MemorySpace>
using Totals = Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>;

}  // namespace copse::book
