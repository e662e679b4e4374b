#pragma once
/// \file
/// How fast the count kernels read, beside what the memory can do: `orb --count-bandwidth`.

#include "request.hpp"
#include <copse/app/session.hpp>

namespace copse::orb {

/// Counts the particles of `--leaves` equal ranges of rows on one side of a plane, with every count
/// kernel of the chain and as one plain Kokkos::parallel_reduce over all rows, beside a copy and a
/// read of the same column. Prints a table of GB/s and adds a phase with its bytes for each. Every
/// count is verified against std::count_if, and the read against the same on the host.
/// \throws InputError as Session::load_particles; if there are more leaves than particles
void measure_count_bandwidth(app::Session& session, const Request& request);

}  // namespace copse::orb
