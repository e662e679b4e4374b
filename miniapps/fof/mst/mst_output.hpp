#pragma once
/// \file
/// A minimum spanning tree as a file, for plots and for other programs.
///
/// HDF5:
///
///     /edges            [n - 1][2]  rows of the input, the smaller first
///     /length           [n - 1]     ascending, in the length unit of the input
///     /distance2        [n - 1]     what is compared with b^2; length is its square root
///     attributes of /   copse_version, particles, velocity_factor ((b / psi)^2; 0 in 3-D)
///
/// CSV: a line "a,b,length", then an edge a line in the same order, numbers so that they are read
/// back as they were.

#include "tree_edge.hpp"

#include <filesystem>
#include <span>

namespace copse::fof {

/// Writes the file whole or not at all.
/// \param velocity_factor  as in Friendship
/// \throws InputError naming the file if it cannot be written
void write_mst_hdf5(const std::filesystem::path& path, std::span<const TreeEdge> edges,
                    Count particles, Real velocity_factor);

/// As write_mst_hdf5.
void write_mst_csv(const std::filesystem::path& path, std::span<const TreeEdge> edges);

}  // namespace copse::fof
