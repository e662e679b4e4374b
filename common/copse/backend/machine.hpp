#pragma once
/// \file
/// Hardware and libraries of a run, for reports.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

struct HostDescription {
  std::string name;                ///< network name
  std::string cpu;                 ///< model
  int cores = 0;                   ///< hardware threads of the system
  std::uint64_t memory_bytes = 0;  ///< total
};
HostDescription describe_host();

/// A data cache of the host's first hardware thread.
struct CacheDescription {
  int level = 0;            ///< 1 is nearest to the core
  std::uint64_t bytes = 0;  ///< size of one such cache
  int threads = 1;          ///< hardware threads that share it
};
/// Nearest first; empty if the system does not report caches.
std::vector<CacheDescription> describe_host_caches();

struct DeviceDescription {
  bool present = false;
  std::string name;
  std::uint64_t memory_bytes = 0;
  std::string compute_capability;  ///< "9.0"
  int multiprocessors = 0;
  std::uint64_t l1_bytes = 0;  ///< per multiprocessor, the part usable as scratch memory
  std::uint64_t l2_bytes = 0;
};
/// The accelerator of this rank; `present` is false in a build without one. Kokkos must be running.
DeviceDescription describe_device();

/// Threads that kernels of a backend run on: 1, OpenMP's threads, or the device's resident threads.
int backend_concurrency(std::string_view backend);

/// Total bytes that Views of a backend may use, on the host or on the device.
std::uint64_t backend_memory_bytes(std::string_view backend);

/// The compiler of the host code and, if there is one, of the device code.
std::string describe_compiler();
/// "5.0.2"
std::string describe_kokkos();

}  // namespace copse
