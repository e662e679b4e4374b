#pragma once
/// \file
/// Fields over ranks: measured, compared with a direct sum over the bodies of all ranks, reported.

#include "../request.hpp"
#include <copse/app/session.hpp>

namespace copse::gravity {

/// Loads the particles, runs every requested method `--repeat` times on the bodies of all ranks,
/// verifies, reports and writes. Collective.
/// \throws InputError as solve_all, and if --remote-memory is too little
void solve_over_ranks(app::Session& session, const Request& request);

}  // namespace copse::gravity
