#pragma once
/// \file
/// One method on one backend: measured, counted and compared with the direct sum.

#include "errors.hpp"
#include "methods.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace copse::gravity {

/// The phases of a solution, in their order.
inline constexpr std::array<const char*, 3> phase_names{"tree", "moments", "walk"};

struct Solution {
  std::string method;
  std::uint32_t bucket_size = 0;
  std::vector<app::Samples> phases;  ///< seconds, as phase_names
  Interactions interactions;
  FieldErrors errors;  ///< of `targets` bodies; if --targets is not 0
  /// With a huge softening every potential is that of the mass of all bodies elsewhere: the largest
  /// relative difference from it. A mass that a walk misses or counts twice shows here.
  double uncounted = 0.0;
  /// Of fields without softening against expected_fields.hpp; not of the method direct.
  std::optional<FieldErrors> expansions;
  std::array<double, 3> net_force{};  ///< sum of m a over all bodies, G applied
  double force_scale = 0.0;           ///< sum of m |a|

  /// In the order of the input, G applied; of the first method, if they are to be written.
  std::optional<GravityFields<Kokkos::HostSpace>> fields;

  double seconds() const;
};

/// Loads the particles, runs every requested method `--repeat` times and fills its Solution.
/// \throws InputError if there are no particles or masses, or a mass is negative
std::vector<Solution> solve_all(app::Session& session, const Request& request);

/// Loads the particles, with velocities if they are to move.
/// \throws InputError as check_bodies
template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> load_bodies(const ExecutionSpace& space,
                                                             app::Session& session,
                                                             const Request& request);
/// \throws InputError if there are no particles, or no or impossible masses or softening lengths
template <class ExecutionSpace>
void check_bodies(const ExecutionSpace& space,
                  const Particles<typename ExecutionSpace::memory_space>& particles,
                  const Request& request);

/// Bytes on the backend for n bodies, besides their input.
Count estimate_bytes(Count n, const Request& request, const std::string& backend);

/// Checks the errors of every solution against tolerance.hpp.
void verify(app::Session& session, const Request& request, const std::vector<Solution>& solutions);
/// Fills `results` of the report, prints tables and adds figures of merit.
void report(app::Session& session, const Request& request, const std::vector<Solution>& solutions);

}  // namespace copse::gravity
