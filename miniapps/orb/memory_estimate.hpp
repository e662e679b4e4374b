#pragma once
/// \file
/// Peak memory of a run of orb: `--dry-run`.
///
/// Memory is used by the measurement (particles as loaded, rows being reordered, the result on the
/// host) and by the build (`estimate_bytes` of the builders). Loading and writing a file need less.
/// The estimate is accurate to a quarter on every host backend, and rarely too low.

#include "request.hpp"
#include <copse/app/session.hpp>

namespace copse::orb {

/// Prints the bytes of one rank, on the host (page-locked memory included) and on a device, and the
/// predictions of `--model`.
void report_memory_estimate(app::Session& session, const Request& request);

}  // namespace copse::orb
