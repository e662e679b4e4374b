#pragma once
/// \file
/// The random points of --correlation, in the region of the data.

#include <copse/app/command_line.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>

namespace copse::traversal {

/// The region of the survey: --box if given, otherwise the bounding box of the data.
/// \throws InputError if it has no volume or does not contain all points
template <int Dim, class ExecutionSpace>
Box<Dim> region_of(const app::CommonOptions& options, const ExecutionSpace& space,
                   const Points<Dim, typename ExecutionSpace::memory_space>& data);

/// Random points uniform in the box. Their seed is the complement of the data's; the same seed
/// would reproduce uniform data. Uses fma so that all backends round identically.
template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> random_catalogue(const ExecutionSpace& space,
                                                                    std::uint64_t seed, Count n,
                                                                    const Box<Dim>& box);

template <int Dim>
double shortest_side(const Box<Dim>& box) {
  double side = box.extent(0);
  for (int a = 1; a < Dim; ++a) side = box.extent(a) < side ? box.extent(a) : side;
  return side;
}

}  // namespace copse::traversal
