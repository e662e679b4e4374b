#pragma once
/// \file
/// The vendor's radix sort of keys with 32-bit values, if there is one: CUB's on CUDA. Kokkos also
/// provides it, but sorts all bits of the keys and allocates in every call; a sort of 30 of 64 bits
/// takes half the passes.

#include <copse/algorithms/workspace.hpp>
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

/// The bits [first, end) of keys that decide an order.
struct KeyBits {
  int first = 0;
  int end = 0;
};

namespace detail {

/// Primary template: backends without a vendor sort.
template <class ExecutionSpace>
struct VendorSort {
  static constexpr bool exists = false;
};

#if defined(KOKKOS_ENABLE_CUDA)
/// Sorts are stable and queued on `space`. Scratch memory comes from the workspace.
/// \throws std::runtime_error if the device reports an error
template <>
struct VendorSort<Kokkos::Cuda> {
  static constexpr bool exists = true;
  using Scratch = Workspace<Kokkos::CudaSpace>;

  /// Sorts n keys and their values. Both end in their original arrays; the spare arrays also have n
  /// elements and are overwritten.
  template <class Key>
  static void sort(const Kokkos::Cuda& space, Key* keys, Key* spare_keys, LocalIndex* values,
                   LocalIndex* spare_values, Count n, KeyBits bits, Scratch& workspace) {
    cub::DoubleBuffer<Key> key_buffers(keys, spare_keys);
    cub::DoubleBuffer<LocalIndex> value_buffers(values, spare_values);
    run(workspace, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers, items(n),
                                             bits.first, bits.end, space.cuda_stream());
    });
    move_to(keys, key_buffers.Current(), n, space);
    move_to(values, value_buffers.Current(), n, space);
  }

  /// The same without values.
  template <class Key>
  static void sort(const Kokkos::Cuda& space, Key* keys, Key* spare_keys, Count n, KeyBits bits,
                   Scratch& workspace) {
    cub::DoubleBuffer<Key> buffers(keys, spare_keys);
    run(workspace, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, buffers, items(n), bits.first, bits.end,
                                            space.cuda_stream());
    });
    move_to(keys, buffers.Current(), n, space);
  }

  /// Copies n keys and their values in order. At most eight bits need no scratch memory for rows.
  template <class Key>
  static void copy_sorted(const Kokkos::Cuda& space, const Key* keys, Key* sorted_keys,
                          const LocalIndex* values, LocalIndex* sorted_values, Count n,
                          KeyBits bits, Scratch& workspace) {
    run(workspace, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, values,
                                             sorted_values, items(n), bits.first, bits.end,
                                             space.cuda_stream());
    });
  }

 private:
  static std::int64_t items(Count n) { return static_cast<std::int64_t>(n); }

  /// CUB wants each sort called twice: without scratch memory it only returns how much it needs.
  template <class Sort>
  static void run(Scratch& workspace, const Sort& sort) {
    std::size_t bytes = 0;
    check(sort(nullptr, bytes));
    check(sort(workspace.get<std::byte>("sort::scratch", bytes).data(), bytes));
  }

  template <class T>
  static void move_to(T* to, const T* from, Count n, const Kokkos::Cuda& space) {
    if (from != to)
      check(
          cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice, space.cuda_stream()));
  }

  static void check(cudaError_t error) {
    if (error != cudaSuccess)
      throw std::runtime_error(std::string("sorting on the device: ") + cudaGetErrorString(error));
  }
};
#endif

}  // namespace detail
}  // namespace copse
