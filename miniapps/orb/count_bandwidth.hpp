#pragma once
/// \file
/// Read bandwidth of the count kernels compared with the memory bandwidth: `orb --count-bandwidth`.

#include "request.hpp"
#include <copse/app/session.hpp>

namespace copse::orb {

/// Counts the particles of `--leaves` equal ranges of rows on one side of a plane, with each count
/// kernel and with one plain Kokkos::parallel_reduce over all rows, and compares with a copy and a
/// read of the same column. Prints a table of GB/s and adds a phase with its bytes for each. Every
/// count is verified against std::count_if, and the read against the same sum on the host.
/// \throws InputError as Session::load_particles; if there are more leaves than particles
void measure_count_bandwidth(app::Session& session, const Request& request);

}  // namespace copse::orb
