#pragma once
/// \file
/// Forces by macro-blocks: a team copies the particles of a square (cube) of microblocks and of the
/// blocks around it into its scratch memory, and its threads find contacts there. Future work of
/// [Li, Scott, Twigg 2012, section 2.7.3].

#include "slots.hpp"

namespace copse::collide {

template <int D, class ExecutionSpace>
struct MacroBlock {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Place = Kokkos::Array<std::uint32_t, D>;
  template <class T>
  using Scratch = Kokkos::View<T, Kokkos::LayoutLeft, typename ExecutionSpace::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static constexpr std::uint32_t side = D == 2 ? 8 : 2;  ///< microblocks
  static constexpr std::uint32_t wide = side + 2;        ///< with those around
  static constexpr std::uint32_t blocks = D == 2 ? wide * wide : wide * wide * wide;
  static constexpr LocalIndex capacity = 512;  ///< particles; more are read from where they are

  Pairs<D, MemorySpace> pairs;
  NearBlocks<D, MemorySpace, Slots<MemorySpace>> near;
  Vectors<D, MemorySpace> acceleration;

  /// In a narrower periodic grid a block would be a neighbour twice.
  static bool fits(const CellGrid<D, double>& grid) {
    for (int a = 0; a < D; ++a)
      if (grid.cells[a] < 3) return false;
    return true;
  }
  static Count teams(const CellGrid<D, double>& grid) {
    Count product = 1;
    for (int a = 0; a < D; ++a) product *= (grid.cells[a] + side - 1) / side;
    return product;
  }
  static std::size_t scratch_bytes(bool sizes) {
    return Scratch<LocalIndex*>::shmem_size(blocks + 1) +
           2 * Scratch<LocalIndex*>::shmem_size(capacity) + Scratch<Tag*>::shmem_size(capacity) +
           Scratch<double* [D]>::shmem_size(capacity) +
           (sizes ? Scratch<double*>::shmem_size(capacity) : 0);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto& memory = team.team_scratch(0);
    const bool sizes = pairs.particles.size.extent(0) > 0;
    const Scratch<LocalIndex*> begin(memory, blocks + 1), row(memory, capacity),
        block_of(memory, capacity);
    const Scratch<Tag*> tag(memory, capacity);
    const Scratch<double* [D]> position(memory, capacity);
    const Scratch<double*> size(memory, sizes ? capacity : 0);

    const auto for_each_block = [&](const auto& f) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, blocks), f);
      team.team_barrier();
    };
    const Place corner = corner_of(team.league_rank());
    for_each_block([&](std::uint32_t b) {
      LocalIndex found = 0;
      for_each_in(corner, b, [&](LocalIndex) { ++found; });
      begin(b + 1) = found;
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      begin(0) = 0;
      for (std::uint32_t b = 0; b < blocks; ++b) begin(b + 1) += begin(b);
    });
    team.team_barrier();
    const LocalIndex particles = begin(blocks);
    if (particles > capacity) {
      const Accelerate<D, MemorySpace, decltype(near)> accelerate{pairs, near, acceleration};
      for_each_block([&](std::uint32_t b) {
        if (is_inside(corner, b)) for_each_in(corner, b, accelerate);
      });
      return;
    }
    for_each_block([&](std::uint32_t b) {
      LocalIndex k = begin(b);
      for_each_in(corner, b, [&](LocalIndex i) {
        row(k) = i;
        block_of(k) = b;
        tag(k) = pairs.particles.tag(i);
        for (int a = 0; a < D; ++a) position(k, a) = pairs.particles.position(i, a);
        if (sizes) size(k) = pairs.particles.size(i);
        ++k;
      });
    });
    // The same tests and sums on the copies.
    Pairs<D, MemorySpace> copies{{}, pairs.physics};
    copies.particles.position = Vectors<D, MemorySpace>(position.data(), capacity);
    copies.particles.tag = Kokkos::View<Tag*, MemorySpace>(tag.data(), capacity);
    if (sizes) copies.particles.size = Kokkos::View<double*, MemorySpace>(size.data(), capacity);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, particles), [&](LocalIndex k) {
      const LocalIndex b = block_of(k);
      if (!is_inside(corner, b)) return;
      Vector<D> a{};
      if (!is_ghost(tag(k)))
        a = copies.acceleration(k, [&](const auto& f) { for_each_near(begin, b, f); });
      for (int axis = 0; axis < D; ++axis) acceleration(row(k), axis) = a[axis];
    });
  }

 private:
  /// The first inner microblock of a team.
  KOKKOS_INLINE_FUNCTION Place corner_of(int team) const {
    Place corner;
    auto rest = static_cast<std::uint32_t>(team);
    for (int a = 0; a < D; ++a) {
      const std::uint32_t along = (near.grid.cells[a] + side - 1) / side;
      corner[a] = rest % along * side;
      rest /= along;
    }
    return corner;
  }

  /// Whether block b of the wide square is one of the team's own: its particles get forces.
  KOKKOS_INLINE_FUNCTION bool is_inside(const Place& corner, std::uint32_t b) const {
    for (int a = 0; a < D; ++a) {
      const std::uint32_t along = b % wide;
      if (along == 0 || along > side || corner[a] + along - 1 >= near.grid.cells[a]) return false;
      b /= wide;
    }
    return true;
  }

  /// Calls f(row) for the particles of block b of the wide square, of none beyond a wall.
  template <class F>
  KOKKOS_INLINE_FUNCTION void for_each_in(const Place& corner, std::uint32_t b, const F& f) const {
    Place place;
    for (int a = 0; a < D; ++a) {
      const std::uint32_t cells = near.grid.cells[a];
      const std::uint32_t shifted = corner[a] + b % wide;  // one more than the block's place
      b /= wide;
      if (!near.grid.periodic && (shifted == 0 || shifted > cells)) return;
      place[a] = (shifted + cells - 1) % cells;
    }
    near.lists.for_each_in(near.grid.number(place), f);
  }

  /// Calls f(k) for the copies in inner block b and around it. Blocks along axis 0 are adjacent.
  template <class F>
  KOKKOS_INLINE_FUNCTION static void for_each_near(const Scratch<LocalIndex*>& begin, LocalIndex b,
                                                   const F& f) {
    for (std::uint32_t z = 0; z < (D == 2 ? 1 : 3); ++z)
      for (std::uint32_t y = 0; y < 3; ++y) {
        const LocalIndex middle =
            b + y * wide - wide + (D == 2 ? 0 : z * wide * wide - wide * wide);
        for (LocalIndex k = begin(middle - 1); k < begin(middle + 2); ++k) f(k);
      }
  }
};

}  // namespace copse::collide
