#pragma once
/// \file
/// The workers that sweep a working set: the threads of a host, or enough teams to fill a device.

#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse::roofline {

/// Threads per team on a device, and loads of 16 bytes in flight per thread.
inline constexpr int team_threads = 256;
inline constexpr int loads = 2;

/// Minimum number of 8-byte elements per worker: whole rounds of a team, or 4 KiB on a host.
template <class ExecutionSpace>
constexpr Count worker_grain = runs_on_host<ExecutionSpace> ? 512 : 2 * loads* team_threads;

template <class ExecutionSpace>
Count workers(const ExecutionSpace& space) {
  const auto threads = static_cast<Count>(space.concurrency());
  return runs_on_host<ExecutionSpace> ? threads : std::max<Count>(1, threads / team_threads);
}

/// The two ways to sweep a set on a device: kept (each team re-reads its own part, served by L1) or
/// handed on (each time another team's part, not served by L1). Large sets are written in neither
/// way (streams.cpp).
template <class ExecutionSpace>
constexpr bool hands_on = !runs_on_host<ExecutionSpace>;

}  // namespace copse::roofline
