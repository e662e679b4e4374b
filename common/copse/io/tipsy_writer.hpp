#pragma once
/// \file
/// Writes Tipsy snapshots and the array files beside them; layouts in tipsy_reader.hpp and
/// tipsy_array.hpp.

#include <copse/io/host_table.hpp>
#include <copse/particles/particles.hpp>

#include <bit>
#include <filesystem>
#include <span>
#include <vector>

namespace copse::io {

struct TipsyOptions {
  std::endian order = std::endian::big;  ///< big: "standard", which every program reads
  double time = 0.0;                     ///< time or scale factor
  /// [rows]: eps of dark and star particles, hsmooth of gas; empty: 0.
  std::span<const Real> softening = {};
  double formation_time = 0.0;  ///< of all stars
};

/// Writes all particles with a header of 32 bytes: gas, then dark, then star, by the species column
/// and within a species in the order of the table; dark if the species is `other` or unknown.
/// Numbers become 32-bit floats. Velocities are 0 and masses 1/n if unknown; what the table has no
/// column or option for (density, potential, ...) is 0.
/// \throws InputError if there are more than 2^31 - 1 particles, the softening has other rows than
///         the table, or the file cannot be written; the old file, if any, is then intact.
void write_tipsy(const std::filesystem::path& path, const Particles<Kokkos::HostSpace>& particles,
                 const TipsyOptions& options = {});

/// The row of the table that is particle i of the file `write_tipsy` writes. Array files must be in
/// this order to belong to it.
std::vector<LocalIndex> tipsy_order(const Particles<Kokkos::HostSpace>& particles);

enum class TipsyArrayFormat {
  ascii,     ///< N, then one number a line; floats with as many digits as give them back exactly
  standard,  ///< big-endian 32-bit N and values
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
