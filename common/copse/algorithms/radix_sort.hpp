#pragma once
/// \file
/// Stable sort of unsigned keys with a 32-bit value each, the first step of trees from
/// space-filling curves.
///
/// On CUDA this is the vendor's radix sort. Host backends of Kokkos have only comparison sorts, so
/// hosts have a radix sort of the suite (detail/host_radix_sort.hpp).

#include <copse/algorithms/detail/host_radix_sort.hpp>
#include <copse/algorithms/detail/vendor_sort.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse {

/// Sorts `keys` ascending and permutes `values` alike; equal keys keep their order. Only the lowest
/// `key_bits` bits of the keys may be set. Both Views have n contiguous elements. Time O(n
/// key_bits); scratch for a second copy of the rows.
template <class ExecutionSpace, class KeyView, class ValueView>
void sort_by_key(const ExecutionSpace& space, const KeyView& keys, const ValueView& values,
                 Workspace<typename ExecutionSpace::memory_space>& workspace,
                 int key_bits = 8 * sizeof(typename KeyView::value_type)) {
  using Key = typename KeyView::non_const_value_type;
  static_assert(std::is_unsigned_v<Key>);
  const Count n = keys.extent(0);
  if (n < 2) return;
  auto spare_keys = workspace.template get<Key>("sort::keys", n);
  auto spare_values = workspace.template get<LocalIndex>("sort::values", n);
  if constexpr (runs_on_host<ExecutionSpace>) {
    detail::sort_together<ExecutionSpace, Key>(space, {keys.data(), values.data()},
                                               {spare_keys.data(), spare_values.data()}, n,
                                               key_bits, false);
  } else {
    using Vendor = detail::VendorSort<ExecutionSpace>;
    static_assert(Vendor::exists, "this backend has no radix sort");
    Vendor::sort(space, keys.data(), spare_keys.data(), values.data(), spare_values.data(), n,
                 {0, key_bits}, workspace);
  }
}

/// Sorts `keys` on a device by some of their bits; keys that agree in these keep their order. Time
/// O(n bits); scratch for a second copy of the keys.
template <class ExecutionSpace, class KeyView>
void sort_keys_on_device(const ExecutionSpace& space, const KeyView& keys, KeyBits bits,
                         Workspace<typename ExecutionSpace::memory_space>& workspace) {
  static_assert(!runs_on_host<ExecutionSpace>);
  using Key = typename KeyView::non_const_value_type;
  const Count n = keys.extent(0);
  if (n < 2) return;
  const auto spare = workspace.template get<Key>("sort::keys", n);
  detail::VendorSort<ExecutionSpace>::sort(space, keys.data(), spare.data(), n, bits, workspace);
}

/// Copies keys and values on a device, ordered by at most eight bits of the keys, stably. All Views
/// have n contiguous elements and must not overlap. Reads keys twice and values once and writes
/// both once.
template <class ExecutionSpace, class KeyView, class SortedKeys, class ValueView,
          class SortedValues>
void copy_sorted_on_device(const ExecutionSpace& space, const KeyView& keys,
                           const SortedKeys& sorted_keys, const ValueView& values,
                           const SortedValues& sorted_values, KeyBits bits,
                           Workspace<typename ExecutionSpace::memory_space>& workspace) {
  static_assert(!runs_on_host<ExecutionSpace>);
  using Key = typename KeyView::non_const_value_type;
  detail::VendorSort<ExecutionSpace>::template copy_sorted<Key>(
      space, keys.data(), sorted_keys.data(), values.data(), sorted_values.data(), keys.extent(0),
      bits, workspace);
}

}  // namespace copse
