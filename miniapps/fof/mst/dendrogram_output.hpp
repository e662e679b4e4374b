#pragma once
/// \file
/// How many groups there are for every linking length, as a file for plots.
///
/// The number of groups is a step function of the linking length. A row stands for each of its
/// steps and holds for linking lengths above `length`, up to and including that of the next row;
/// the first begins at 0 and the last at the longest edge of the tree. `components` and `largest`
/// are those at the beginning of the row's range. In 6-D b / psi is the same in all rows.
///
/// CSV: a line of names, then a row a line. JSON: an object of the numbers in `DendrogramScale`,
/// and an array a column.

#include "dendrogram.hpp"

#include <filesystem>
#include <vector>

namespace copse::fof {

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

/// Writes the columns length, b (length over mean separation), groups, components and largest,
/// whole or not at all.
/// \throws InputError naming the file if it cannot be written
void write_dendrogram_csv(const std::filesystem::path& path, const std::vector<DendrogramRow>& rows,
                          const DendrogramScale& scale);
void write_dendrogram_json(const std::filesystem::path& path,
                           const std::vector<DendrogramRow>& rows, const DendrogramScale& scale);

}  // namespace copse::fof
