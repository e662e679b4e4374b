#pragma once
/// \file
/// Reads points in any dimension from files of several formats.
///
/// | content                       | what is read                                               |
/// |-------------------------------|------------------------------------------------------------|
/// | .npy (`array_table.hpp`)      | the columns of a [n][Dim] array of floats                  |
/// | IDX (`array_table.hpp`)       | items of Dim numbers                                       |
/// | text (`csv_table.hpp`)        | the chosen columns                                         |
/// | snapshots (`snapshot.hpp`)    | the positions of all particles, for Dim = 3                |
///
/// With a random projection to Dim dimensions, rows of the first three formats may have any length.
/// In 3-D, text without a choice of columns is a snapshot with its columns x, y and z. The content
/// determines the format, never the name. Coordinates are in the units of the file.

#include <copse/backend/dimensions.hpp>
#include <copse/io/snapshot_reader.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace copse::io {

struct PointFileOptions {
  std::string columns;  ///< choice of columns of a text file; empty: all
  /// Seed of the random projection of the rows; if absent, they must have Dim numbers.
  std::optional<std::uint64_t> projection;
  Progress progress;  ///< may be empty
};

/// Reads all points of a file, in its order. Instantiated for the dimensions of COPSE_DIMENSIONS.
/// \throws InputError naming the file in one sentence if its format is unknown or it is damaged, if
///         its rows are not points in Dim dimensions, if a coordinate is not finite, if there are
///         more points than a rank may hold, or if an option does not fit the format.
template <int Dim>
Points<Dim, Kokkos::HostSpace> read_points(const std::filesystem::path& path,
                                           const PointFileOptions& options);

#define COPSE_DECLARE_READ_POINTS(Dim)                                                          \
  extern template Points<Dim, Kokkos::HostSpace> read_points<Dim>(const std::filesystem::path&, \
                                                                  const PointFileOptions&);
COPSE_FOR_EACH_DIMENSION(COPSE_DECLARE_READ_POINTS)
#undef COPSE_DECLARE_READ_POINTS

}  // namespace copse::io
