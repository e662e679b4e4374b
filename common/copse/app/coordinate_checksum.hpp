#pragma once
/// \file
/// A fingerprint of a set of points that does not depend on their order.

#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>

namespace copse::app {

/// Sum modulo 2^64 of a 64-bit hash of each point's coordinates. Reordering points, or sharing them
/// out over ranks and adding the ranks' sums, leaves it as it is; losing, doubling or changing one
/// changes it (with probability 1 - 2^-64). Coordinates count as doubles, -0 as 0, so it is the
/// same on every backend. O(n).
template <class ExecutionSpace>
std::uint64_t coordinate_checksum(const ExecutionSpace& space,
                                  const Points<3, typename ExecutionSpace::memory_space>& points);

}  // namespace copse::app
