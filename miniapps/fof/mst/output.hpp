#pragma once
/// \file
/// Writes a minimum spanning tree, and the number of groups for every linking length, as files for
/// plots and other programs. Each file is written completely or not at all.
///
/// The tree as HDF5:
///
///     /edges            [n - 1][2]  input particle indices, the smaller first
///     /length           [n - 1]     ascending, in the length unit of the input
///     /distance2        [n - 1]     what is compared with b^2; length is its square root
///     attributes of /   copse_version, particles, velocity_factor ((b / psi)^2; 0 in 3-D)
///
/// `particles` is the number n of linked particles. With --species it is smaller than the number of
/// input particles, which the indices count.
///
/// CSV tree: a header line "a,b,length", then one edge per line in the same order, with enough
/// digits to read the numbers back exactly.
///
/// The number of groups is a step function of the linking length. Each row describes one step. It
/// holds for linking lengths above `length`, up to and including the `length` of the next row. The
/// first row begins at 0 and the last at the longest edge of the tree. `components` and `largest`
/// are the values at the beginning of the step. In 6-D all rows have the same b / psi. CSV: a
/// header line, then one row per line. JSON: an object with the numbers of `DendrogramScale` and
/// one array per column.

#include "dendrogram.hpp"
#include "tree_edge.hpp"

#include <filesystem>
#include <span>
#include <vector>

namespace copse::fof {

/// \param velocity_factor  as in Friendship
/// \throws InputError naming the file if it cannot be written
void write_mst_hdf5(const std::filesystem::path& path, std::span<const TreeEdge> edges,
                    Count particles, Real velocity_factor);

/// As write_mst_hdf5.
void write_mst_csv(const std::filesystem::path& path, std::span<const TreeEdge> edges);

struct DendrogramRow {
  double length = 0.0;  ///< in the unit of the positions
  GroupCounts counts;
};

/// The steps of the number of groups, ascending. O(n alpha(n)).
std::vector<DendrogramRow> dendrogram_rows(const Dendrogram& dendrogram);

/// Reference scales for linking lengths.
struct DendrogramScale {
  Count particles = 0;
  Count min_members = 0;
  double mean_separation = 0.0;  ///< 0 if the box has no volume; then there is no column b
  double velocity_factor = 0.0;  ///< (b / psi)^2; 0 in 3-D
};

/// Writes the columns length, b (length over mean separation), groups, components and largest.
/// \throws InputError naming the file if it cannot be written
void write_dendrogram_csv(const std::filesystem::path& path, const std::vector<DendrogramRow>& rows,
                          const DendrogramScale& scale);
void write_dendrogram_json(const std::filesystem::path& path,
                           const std::vector<DendrogramRow>& rows, const DendrogramScale& scale);

}  // namespace copse::fof
