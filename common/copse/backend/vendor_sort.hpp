#pragma once
/// \file
/// The vendor's radix sort of keys with 32-bit values, if there is one: CUB's on CUDA. Kokkos also
/// provides it, but sorts all bits of the keys and allocates in every call; a sort of 30 of 64 bits
/// takes half the passes.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_radix_sort.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace copse {

/// Primary template: backends without a vendor sort.
template <class ExecutionSpace>
struct VendorSort {
  static constexpr bool exists = false;
};

#if defined(KOKKOS_ENABLE_CUDA)
template <>
struct VendorSort<Kokkos::Cuda> {
  static constexpr bool exists = true;

  /// Bytes of scratch memory that `sort` needs.
  template <class Key>
  static std::size_t scratch_bytes(Count n, int key_bits) {
    std::size_t bytes = 0;
    cub::DoubleBuffer<Key> keys;
    cub::DoubleBuffer<LocalIndex> values;
    check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values,
                                          static_cast<std::int64_t>(n), 0, key_bits));
    return bytes;
  }

  /// Sorts by the lowest `key_bits` bits, stably. Keys and values end in their original arrays; the
  /// spare arrays also have n elements and are overwritten. Queued on `space`.
  /// \throws std::runtime_error if the device reports an error
  template <class Key>
  static void sort(const Kokkos::Cuda& space, Key* keys, Key* spare_keys, LocalIndex* values,
                   LocalIndex* spare_values, Count n, int key_bits, void* scratch,
                   std::size_t bytes) {
    cub::DoubleBuffer<Key> key_buffers(keys, spare_keys);
    cub::DoubleBuffer<LocalIndex> value_buffers(values, spare_values);
    const auto stream = space.cuda_stream();
    check(cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers,
                                          static_cast<std::int64_t>(n), 0, key_bits, stream));
    if (key_buffers.Current() != keys)
      check(cudaMemcpyAsync(keys, key_buffers.Current(), n * sizeof(Key), cudaMemcpyDeviceToDevice,
                            stream));
    if (value_buffers.Current() != values)
      check(cudaMemcpyAsync(values, value_buffers.Current(), n * sizeof(LocalIndex),
                            cudaMemcpyDeviceToDevice, stream));
  }

 private:
  static void check(cudaError_t error) {
    if (error != cudaSuccess)
      throw std::runtime_error(std::string("sorting on the device: ") + cudaGetErrorString(error));
  }
};
#endif

}  // namespace copse
