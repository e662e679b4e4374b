#pragma once
/// \file
/// The grid of compare_groups.hpp, and the particles of the layers that a rank owns.

#include "../linker.hpp"
#include <copse/backend/mpi/communicator.hpp>
#include <copse/grid/cell_grid.hpp>
#include <copse/particles/box.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace copse::fof {

/// Axis 2 of `cells` is the longest axis of the box, across the layers.
struct LayerGrid {
  CellGrid<3, double> cells;
  std::array<int, 3> axis;  ///< of the particles, for each axis of `cells`

  LayerGrid(const Friendship& rule, const Box<3>& box);
  std::uint32_t layers() const { return cells.cells[2]; }
  std::uint32_t layer(const Points<3, Kokkos::HostSpace>& position, Count i) const {
    return cells.coordinate(static_cast<double>(position(i, axis[2])), 2);
  }
  Count cell(const Points<3, Kokkos::HostSpace>& position, Count i) const {
    Kokkos::Array<double, 3> x;
    for (int a = 0; a < 3; ++a) x[a] = static_cast<double>(position(i, axis[a]));
    return cells.cell_of(x);
  }
};

/// Particles in ascending order of their global index.
struct LayerParticles {
  LinkProblem<Kokkos::HostSpace> problem;
  GlobalLabels<Kokkos::HostSpace> label;
  GlobalLabels<Kokkos::HostSpace> row;  ///< global index; empty on one rank: the index itself
  std::uint32_t first = 0, end = 0;     ///< layers this rank owns
  /// [rank] copies held here of that rank's particles, and this rank's particles copied to it.
  std::vector<std::vector<LocalIndex>> copies_of, copied_to;
};

/// Moves particles to the owners of their layers, with copies of the two layers above. On one rank
/// the arrays are those given. Collective.
/// \throws InputError if a rank would hold 2^32 particles or more
LayerParticles spread_by_layer(const Communicator& comm, const LayerGrid& grid,
                               const LinkProblem<Kokkos::HostSpace>& mine,
                               const GlobalLabels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
