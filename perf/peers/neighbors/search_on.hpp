#pragma once
/// \file
/// What searches that run on the backends of the suite have in common.

#include "neighbor_search.hpp"
#include <copse/backend/backends.hpp>

namespace copse::peers {

/// `Search<ExecutionSpace>` for a backend of this build, constructed from an instance of the
/// execution space and the arguments.
template <template <class ExecutionSpace> class Search, class... Arguments>
std::unique_ptr<NeighborSearch> search_on(std::string_view backend, const Arguments&... arguments) {
  std::unique_ptr<NeighborSearch> made;
  dispatch_backend(backend, [&]<class Space>(const Space& space) {
    made = std::make_unique<Search<Space>>(space, arguments...);
  });
  return made;
}

/// Answers in the memory of a backend, copied to the host. O(n)
template <class View>
void fetch(const View& there, std::vector<LocalIndex>& answers) {
  Kokkos::deep_copy(Kokkos::View<LocalIndex*, Kokkos::HostSpace>(answers.data(), answers.size()),
                    there);
}

/// A view of n elements, kept if it has as many.
template <class View>
void resize_without_copy(View& view, const char* label, Count n) {
  if (view.extent(0) == n) return;
  view = {};
  view = View(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), n);
}

}  // namespace copse::peers
