#pragma once
#include "lab.hpp"

namespace copse::labs {

// [begin lab]
/// A team counts one tile of keys. The tile may lie in a large cell or hold many small ones.
template <class Space>
struct CountTile {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  static constexpr Count tile = 4096;
  Array<Space, const Real> keys;
  Array<Space, const Count> begin;
  Array<Space, const Real> cut;
  Array<Space, Count> left;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Count first = tile * static_cast<Count>(team.league_rank());
    const Count end = Kokkos::min(first + tile, Count{keys.extent(0)});
    for (Count cell = cell_of(first); first < end; ++cell) {
      const Count last = Kokkos::min(begin(cell + 1), end);
      const Real here = cut(cell);
      std::uint32_t few = 0;  // as wide as a key
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, first, last),
          [&](Count i, std::uint32_t& some) { some += keys(i) <= here; }, few);
      Kokkos::single(Kokkos::PerTeam(team), [&]() {
        if (few > 0) Kokkos::atomic_add(&left(cell), Count{few});
      });
      first = last;
    }
  }

  /// The cell of a key: the last one that begins at or before it.
  KOKKOS_FUNCTION Count cell_of(Count key) const {
    Count low = 0, high = begin.extent(0) - 1;
    while (high - low > 1) {
      const Count middle = low + (high - low) / 2;
      (begin(middle) <= key ? low : high) = middle;
    }
    return low;
  }
};

/// left(c) = the number of keys of cell c at or below cut(c). Cell c has the keys [begin(c),
/// begin(c + 1)). Waits for the result.
template <class Space>
void count_left(const Space& space, const Array<Space, const Real>& keys,
                const Array<Space, const Count>& begin, const Array<Space, const Real>& cut,
                const Array<Space, Count>& left) {
  using Kernel = CountTile<Space>;
  const auto tiles = static_cast<int>((keys.extent(0) + Kernel::tile - 1) / Kernel::tile);
  Kokkos::deep_copy(space, left, Count{0});
  Kokkos::parallel_for("copse::labs::count_left",
                       Kokkos::TeamPolicy<Space>(space, tiles, Kokkos::AUTO),
                       Kernel{keys, begin, cut, left});
  space.fence("copse::labs::count_left");
}
// [end lab]

}  // namespace copse::labs
