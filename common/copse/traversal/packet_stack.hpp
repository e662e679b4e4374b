#pragma once
/// \file
/// The stack of a packet that walks together: on a device in scratch memory, where one lane writes
/// and all read; on a host an array.

#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/packet_reduction.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// `entries` must have room for the tree's stack_size. All lanes must push and pop together.
template <class L, class Entry>
class PacketStack {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit PacketStack(Entry* entries) : entries_(entries) {}

  KOKKOS_FORCEINLINE_FUNCTION bool is_empty() const { return depth_ == 0; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t depth() const { return depth_; }

  KOKKOS_FORCEINLINE_FUNCTION void push(const Entry& entry) {
    if (L::width > 1 || packet_lane() == 0) entries_[depth_] = entry;
    ++depth_;
  }

  KOKKOS_FORCEINLINE_FUNCTION Entry pop() {
    if constexpr (L::width == 1) packet_sync();  // what was pushed is there
    const Entry top = entries_[--depth_];
    if constexpr (L::width == 1) packet_sync();  // all have read before one writes there
    return top;
  }

 private:
  Entry* entries_;
  std::uint32_t depth_ = 0;
};

}  // namespace copse
