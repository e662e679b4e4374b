#pragma once
/// \file
/// Writes Tipsy snapshots; layout in tipsy_reader.hpp.

#include <copse/particles/particles.hpp>

#include <filesystem>
#include <span>

namespace copse::io {

struct TipsyOptions {
  double time = 0.0;  ///< time or scale factor
  /// [rows]: eps of dark and star particles, hsmooth of gas; empty: the column, or 0.
  std::span<const Real> softening = {};
  double formation_time = 0.0;  ///< of all stars
};

/// Writes all particles in big-endian order, the "standard" that every program reads, with a header
/// of 32 bytes: gas, then dark, then star, by the species column and in the order of the table
/// within a species. Species `other` and unknown species become dark. Numbers become 32-bit floats.
/// Unknown velocities are 0 and unknown masses 1/n; quantities without a column or option (density,
/// potential, ...) are 0.
/// \throws InputError if there are more than 2^31 - 1 particles, the number of softenings differs
///         from the number of particles, or the file cannot be written; an existing file then stays
///         intact.
void write_tipsy(const std::filesystem::path& path, const Particles<Kokkos::HostSpace>& particles,
                 const TipsyOptions& options = {});

}  // namespace copse::io
