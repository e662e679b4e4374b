#pragma once
/// \file
/// One growing pool of named scratch arrays, reused over tree levels and repeats.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace copse {

/// Named scratch arrays in one memory space. `get` returns the array of that name and allocates
/// only if it must grow, so a loop over levels or repeats allocates only in its first iteration.
///
/// A View returned by `get` is valid until the same name is requested with a larger size. Arrays of
/// different names never overlap. Contents are preserved by calls that do not grow the array.
template <class MemorySpace>
class Workspace {
 public:
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  /// The first n elements of the array called `name`, for example "select::candidates"; its label
  /// is "copse::workspace::<name>".
  template <class T>
  Array<T> get(const std::string& name, Count n) {
    Bytes& bytes = buffers_[name];
    const std::size_t needed = static_cast<std::size_t>(n) * sizeof(T);
    if (bytes.extent(0) < needed) {
      bytes = Bytes();  // free before allocating: old and new must not both be resident
      bytes = Bytes(Kokkos::view_alloc("copse::workspace::" + name, Kokkos::WithoutInitializing),
                    needed);
    }
    return Array<T>(reinterpret_cast<T*>(bytes.data()), n);
  }

  /// Bytes currently held.
  Count bytes() const {
    Count sum = 0;
    for (const auto& [name, view] : buffers_) sum += view.extent(0);
    return sum;
  }

  void clear() { buffers_.clear(); }

 private:
  using Bytes = Kokkos::View<std::byte*, MemorySpace>;
  std::map<std::string, Bytes> buffers_;
};

/// Copies a host array to the workspace's array `name`. Complete on return.
template <class T, class ExecutionSpace, class MemorySpace>
Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace> upload(const ExecutionSpace& space,
                                                         const std::vector<T>& values,
                                                         Workspace<MemorySpace>& workspace,
                                                         const std::string& name) {
  const auto view = workspace.template get<T>(name, values.size());
  const Kokkos::View<const T*, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(
      values.data(), values.size());
  Kokkos::deep_copy(space, view, host);
  space.fence("copse::workspace::upload");
  return view;
}

/// Copies a View to the host.
template <class ViewType>
std::vector<typename ViewType::non_const_value_type> download(const ViewType& view) {
  std::vector<typename ViewType::non_const_value_type> values(view.extent(0));
  const Kokkos::View<typename ViewType::non_const_value_type*, Kokkos::LayoutLeft,
                     Kokkos::HostSpace, Kokkos::MemoryUnmanaged>
      host(values.data(), values.size());
  Kokkos::deep_copy(host, view);
  return values;
}

}  // namespace copse
