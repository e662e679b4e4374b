#pragma once
/// \file
/// Memory of a run without running it, for --dry-run.

#include "request.hpp"
#include <copse/app/session.hpp>

namespace copse::fof {

/// Reports the memory of the input and of the largest method.
/// \throws InputError if the input size is not known
void report_estimate(app::Session& session, const Request& request);

}  // namespace copse::fof
