#pragma once
/// \file
/// Memory of this process that other processes of the node can map: the device interface of
/// PeerExchange.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace copse {

class PeerMemory {
 public:
  /// Identifies an allocation to another process.
  using Handle = std::array<std::byte, 64>;

  struct Allocation {
    std::byte* base = nullptr;
    std::uint64_t identity = 0;  ///< never 0, never reused in this process
  };

  virtual ~PeerMemory() = default;

  /// The allocation that contains `pointer`; empty if it cannot be exported.
  virtual std::optional<Allocation> allocation_of(const void* pointer) = 0;
  /// A handle for the whole allocation; empty if this kind of allocation has none.
  virtual std::optional<Handle> handle_of(const Allocation& allocation) = 0;

  /// Maps another process' allocation and returns its base address; nullptr if that fails.
  virtual std::byte* open(const Handle& handle) = 0;
  virtual void close(std::byte* mapped) = 0;

  /// Starts a copy between any two addresses, including host memory. Copies with the same `lane`
  /// are ordered; others may overlap.
  virtual void copy(void* to, const void* from, std::size_t bytes, int lane) = 0;
  /// Waits for all copies.
  virtual void wait() = 0;

  /// Allocates shareable memory; nullptr if out of memory.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void release(std::byte* memory) = 0;
};

/// The peer memory of this process' device; nullptr in a build without a device.
std::unique_ptr<PeerMemory> device_peer_memory();

}  // namespace copse
