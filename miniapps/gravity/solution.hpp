#pragma once
/// \file
/// One method on one backend: measured, counted and compared with the direct sum.

#include "errors.hpp"
#include "methods.hpp"
#include "methods/host_share.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace copse::gravity {

/// The phases of a solution, in their order.
inline constexpr std::array<const char*, 3> phase_names{"tree", "moments", "walk"};

struct TreeSize {
  Count nodes = 0, leaves = 0;
};

struct Solution {
  std::string method;
  std::uint32_t bucket_size = 0;
  std::vector<app::Samples> phases;  ///< seconds, as phase_names
  Count active = 0;                  ///< bodies whose fields were computed
  double walk_of_all = 0.0;          ///< seconds of a walk for all bodies, if not all are active
  std::optional<Overlap> overlap;    ///< with --host-share
  double side = 0.0;                 ///< of the periodic box; 0: isolated
  Interactions interactions;
  TreeSize tree;
  FieldErrors errors;  ///< of `targets` active bodies; if --targets is not 0
  /// The same relative to the field of the isolated bodies, which is what the walk's errors are
  /// parts of; in a periodic box images and background may cancel most of it.
  FieldErrors isolated_errors;
  /// With a huge softening, the potential of a body is that of the mass of all bodies at other
  /// positions. This is the largest relative difference from it: a walk that misses a mass or
  /// counts it twice makes it large.
  double uncounted = 0.0;
  /// Of fields without softening against expected_fields.hpp, if the method has them.
  std::optional<FieldErrors> expansions;
  std::array<double, 3> net_force{};  ///< sum of m a over all bodies, G applied
  double force_scale = 0.0;           ///< sum of m |a|

  /// With --output, of the first method: the bodies and their fields, G applied, in the order of
  /// the input.
  struct Output {
    Particles<Kokkos::HostSpace> bodies;
    GravityFields<Kokkos::HostSpace> fields;
  };
  std::optional<Output> output;

  /// Takes the sums of m a and of m |a| with G = 1 (body_sums.hpp).
  void take_forces(const std::array<double, 4>& sums, double g) {
    for (std::size_t a = 0; a < 3; ++a) net_force[a] = g * sums[a];
    force_scale = g * sums[3];
  }
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
/// \param total number of bodies over all ranks
/// \throws InputError if there are no particles, or no or impossible masses or softening lengths
template <class ExecutionSpace>
void check_bodies(const ExecutionSpace& space,
                  const Particles<typename ExecutionSpace::memory_space>& particles, Count total,
                  const Request& request);

/// Bytes on the backend for n bodies, besides their input.
Count estimate_bytes(Count n, const Request& request, const std::string& backend);

/// Checks the errors of every solution against tolerance.hpp.
void verify(app::Session& session, const Request& request, const std::vector<Solution>& solutions);
/// Fills `results` of the report, prints tables and adds figures of merit.
void report(app::Session& session, const Request& request, const std::vector<Solution>& solutions);

}  // namespace copse::gravity
