#pragma once
/// \file
/// What finders that run on the backends of the suite have in common.

#include "group_finder.hpp"
#include <copse/backend/backends.hpp>

namespace copse::peers {

/// `Finder<ExecutionSpace>` for a backend of this build, constructed from an instance of the
/// execution space and the arguments.
template <template <class ExecutionSpace> class Finder, class... Arguments>
std::unique_ptr<GroupFinder> finder_on(const std::string& backend, const Arguments&... arguments) {
  std::unique_ptr<GroupFinder> made;
  dispatch_backend(backend, [&]<class Space>(const Space& space) {
    made = std::make_unique<Finder<Space>>(space, arguments...);
  });
  return made;
}

/// Labels in the memory of a backend as names of groups. O(n)
template <class Labels>
GroupNames names_of(const Labels& labels) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, labels);
  return {host.data(), host.data() + host.extent(0)};
}

}  // namespace copse::peers
