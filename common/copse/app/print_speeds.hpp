#pragma once
/// \file
/// The summary of a run's speeds.

#include <copse/app/session.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>

#include <cstddef>

namespace copse::app {

/// Prints the table `speeds` of so many backends, and a note below it if it compares several in a
/// build whose host kernels are not the fastest.
inline void print_speeds(const Session& session, const Table& speeds, std::size_t backends) {
  session.print(speeds);
  if (!host_kernels_are_fastest && backends > 1) session.print(slower_host_kernels_note);
}

}  // namespace copse::app
