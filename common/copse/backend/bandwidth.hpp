#pragma once
/// \file
/// Measured memory rates of this machine: the ceilings of runtime models and rooflines.
///
/// Each rate is the best of several runs, because a ceiling is what the machine can do without
/// interference. The result of every measured kernel is compared with that of a plain loop, so a
/// kernel that did not run has no rate.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Rates of one backend. Arrays are much larger than the caches unless stated otherwise.
struct Bandwidth {
  Count bytes = 0;              ///< size of the swept array
  double read = 0.0;            ///< bytes per second of a loop that only reads
  double copy = 0.0;            ///< bytes per second of a copy, read plus written
  double from_host = 0.0;       ///< bytes per second from pinned host memory; 0 on the host
  double count = 0.0;           ///< keys per second of [Rehmann 2022] listing 1: n += key <= cut
  double count_in_cache = 0.0;  ///< the same, with the keys in registers or L1
};

/// Sweeps an array of about `bytes` bytes, rounded up to a whole number of tiles, tens of times.
/// Needs twice that memory.
/// \throws std::runtime_error if a kernel's result is wrong
template <class ExecutionSpace>
Bandwidth measure_bandwidth(const ExecutionSpace& space, Count bytes);

/// An array size larger than any cache and affordable in a test: 2^28 bytes on a host, 2^31 on a
/// device, at most a sixteenth of the memory.
template <class ExecutionSpace>
Count bandwidth_bytes();

}  // namespace copse
