#pragma once
/// \file
/// Restart files: a run that continues from one equals the run that was not interrupted, bit by
/// bit.
///
/// HDF5: the datasets position [n][3] and velocity [n][3] in double, mass [n] and, if the run needs
/// them, softening [n], pulls [n] and the corners of the periodic box [2][3] in `Real`; the
/// attributes step, time and dt; and `options` [bytes], a line "name value" for each option that
/// decides the motion.

#include "../request.hpp"
#include <copse/particles/particles.hpp>

#include <filesystem>

namespace copse::gravity {

/// The state of a run on the host, in the order of the input.
struct Restart {
  Kokkos::View<double*[3], Kokkos::LayoutLeft, Kokkos::HostSpace> position, velocity;
  Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace> mass, softening;
  Count step = 0;
  double time = 0.0;
  Box<3> box;                                                        ///< if periodic
  Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace> pulls;  ///< as in MotionState
};

/// \throws InputError if the file cannot be written; an existing file then stays intact
void write_restart(const std::filesystem::path& path, const Restart& state, const Request& request,
                   std::uint32_t bucket_size);
/// \throws InputError if the file is damaged, holds no bodies or impossible numbers, or was written
/// with other options
Restart read_restart(const std::filesystem::path& path, const Request& request,
                     std::uint32_t bucket_size);

/// \return the number of bodies of a restart file \throws InputError if the file is damaged
Count bodies_of_restart(const std::filesystem::path& path);

/// Writes positions, velocities, masses and softening lengths as a standard Tipsy file, all dark.
void write_snapshot(const std::filesystem::path& path, const Restart& state,
                    const Request& request);

}  // namespace copse::gravity
