#pragma once
/// \file
/// What a build of a variant did, level by level, counted while it did it.

#include <copse/backend/types.hpp>

#include <vector>

namespace copse {

struct LevelLog {
  Count cells = 0;            ///< cells of the level that were to be cut and had particles
  int iterations = 0;         ///< counts (or histograms) of the whole level
  Count launches = 0;         ///< kernels launched to count or to make histograms
  Count keys_counted = 0;     ///< keys read by those kernels
  Count bytes_to_device = 0;  ///< of particles, for this level
};

struct BuildLog {
  std::vector<LevelLog> levels;  ///< from the root down
};

}  // namespace copse
