#pragma once
/// \file
/// Rounds arrays of positions to fixed point (fixed_point.hpp), compresses them for messages and
/// decompresses them.

#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/fixed_point.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace copse {

/// Positions as triples, one per particle: [n triple_bytes] bytes.
template <class MemorySpace>
using CompressedPositions = Kokkos::View<std::byte*, Kokkos::LayoutLeft, MemorySpace>;

namespace detail {

template <class MemorySpace>
struct CompressPositions {
  FixedPoint grid;
  Points<3, MemorySpace> points;
  std::byte* triples;
  KOKKOS_FUNCTION void operator()(Count i) const {
    write_triple(triples, grid.bits, i, grid.compress(points(i, 0), 0),
                 grid.compress(points(i, 1), 1), grid.compress(points(i, 2), 2));
  }
};

template <class MemorySpace>
struct DecompressPositions {
  FixedPoint grid;
  Points<3, MemorySpace> points;
  const std::byte* triples;
  KOKKOS_FUNCTION void operator()(Count i) const {
    for (int a = 0; a < 3; ++a)
      points(i, a) =
          grid.decompress(number_at(triples, grid.bits, 3 * i + static_cast<Count>(a)), a);
  }
};

template <class MemorySpace>
struct RoundPositions {
  FixedPoint grid;
  Points<3, MemorySpace> points;
  KOKKOS_FUNCTION void operator()(Count i, double& largest) const {
    for (int a = 0; a < 3; ++a) {
      const Real before = points(i, a);
      const Real after = grid.decompress(grid.compress(before, a), a);
      points(i, a) = after;
      const double side = static_cast<double>(grid.upper[a]) - grid.lower[a];
      const double change = Kokkos::abs(static_cast<double>(after) - static_cast<double>(before));
      if (change > largest * side) largest = change / side;
    }
  }
};

}  // namespace detail

/// Compresses positions, which must lie in the box of `grid`. Asynchronous. Per particle: 12 bytes
/// read (floats), triple_bytes written.
template <class ExecutionSpace, class MemorySpace>
void compress(const ExecutionSpace& space, const FixedPoint& grid,
              const Points<3, MemorySpace>& points, const CompressedPositions<MemorySpace>& to) {
  Kokkos::parallel_for("copse::particles::compress",
                       CountRange<ExecutionSpace>(space, 0, points.extent(0)),
                       detail::CompressPositions<MemorySpace>{grid, points, to.data()});
}

/// The inverse of `compress`. Asynchronous. Per particle: triple_bytes read, 12 bytes written
/// (floats).
template <class ExecutionSpace, class MemorySpace>
void decompress(const ExecutionSpace& space, const FixedPoint& grid,
                const CompressedPositions<MemorySpace>& from,
                const Points<3, MemorySpace>& points) {
  Kokkos::parallel_for("copse::particles::decompress",
                       CountRange<ExecutionSpace>(space, 0, points.extent(0)),
                       detail::DecompressPositions<MemorySpace>{grid, points, from.data()});
}

/// Replaces positions by what decompression will return, so that compressing them loses nothing
/// more. \return the largest change of a coordinate, in sides of the box
template <class ExecutionSpace, class MemorySpace>
double round_positions(const ExecutionSpace& space, const FixedPoint& grid,
                       const Points<3, MemorySpace>& points) {
  double largest = 0.0;
  Kokkos::parallel_reduce(
      "copse::particles::round_positions", CountRange<ExecutionSpace>(space, 0, points.extent(0)),
      detail::RoundPositions<MemorySpace>{grid, points}, Kokkos::Max<double>(largest));
  space.fence("copse::particles::round_positions");
  return largest;
}

}  // namespace copse
