#pragma once
/// \file
/// Memory of this process that other processes of the node can map into theirs: what PeerExchange
/// needs to know of a device.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace copse {

class PeerMemory {
 public:
  /// Names an allocation to another process.
  using Handle = std::array<std::byte, 64>;

  struct Allocation {
    std::byte* base = nullptr;
    std::uint64_t identity = 0;  ///< never 0, and never given again in this process
  };

  virtual ~PeerMemory() = default;

  /// The allocation that `pointer` points into; empty if it is none that can be named.
  virtual std::optional<Allocation> allocation_of(const void* pointer) = 0;
  /// A handle for the whole allocation; empty if this kind of allocation has none.
  virtual std::optional<Handle> handle_of(const Allocation& allocation) = 0;

  /// Where another process' allocation begins in this one; nullptr if it cannot be mapped.
  virtual std::byte* open(const Handle& handle) = 0;
  virtual void close(std::byte* mapped) = 0;

  /// Starts a copy between any two places, host memory included; copies with the same number of
  /// `lane` follow each other, others may overlap.
  virtual void copy(void* to, const void* from, std::size_t bytes, int lane) = 0;
  /// Returns when all copies have arrived.
  virtual void wait() = 0;

  /// Memory of the kind that can be shared; nullptr if there is none left.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void release(std::byte* memory) = 0;
};

/// The device of this process; nullptr in a build without one.
std::unique_ptr<PeerMemory> device_peer_memory();

}  // namespace copse
