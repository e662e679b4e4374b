#pragma once
/// \file
/// What is measured of a backend, and the functions that measure it. One file each:
///
/// | file | ceiling |
/// |---|---|
/// | streams.cpp | bytes per second of read, copy and triad, by working set |
/// | gathers.cpp | 32-byte cells per second, at random and down a tree, by working set |
/// | arithmetic.cpp | operations per second by precision, by the number of independent chains |
/// | atomics.cpp | additions per second to counters in scratch memory of a team, and global ones |
/// | launches.cpp | seconds of an empty kernel, and of copies between host and device |
/// | levels.cpp | which of the working sets belong to which cache |
///
/// Every kernel's result is checked against one that is computed another way; a wrong one throws
/// std::runtime_error.

#include "effort.hpp"

#include <string>
#include <vector>

namespace copse::roofline {

/// A rate at a working set of so many bytes, over all arrays and threads.
struct SetRate {
  std::string stream;  ///< read, copy, triad, random, tree
  Count bytes = 0;
  bool kept = true;               ///< each thread or team reads its own part again, not another's
  double bytes_per_second = 0.0;  ///< read plus written
};

/// A level of the memory.
struct MemoryLevel {
  std::string name;             ///< "L1", "L2", "L3", "memory"
  Count bytes = 0;              ///< of all the caches that this backend's threads use; 0: memory
  Count one = 0;                ///< of one such cache
  bool kept = true;             ///< which sets of streams measure it
  std::vector<SetRate> best{};  ///< the best rate of each stream among the sets it holds
};

struct ArithmeticRate {
  std::string type;         ///< float, double, integer (32 bits)
  std::string shape;        ///< scalar, vector; on a device, thread
  int chains = 0;           ///< independent of each other, in one thread
  double operations = 0.0;  ///< per second; a fused multiplication and addition is two
};

struct AtomicRate {
  std::string memory;  ///< scratch, global
  Count counters = 0;  ///< that are added to, of each team or of all
  double additions = 0.0;
};

struct TransferTime {
  std::string direction;  ///< to_device, from_device
  bool pinned = true;
  Count bytes = 0;
  double seconds = 0.0;
};

struct LaunchTimes {
  double queued = 0.0;   ///< of one kernel in a long row
  double fenced = 0.0;   ///< of a kernel and a fence
  double reduced = 0.0;  ///< of a reduction whose result the host waits for
};

/// Rates at the largest set, which others measured: what the ceilings are checked with.
struct StreamPeers {
  double vendor_copy = 0.0;   ///< Kokkos::deep_copy: cudaMemcpy on CUDA
  double kernel_copy = 0.0;   ///< the copy kernel's, measured beside it
  double plain_triad = 0.0;   ///< loops of std::threads; 0 on a device
  double kernel_triad = 0.0;  ///< the triad kernel's, measured beside it
};

template <class ExecutionSpace>
std::vector<MemoryLevel> memory_levels(const ExecutionSpace& space);
/// Bytes of working sets from the smallest that all threads share in to the largest, ascending.
template <class ExecutionSpace>
std::vector<Count> working_sets(const ExecutionSpace& space, const Effort& effort);
/// Enters the best rates into the levels whose sets they belong to: those from 5/4 of the level
/// before to 3/4 of its own bytes, memory from 3 times the last cache, on a
/// device 16 times. The parts of a stream's set
/// share out between caches; all threads gather from all of a set, so that one cache has to hold
/// it.
void assign_rates(std::vector<MemoryLevel>& levels, const std::vector<SetRate>& rates);

template <class ExecutionSpace>
std::vector<SetRate> measure_streams(const ExecutionSpace& space, const std::vector<Count>& sets,
                                     const Effort& effort);
template <class ExecutionSpace>
StreamPeers measure_stream_peers(const ExecutionSpace& space, Count set, const Effort& effort);
template <class ExecutionSpace>
std::vector<SetRate> measure_gathers(const ExecutionSpace& space, const std::vector<Count>& sets,
                                     const Effort& effort);
template <class ExecutionSpace>
std::vector<ArithmeticRate> measure_arithmetic(const ExecutionSpace& space, const Effort& effort);
template <class ExecutionSpace>
std::vector<AtomicRate> measure_atomics(const ExecutionSpace& space, const Effort& effort);
template <class ExecutionSpace>
LaunchTimes measure_launches(const ExecutionSpace& space, const Effort& effort);
/// Empty on a host.
template <class ExecutionSpace>
std::vector<TransferTime> measure_transfers(const ExecutionSpace& space, const Effort& effort);

}  // namespace copse::roofline
