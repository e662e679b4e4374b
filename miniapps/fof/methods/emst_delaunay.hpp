#pragma once
/// \file
/// The first method of [Wood 2014] (sections 3.3.1 and 4.1), on one host thread. The Delaunay
/// triangulation of the particles contains their Euclidean minimum spanning tree. Kruskal's
/// algorithm extracts it, and removing the edges that are too long leaves the groups.
///
/// In 3-D this is exact: the shortest edge between any two sets of points is a Delaunay edge. The
/// triangulation takes coordinates exactly while `Friendship` rounds distances, so two particles
/// whose distance is b to within rounding may be linked here and not by the other methods, or the
/// reverse.
///
/// In 6-D it is not exact and reproduces [Wood 2014] section 4.1.5: the triangulation of the
/// positions is weighted with the distance in 6-D. Friends in 6-D need not be Delaunay neighbours
/// if particles with other velocities lie between them. Every path along Delaunay edges is then too
/// long, and the group falls apart. All links found are correct, so groups come out too small and
/// too many, never too large. All other methods are exact in 6-D.
///
/// Particles at the same position, which CGAL drops and [Wood 2014] loses, are joined with the
/// first of them.

#include "../linker.hpp"
#include "../mst/tree_edge.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

/// O(n log n) for well-distributed particles; about 800 bytes of memory per particle (measured on a
/// uniform distribution).
template <class ExecutionSpace>
class EmstDelaunayLinker {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit EmstDelaunayLinker(const ExecutionSpace& = {}) {}

  /// \throws InputError if this build has no CGAL or Boost.Graph, on a device, and for a periodic
  /// box
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);
};

/// The spanning tree of the Delaunay graph, in ascending order, independent of reach2. In 3-D it
/// equals the tree of EmstBoruvkaLinker, except for edges that differ by less than rounding.
/// \throws InputError as EmstDelaunayLinker::link
std::vector<TreeEdge> delaunay_spanning_tree(const LinkProblem<Kokkos::HostSpace>& problem);

#define COPSE_DECLARE_EMST_DELAUNAY(ExecutionSpace) \
  extern template class EmstDelaunayLinker<ExecutionSpace>;
COPSE_FOR_EACH_BACKEND(COPSE_DECLARE_EMST_DELAUNAY)
#undef COPSE_DECLARE_EMST_DELAUNAY

}  // namespace copse::fof
