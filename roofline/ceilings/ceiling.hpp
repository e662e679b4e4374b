#pragma once
/// \file
/// The ceilings measured on a backend, and the functions that measure them. One file each:
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
/// Every kernel's result is checked against one computed in another way; a wrong result throws
/// std::runtime_error.

#include "effort.hpp"

#include <string>
#include <vector>

namespace copse::roofline {

/// The rate for a working set of this many bytes, over all arrays and threads.
struct SetRate {
  std::string stream;  ///< read, copy, triad, random, tree
  Count bytes = 0;
  bool kept = true;  ///< each thread or team re-reads its own part; false: another's part
  double bytes_per_second = 0.0;  ///< read plus written
};

/// A level of the memory hierarchy.
struct MemoryLevel {
  std::string name;  ///< "L1", "L2", "L3", "memory"
  Count bytes = 0;   ///< total over all caches that this backend's threads use; 0: memory
  Count one = 0;     ///< size of one such cache
  bool kept = true;  ///< measured with kept (true) or handed-on sets
  std::vector<SetRate> best{};  ///< best rate of each stream over the sets that fit
};

struct ArithmeticRate {
  std::string type;         ///< float, double, integer (32 bits)
  std::string shape;        ///< scalar, vector; on a device, thread
  int chains = 0;           ///< independent chains per thread
  double operations = 0.0;  ///< per second; a fused multiply-add counts as two
};

struct AtomicRate {
  std::string memory;  ///< scratch, global
  Count counters = 0;  ///< number of counters, per team or in total
  double additions = 0.0;
};

struct TransferTime {
  std::string direction;  ///< to_device, from_device
  bool pinned = true;
  Count bytes = 0;
  double seconds = 0.0;
};

struct LaunchTimes {
  double queued = 0.0;   ///< one kernel in a long queue
  double fenced = 0.0;   ///< a kernel and a fence
  double reduced = 0.0;  ///< a reduction whose result the host waits for
};

/// Rates of independent implementations at the largest set, to check the ceilings.
struct StreamPeers {
  double vendor_copy = 0.0;   ///< Kokkos::deep_copy: cudaMemcpy on CUDA
  double kernel_copy = 0.0;   ///< the copy kernel, measured alternately with it
  double plain_triad = 0.0;   ///< std::thread loops; 0 on a device
  double kernel_triad = 0.0;  ///< the triad kernel, measured alternately with it
};

template <class ExecutionSpace>
std::vector<MemoryLevel> memory_levels(const ExecutionSpace& space);
/// Bytes of the working sets, ascending, from the smallest in which all threads take part.
template <class ExecutionSpace>
std::vector<Count> working_sets(const ExecutionSpace& space, const Effort& effort);
/// Assigns the best rates to the levels of their working sets: a level takes sets from 5/4 of the
/// previous level to 3/4 of its own bytes; memory takes sets from 3 times the last cache, on a
/// device 16 times. The parts of a stream's set are distributed over the caches; a gather may read
/// any part of its set from any thread, so one cache must hold all of it.
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
