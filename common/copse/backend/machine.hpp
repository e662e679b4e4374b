#pragma once
/// \file
/// What hardware and libraries a run uses, for reports.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

struct HostDescription {
  std::string name;                ///< network name
  std::string cpu;                 ///< model
  int cores = 0;                   ///< hardware threads the system has
  std::uint64_t memory_bytes = 0;  ///< all of it
};
HostDescription describe_host();

/// A cache for data of the host's first hardware thread.
struct CacheDescription {
  int level = 0;            ///< 1 is the nearest
  std::uint64_t bytes = 0;  ///< of one such cache
  int threads = 1;          ///< hardware threads that share it
};
/// Nearest first; empty where the system does not tell.
std::vector<CacheDescription> describe_host_caches();

struct DeviceDescription {
  bool present = false;
  std::string name;
  std::uint64_t memory_bytes = 0;
  std::string compute_capability;  ///< "9.0"
  int multiprocessors = 0;
  std::uint64_t l1_bytes = 0;  ///< of one multiprocessor, what can be its scratch memory
  std::uint64_t l2_bytes = 0;
};
/// The accelerator this rank uses; `present` is false in a build without one. Kokkos must run.
DeviceDescription describe_device();

/// Threads that kernels of a backend run on: 1, OpenMP's threads, or the device's resident threads.
int backend_concurrency(std::string_view backend);

/// Bytes that Views of a backend may use in all: of the host, or of the device.
std::uint64_t backend_memory_bytes(std::string_view backend);

/// Compiler of the host code and, where there is one, of the device code.
std::string describe_compiler();
/// "5.0.2"
std::string describe_kokkos();

}  // namespace copse
