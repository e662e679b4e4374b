#pragma once
/// \file
/// An order-independent checksum of a set of points.

#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>

namespace copse::app {

/// Sum modulo 2^64 of a 64-bit hash of each point's coordinates. It does not change when points are
/// reordered, or distributed over ranks and the sums of the ranks added; it changes (with
/// probability 1 - 2^-64) when a point is lost, duplicated or changed. Coordinates are hashed as
/// doubles, -0 as 0, so it is the same on every backend. O(n).
template <class ExecutionSpace>
std::uint64_t coordinate_checksum(const ExecutionSpace& space,
                                  const Points<3, typename ExecutionSpace::memory_space>& points);

}  // namespace copse::app
