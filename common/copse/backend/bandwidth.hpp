#pragma once
/// \file
/// What this machine's memory can do, measured in the process: the ceilings that runtime models and
/// rooflines compare with.
///
/// All rates are of the best of several runs, because a ceiling is what the machine can do, not
/// what it does while others use it. Every measured kernel's result is compared with that of a
/// plain loop, so a kernel that did not run has no rate.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Rates of one backend. Bytes are those of arrays much larger than caches, unless said otherwise.
struct Bandwidth {
  Count bytes = 0;         ///< of the array that was swept
  double read = 0.0;       ///< bytes per second of a loop that only reads
  double copy = 0.0;       ///< bytes per second of a copy, those read plus those written
  double from_host = 0.0;  ///< bytes per second from pinned host memory; 0 where the host is it
  double count = 0.0;      ///< keys per second of seed 000 listing 1: n += key <= cut
  double count_in_cache = 0.0;  ///< the same, with the keys in registers or the first cache
};

/// Sweeps an array of about `bytes` bytes, rounded up to a whole number of tiles. Needs twice that
/// memory. Takes tens of sweeps.
/// \throws std::runtime_error if a kernel's result is wrong
template <class ExecutionSpace>
Bandwidth measure_bandwidth(const ExecutionSpace& space, Count bytes);

/// An array size that no cache holds and a test can afford: 2^28 bytes on a host, 2^31 on a device,
/// at most a sixteenth of the memory.
template <class ExecutionSpace>
Count bandwidth_bytes();

}  // namespace copse
