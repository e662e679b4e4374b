#pragma once
/// \file
/// Who sweeps a working set: each thread of a host, or enough teams to fill a device.

#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse::roofline {

/// Threads of a team of a device, loads of 16 bytes a thread has in flight.
inline constexpr int team_threads = 256;
inline constexpr int loads = 2;

/// Elements of 8 bytes that a worker takes at least: whole rounds of a team, or 4 KiB of a host.
template <class ExecutionSpace>
constexpr Count worker_grain = runs_on_host<ExecutionSpace> ? 512 : 2 * loads* team_threads;

template <class ExecutionSpace>
Count workers(const ExecutionSpace& space) {
  const auto threads = static_cast<Count>(space.concurrency());
  return runs_on_host<ExecutionSpace> ? threads : std::max<Count>(1, threads / team_threads);
}

/// On a device, which of two ways a set is swept: kept (each team its own part, again and again:
/// the first cache answers) or handed on (each time another team's: it does not). Large sets are
/// written in neither way (streams.cpp).
template <class ExecutionSpace>
constexpr bool hands_on = !runs_on_host<ExecutionSpace>;

}  // namespace copse::roofline
