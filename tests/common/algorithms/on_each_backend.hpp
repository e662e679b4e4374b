#pragma once
/// \file
/// Copies host arrays to a backend and back, for tests that run on every backend.

#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace copse::test {

template <class Space, class T>
Kokkos::View<T*, Kokkos::LayoutLeft, typename Space::memory_space> to_backend(
    const std::vector<T>& values) {
  Kokkos::View<T*, Kokkos::LayoutLeft, typename Space::memory_space> view("copse::test::values",
                                                                          values.size());
  Kokkos::View<const T*, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(
      values.data(), values.size());
  Kokkos::deep_copy(view, host);
  return view;
}

template <class ViewT>
auto to_host(const ViewT& view) {
  using T = typename ViewT::non_const_value_type;
  std::vector<T> values(view.extent(0));
  Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(
      values.data(), values.size());
  Kokkos::deep_copy(host, view);
  return values;
}

/// Keys for segmented_select and segmented_partition from a plain array.
template <class Key>
struct PlainKeys {
  const Key* keys;
  KOKKOS_FUNCTION const PlainKeys& segment(Count) const { return *this; }
  KOKKOS_FUNCTION Key operator()(Count row) const { return keys[row]; }
};

}  // namespace copse::test
