#pragma once
/// \file
/// collide's simulation on the lists of Cabana.

#include <collide/methods.hpp>
#include <memory>

namespace copse::peers {

struct CabanaSettings {
  bool rows = false;  ///< lists in rows of equal length (VerletLayout2D), else compressed (CSR)
  double skin = 1.0;  ///< what lists reach beyond the cutoff, in cutoffs
  double cell_side = 1.0;  ///< side of a cell over the reach of the lists
  /// Steps between new lists; 0: as soon as a particle has moved by half the skin, which is checked
  /// in every step.
  Count rebuild_every = 0;
};

/// A method that is none of collide's: full Verlet lists of Cabana. Particles are sorted by cells
/// whenever lists are built. Images across periodic sides are further rows whose positions follow
/// their particles in every step. One size of particles, no ghosts.
template <int D, class ExecutionSpace>
std::unique_ptr<collide::Method<D, ExecutionSpace>> make_cabana(const ExecutionSpace& space,
                                                                const collide::Physics<D>& physics,
                                                                const CabanaSettings& settings);

}  // namespace copse::peers
