#pragma once
/// \file
/// Stable sort of unsigned keys with a 32-bit value each, the first step of trees from
/// space-filling curves.
///
/// On CUDA this is the vendor's radix sort. Host backends of Kokkos have only comparison sorts, so
/// hosts have a radix sort of the suite (detail/host_radix_sort.hpp).

#include <copse/algorithms/detail/host_radix_sort.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/vendor_sort.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
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
    using Vendor = VendorSort<ExecutionSpace>;
    static_assert(Vendor::exists, "this backend has no radix sort");
    const std::size_t bytes = Vendor::template scratch_bytes<Key>(n, key_bits);
    auto scratch = workspace.template get<std::byte>("sort::scratch", bytes);
    Vendor::sort(space, keys.data(), spare_keys.data(), values.data(), spare_values.data(), n,
                 key_bits, scratch.data(), bytes);
  }
}

}  // namespace copse
