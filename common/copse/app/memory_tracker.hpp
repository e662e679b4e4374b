#pragma once
/// \file
/// Current and peak bytes of Views per memory space, through the allocation callbacks of Kokkos
/// Tools.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace copse::app {

struct MemoryUse {
  std::uint64_t current_bytes = 0;
  std::uint64_t peak_bytes = 0;
};

/// Counts Kokkos allocations made during its lifetime; freeing an older View changes nothing.
/// Callbacks registered earlier are still called. At most one tracker may exist at a time.
class MemoryTracker {
 public:
  MemoryTracker();
  ~MemoryTracker();
  MemoryTracker(const MemoryTracker&) = delete;
  MemoryTracker& operator=(const MemoryTracker&) = delete;

  /// Memory of the device alone; zero without one.
  MemoryUse device() const;
  /// Memory of the host, page-locked memory included.
  MemoryUse host() const;
  /// By Kokkos' name of the memory space ("Host", "Cuda", "CudaHostPinned").
  std::map<std::string, MemoryUse> by_space() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace copse::app
