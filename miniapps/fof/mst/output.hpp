#pragma once
/// \file
/// A minimum spanning tree, and the number of groups for every linking length, as files for plots
/// and other programs. Every file appears whole or not at all.
///
/// The tree as HDF5:
///
///     /edges            [n - 1][2]  rows of the input, the smaller first
///     /length           [n - 1]     ascending, in the length unit of the input
///     /distance2        [n - 1]     what is compared with b^2; length is its square root
///     attributes of /   copse_version, particles, velocity_factor ((b / psi)^2; 0 in 3-D)
///
/// As CSV: a line "a,b,length", then an edge a line in the same order, with enough digits to read
/// the numbers back exactly.
///
/// The number of groups is a step function of the linking length. A row describes one step and
/// holds for linking lengths above `length`, up to and including that of the next row; the first
/// begins at 0 and the last at the longest edge of the tree. `components` and `largest` are those
/// at the beginning of the row's range. In 6-D b / psi is the same in all rows. CSV: a line of
/// names, then a row a line. JSON: an object of the numbers in `DendrogramScale`, and an array a
/// column.

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

/// What lengths are to be compared with.
struct DendrogramScale {
  Count particles = 0;
  Count min_members = 0;
  double mean_separation = 0.0;  ///< 0: the box has no volume, and there is no column b
  double velocity_factor = 0.0;  ///< (b / psi)^2; 0 in 3-D
};

/// Writes the columns length, b (length over mean separation), groups, components and
/// largest.
/// \throws InputError naming the file if it cannot be written
void write_dendrogram_csv(const std::filesystem::path& path, const std::vector<DendrogramRow>& rows,
                          const DendrogramScale& scale);
void write_dendrogram_json(const std::filesystem::path& path,
                           const std::vector<DendrogramRow>& rows, const DendrogramScale& scale);

}  // namespace copse::fof
