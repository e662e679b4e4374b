#pragma once
/// \file
/// The particles of a simulation, some of which may be ghosts.

#include "region.hpp"
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace copse::collide {

template <int D, class MemorySpace>
using Vectors = Kokkos::View<double* [D], Kokkos::LayoutLeft, MemorySpace>;

/// Identity of a particle: its row in the input, with a bit for ghosts. Contacts are summed in the
/// order of ids, so results do not depend on where particles are stored.
using Tag = std::uint32_t;

inline constexpr Tag ghost_bit = Tag{1} << 31;
inline constexpr Count most_particles = ghost_bit;  ///< over all ranks
/// Of a row without a particle. It passes for a ghost, and no ghost has it: ids are smaller.
inline constexpr Tag unused_tag = ~Tag{0};

KOKKOS_FORCEINLINE_FUNCTION constexpr Tag id_of(Tag tag) {
  return tag & ~ghost_bit;
}
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_ghost(Tag tag) {
  return (tag & ghost_bit) != 0;
}

/// Rows are in any order. A ghost acts on other particles and does not move.
template <int D, class MemorySpace>
struct State {
  Vectors<D, MemorySpace> position;         ///< [n][D], inside the region
  Vectors<D, MemorySpace> velocity;         ///< [n][D]
  Kokkos::View<Tag*, MemorySpace> tag;      ///< [n], ids are unique
  Kokkos::View<double*, MemorySpace> size;  ///< [n] relative to the cutoff; empty: all are 1
  double largest_size = 1.0;                ///< bound of `size`

  KOKKOS_FORCEINLINE_FUNCTION Count rows() const { return position.extent(0); }
};

/// Uninitialised rows.
template <int D, class MemorySpace>
State<D, MemorySpace> allocate_state(Count rows, bool sizes) {
  const auto named = [](const char* column) {
    return Kokkos::view_alloc(std::string("copse::collide::") + column,
                              Kokkos::WithoutInitializing);
  };
  State<D, MemorySpace> state;
  state.position = decltype(state.position)(named("position"), rows);
  state.velocity = decltype(state.velocity)(named("velocity"), rows);
  state.tag = decltype(state.tag)(named("tag"), rows);
  if (sizes) state.size = decltype(state.size)(named("size"), rows);
  return state;
}

/// Copies all rows to a state of the same shape, also in another memory space.
template <int D, class To, class From>
void copy_rows(const State<D, To>& to, const State<D, From>& from) {
  Kokkos::deep_copy(to.position, from.position);
  Kokkos::deep_copy(to.velocity, from.velocity);
  Kokkos::deep_copy(to.tag, from.tag);
  if (from.size.extent(0) > 0) Kokkos::deep_copy(to.size, from.size);
}

/// A deep copy, also to another memory space.
template <class To, int D, class From>
State<D, To> copy_state(const State<D, From>& from) {
  auto to = allocate_state<D, To>(from.rows(), from.size.extent(0) > 0);
  copy_rows(to, from);
  to.largest_size = from.largest_size;
  return to;
}

}  // namespace copse::collide
