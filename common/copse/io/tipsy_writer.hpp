#pragma once
/// \file
/// Writes Tipsy snapshots and their array files; layouts in tipsy_reader.hpp and tipsy_array.hpp.

#include <copse/io/tables/host_table.hpp>
#include <copse/particles/particles.hpp>

#include <bit>
#include <filesystem>
#include <span>

namespace copse::io {

struct TipsyOptions {
  std::endian order = std::endian::big;  ///< big: "standard", which every program reads
  double time = 0.0;                     ///< time or scale factor
  /// [rows]: eps of dark and star particles, hsmooth of gas; empty: the column, or 0.
  std::span<const Real> softening = {};
  double formation_time = 0.0;  ///< of all stars
};

/// Writes all particles with a header of 32 bytes: gas, then dark, then star, by the species column
/// and in the order of the table within a species. Species `other` and unknown species become dark.
/// Numbers become 32-bit floats. Unknown velocities are 0 and unknown masses 1/n; quantities
/// without a column or option (density, potential, ...) are 0.
/// \throws InputError if there are more than 2^31 - 1 particles, the number of softenings differs
///         from the number of particles, or the file cannot be written; an existing file then stays
///         intact.
void write_tipsy(const std::filesystem::path& path, const Particles<Kokkos::HostSpace>& particles,
                 const TipsyOptions& options = {});

enum class TipsyArrayFormat {
  ascii,         ///< N, then one number per line; floats with enough digits to round-trip
  standard,      ///< big-endian 32-bit N and values
  little_endian  ///< the same, little-endian
};

/// Writes a list of n numbers as a scalar array, or an [n][3] table as a vector array (all x, then
/// all y, then all z). Entry i of the file is row `order[i]`, or row i if `order` is empty.
/// \throws InputError if an integer does not fit the 32 bits of a binary file, the table has a
///         number of columns other than 1 and 3, there are too many rows for the format, or the
///         file cannot be written.
void write_tipsy_array(const std::filesystem::path& path, const HostTable& values,
                       TipsyArrayFormat format = TipsyArrayFormat::ascii,
                       std::span<const LocalIndex> order = {});

template <class T, class... P>
void write_tipsy_array(const std::filesystem::path& path, const Kokkos::View<T, P...>& values,
                       TipsyArrayFormat format = TipsyArrayFormat::ascii,
                       std::span<const LocalIndex> order = {}) {
  write_tipsy_array(path, table_of(values), format, order);
}

}  // namespace copse::io
