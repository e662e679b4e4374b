#pragma once
/// \file
/// The summary of a run's speeds.

#include <copse/app/session.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>

#include <cstddef>

namespace copse::app {

/// Prints `speeds` of so many backends; warns below the table if a comparison of several would be
/// unfair to hosts.
inline void print_speeds(const Session& session, const Table& speeds, std::size_t backends) {
  session.print(speeds);
  if (!host_kernels_are_fastest && backends > 1) session.print(slower_host_kernels_note);
}

}  // namespace copse::app
