#pragma once
/// \file
/// The states that simulations start from.

#include "request.hpp"
#include "state.hpp"
#include <copse/app/session.hpp>

#include <string>
#include <vector>

namespace copse::collide {

/// Kinds of `--generate`; the first is the default.
std::vector<std::string> start_names();

/// A state on the host, rows in the order of their ids, and its region. On several ranks, one
/// rank's share of the rows.
template <int D>
struct Start {
  State<D, Kokkos::HostSpace> state;
  Region<D> region;
  Vector<D> origin{};  ///< of the region, in the coordinates of the input
  Count step = 0;      ///< steps made before, if it is from --restart
};

/// The start of the course CS 267: a lattice with shuffled ids and velocities in [-1, 1], drawn by
/// mt19937 and, bit by bit, as its reference results were. O(n), serial.
template <int D>
Start<D> cs267_start(const Request& request, Count particles, std::uint64_t seed);

/// A lattice whose points are moved by up to a quarter of its spacing, with normal velocities of
/// total momentum 0. Draws depend on the seed and the id alone. O(n), serial; the mean velocity is
/// subtracted, so a velocity depends on all draws.
template <int D>
Start<D> gas_start(const Request& request, Count particles, std::uint64_t seed);

/// Particles of a snapshot or of the suite's generators; in two dimensions their z is dropped.
/// \throws InputError for no particles, or 2^31 and more
template <int D>
Start<D> loaded_start(app::Session& session, const Request& request);

/// Sizes of --radius-spread, log-uniform from 1 to the spread, drawn by id; none for a spread of 1.
template <int D>
void add_sizes(const Request& request, std::uint64_t seed, State<D, Kokkos::HostSpace>& state);

/// What --generate, --input and --restart ask for; sizes of particles are drawn by id. Records the
/// input. \throws InputError if the region is too small for the force
template <int D>
Start<D> make_start(app::Session& session, const Request& request);

}  // namespace copse::collide
