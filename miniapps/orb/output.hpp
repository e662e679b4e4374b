#pragma once
/// \file
/// Writes the result of an ORB as an HDF5 file, for plots and other programs.
///
/// Layout. Row r of the datasets in `/tree` is cell r + 1 of the heap, whose children are cells 2
/// (r + 1) and 2 (r + 1) + 1; the last row is the last existing cell.
///
///     /tree/lower, /tree/upper   [cells][3]  box, in the length unit of the input
///     /tree/begin, /tree/end     [cells]     rows of the cell's particles in tree order
///     /tree/leaves               [cells]     leaves of the subtree; 1: a leaf, 0: no such cell
///     /tree/cut_axis, /tree/cut  [cells]     axis (-1 in a leaf) and position of the cut
///     /permutation               [n]         input row of the particle at this row (optional)
///     /position                  [n][3]      optional: positions in tree order
///     attributes of /            copse_version, particles
///     attributes of /tree        first_cell (1), leaves, leaf_rule, box_lower, box_upper, periodic

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <filesystem>
#include <string_view>

namespace copse::orb {

/// "complete" or "halves".
std::string_view leaf_rule_name(LeafRule rule);

/// Writes the file completely or not at all.
/// \param permutation  [n], or empty to omit the dataset
/// \param position     [n][3] in tree order, or empty to omit it; one of the two has all n rows
/// \throws InputError naming the file if it cannot be written
void write_orb(const std::filesystem::path& path, const OrbTree<Kokkos::HostSpace>& tree,
               const Box<3>& domain,
               const Kokkos::View<LocalIndex*, Kokkos::HostSpace>& permutation,
               const Points<3, Kokkos::HostSpace>& position = {});

}  // namespace copse::orb
