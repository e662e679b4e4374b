#pragma once
/// \file
/// The memory that messages are sent from and received in: the View itself if MPI can access it,
/// otherwise pinned host memory.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <stdexcept>
#include <string>

namespace copse {

/// Host memory with full-speed device transfers; plain host memory in a build without a device
/// backend.
using PinnedSpace = Kokkos::SharedHostPinnedSpace;

template <class ViewType>
inline constexpr bool in_host_memory =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ViewType::memory_space>::accessible;

/// An unmanaged contiguous View.
template <class T, class MemorySpace>
using FlatView =
    Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Elements [begin, end) of a contiguous rank-1 View.
template <class ViewType>
auto flat_range(const ViewType& view, Count begin, Count end) {
  using T = typename ViewType::value_type;
  return FlatView<T, typename ViewType::memory_space>(view.data() + begin, end - begin);
}

/// \throws std::invalid_argument if the elements of a rank-1 View have gaps between them.
template <class ViewType>
void require_contiguous(const ViewType& view) {
  if (!view.span_is_contiguous())
    throw std::invalid_argument("message of View '" + view.label() + "', which is not contiguous");
}

/// Calls `f` with each column of a rank-1 or LayoutLeft rank-2 View, as contiguous rank-1 Views.
/// \throws std::invalid_argument if a column has gaps.
template <class ViewType, class F>
void for_each_column(const ViewType& view, F&& f) {
  static_assert(ViewType::rank() == 1 || ViewType::rank() == 2);
  if constexpr (ViewType::rank() == 1) {
    require_contiguous(view);
    f(view);
  } else {
    static_assert(std::is_same_v<typename ViewType::array_layout, Kokkos::LayoutLeft>,
                  "only LayoutLeft keeps each column contiguous");
    for (std::size_t c = 0; c < view.extent(1); ++c)
      for_each_column(Kokkos::subview(view, Kokkos::ALL, c), f);
  }
}

/// A buffer in pinned memory that grows to the largest staged message and is kept, because pinning
/// pages costs more than copying them. Must be destroyed before Kokkos is finalized.
class StagingBuffer {
 public:
  /// Room for n elements of T; discards previous contents.
  template <class T>
  FlatView<T, PinnedSpace> room_for(Count n) {
    if (bytes_.extent(0) < n * sizeof(T)) {
      bytes_ = {};
      bytes_ = Bytes(Kokkos::view_alloc("copse::backend::staging", Kokkos::WithoutInitializing),
                     n * sizeof(T));
    }
    return FlatView<T, PinnedSpace>(reinterpret_cast<T*>(bytes_.data()), n);
  }

 private:
  using Bytes = Kokkos::View<std::byte*, PinnedSpace>;
  Bytes bytes_;
};

/// Calls `f(pointer)` with the elements of a contiguous rank-1 View in memory that MPI can access:
/// in place if `direct` or in host memory, otherwise staged with a copy in each direction.
template <class ViewType, class F>
void through_message_memory(const ViewType& column, StagingBuffer& staging, bool direct, F&& f) {
  if (in_host_memory<ViewType> || direct) {
    f(column.data());
    return;
  }
  const auto elements = flat_range(column, 0, column.extent(0));
  const auto staged = staging.room_for<typename ViewType::value_type>(column.extent(0));
  Kokkos::deep_copy(staged, elements);
  f(staged.data());
  Kokkos::deep_copy(elements, staged);
}

}  // namespace copse
