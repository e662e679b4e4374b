#pragma once
/// \file
/// What a run of orb will need at its fullest moment: `--dry-run`.
///
/// Two things hold memory: the measurement (particles as loaded, rows being reordered, the result
/// on the host) and the build, which knows its own needs (`estimate_bytes` of the builders).
/// Loading and writing a file need less. The estimate is right to a quarter on every host backend,
/// and hardly ever too low.

#include "request.hpp"
#include <copse/app/session.hpp>

namespace copse::orb {

/// Prints the bytes of one rank, on the host (page-locked memory included) and on a device, and
/// what `--model` asks for.
void report_memory_estimate(app::Session& session, const Request& request);

}  // namespace copse::orb
