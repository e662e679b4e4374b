#pragma once
/// \file
/// The kernels of methods whose rows are stored in the order of cells (cell_method.hpp).

#include "../make.hpp"
#include <copse/grid/cell_list.hpp>

#include <cmath>
#include <cstdint>

namespace copse::collide {

/// The candidates of particles that are stored in the order of cells.
template <int D, class MemorySpace>
struct NearRows {
  CellGrid<D, double> grid;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> offsets;  ///< [cells + 1]
  Vectors<D, MemorySpace> position;
  std::uint32_t reach;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(LocalIndex i, const F& f) const {
    Vector<D> x;
    for (int a = 0; a < D; ++a) x[a] = position(i, a);
    const auto place = grid.coordinates(x);
    KOKKOS_IF_ON_DEVICE((if (reach == 1) {
      const auto along = grid.span(place[0], 0, 1);
      if (along.first + along.count <= grid.cells[0]) return visit_lines(place, along, f);
    }))
    grid.for_each_near_range(place, reach, [&](Count first, Count last) {
      const LocalIndex end = offsets(last + 1);
      for (LocalIndex j = offsets(first); j < end; ++j) f(j);
    });
  }

 private:
  /// One loop over the rows of all lines of adjacent cells, so that threads of a warp wait for the
  /// longest sum and not for the longest of each line. All offsets are loaded before the first one
  /// is used.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void visit_lines(const Kokkos::Array<std::uint32_t, D>& place,
                                               typename CellGrid<D, double>::Span along,
                                               const F& f) const {
    constexpr int lines = CellGrid<D, double>::adjacent_lines;
    LocalIndex begin[lines], end[lines];
    for (int k = 0; k < lines; ++k) {
      Count line = 0;
      const bool inside = grid.adjacent_line(place, k, line);
      begin[k] = inside ? offsets(line + along.first) : 0;
      end[k] = inside ? offsets(line + along.first + along.count) : 0;
    }
    LocalIndex j = begin[0], last = end[0];
    for (int k = 0;;) {
      while (j == last) {
        if (++k == lines) return;
        for (int l = 1; l < lines; ++l)  // unrolled, so that the arrays stay in registers
          if (l == k) {
            j = begin[l];
            last = end[l];
          }
      }
      f(j++);
    }
  }
};

/// Default skin of cells, in largest reaches: 1 in a gas, 0.1 in a liquid (measured:
/// docs/decisions.md, skins are thin in a liquid).
template <int D>
double default_skin(const Physics<D>& physics) {
  return physics.liquid() ? 0.1 : 1.0;
}

/// Cells that rows are sorted into, and what a search relies on until the next sort.
template <int D>
struct SearchedCells {
  CellGrid<D, double> grid;
  SearchLimits limits;

  /// The skin is `skin` largest reaches, and sides are `cell_side` times reach plus skin. `movers`
  /// is 1 if particles search around the cell of their current position, 2 if they search around
  /// the cell in which they are stored.
  SearchedCells(const Physics<D>& physics, const Part<D>& part, double largest_size, Count rows,
                double skin, double cell_side, int movers) {
    const double cutoff = physics.force.cutoff * largest_size;
    const double reach = cutoff * (1.0 + skin);
    const double side = cell_side * reach;
    grid = cells_over(part, physics.region, side, rows);
    limits = {static_cast<std::uint32_t>(std::ceil(reach / side - 1e-9)),
              skin * cutoff / movers * (1.0 - 1e-9)};
  }
};

/// How far particles move, and whether a step exceeded the bound that its queue relies on. Steps of
/// a queue are numbered from 1.
template <class MemorySpace>
struct Watch {
  Kokkos::View<double[1], MemorySpace> largest;  ///< change of a coordinate in one step
  Kokkos::View<int[1], MemorySpace> exceeded;    ///< in which step, or 0
  double bound = 0.0;

  /// False if an earlier step exceeded the bound; the same for all particles of a step.
  KOKKOS_FORCEINLINE_FUNCTION bool allows(int step) const {
    const int marked = exceeded(0);
    return marked == 0 || marked >= step;
  }
  KOKKOS_FORCEINLINE_FUNCTION void see(int step, double change) const {
    // The queue starts with nine tenths of the last largest change, which few particles exceed.
    if (change > largest(0)) {
      Kokkos::atomic_max(&largest(0), change);
      if (change > bound) Kokkos::atomic_store(&exceeded(0), step);
    }
  }
};

/// Forces, kick, drift and fold of one step, from one set of arrays to another.
template <int D, class MemorySpace>
struct StepInCells {
  Pairs<D, MemorySpace> pairs;
  NearRows<D, MemorySpace> near;
  Vectors<D, MemorySpace> next_position;
  Vectors<D, MemorySpace> next_velocity;
  Watch<MemorySpace> watch;
  int step;

  KOKKOS_FORCEINLINE_FUNCTION bool allowed() const { return watch.allows(step); }

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    if (!allowed()) return;
    Vector<D> acceleration{};
    if (!is_ghost(pairs.particles.tag(i)))
      acceleration = pairs.acceleration(i, [&](const auto& f) { near(i, f); });
    finish(i, acceleration);
  }

  /// Moves particle i by its acceleration.
  KOKKOS_FORCEINLINE_FUNCTION void finish(LocalIndex i, const Vector<D>& acceleration) const {
    watch.see(step, pairs.move_to(next_position, next_velocity, i, acceleration));
  }
};

/// The step of the rows in cells near to ghosts, ghosts included, or of the others. A functor of
/// its own, so that a step of all rows needs no more registers.
template <int D, class MemorySpace>
struct PartOfStep {
  StepInCells<D, MemorySpace> step;
  Kokkos::View<const std::uint32_t*, MemorySpace> near_ghosts;  ///< [cells]
  bool near;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    const auto& particles = step.pairs.particles;
    const bool is_near = is_ghost(particles.tag(i)) ||
                         near_ghosts(step.near.grid.cell_of(step.pairs.position(i))) != 0;
    if (is_near == near) step(i);
  }
};

/// Marks the cells in whose reach a ghost is stored. Marks are zero before. Every cell with a ghost
/// marks its neighbourhood: few cells have one.
template <int D, class MemorySpace>
struct MarkNearGhosts {
  NearRows<D, MemorySpace> near;
  Kokkos::View<Tag*, MemorySpace> tag;
  Kokkos::View<std::uint32_t*, MemorySpace> marks;

  KOKKOS_FUNCTION void operator()(Count cell) const {
    const LocalIndex end = near.offsets(cell + 1);
    for (LocalIndex j = near.offsets(cell); j < end; ++j)
      if (is_ghost(tag(j)))
        return near.grid.for_each_near(near.grid.place_of(cell), near.reach, [&](Count other) {
          Kokkos::atomic_store(&marks(other), 1u);
        });
  }
};

template <int D, class MemorySpace>
struct GatherIfAllowed {
  GatherRows<D, MemorySpace> gather;
  Watch<MemorySpace> watch;
  int step;  ///< the next one

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    if (watch.allows(step)) gather(i);
  }
};

/// The largest change of a coordinate at the current velocities.
template <int D, class MemorySpace>
struct LargestChange {
  State<D, MemorySpace> particles;
  double dt;

  KOKKOS_FUNCTION void operator()(LocalIndex i, double& largest) const {
    if (is_ghost(particles.tag(i))) return;
    for (int a = 0; a < D; ++a) {
      const double change = Kokkos::abs(particles.velocity(i, a)) * dt;
      largest = change > largest ? change : largest;
    }
  }
};

}  // namespace copse::collide
