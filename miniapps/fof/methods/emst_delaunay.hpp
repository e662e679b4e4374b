#pragma once
/// \file
/// The thesis' first method ([Wood 2014] sections 3.3.1 and 4.1): the Delaunay triangulation of the
/// particles holds their Euclidean minimum spanning tree, Kruskal's algorithm finds it there, and
/// without the edges that are too long it falls into the groups. On one thread of the host.
///
/// In 3-D that is exact: the shortest edges that connect any two sets of points are Delaunay edges.
/// The triangulation takes coordinates exactly and `Friendship` rounds distances, so two particles
/// whose distance is b to within rounding may be linked here and not elsewhere, or the other way
/// round.
///
/// In 6-D it is not, and reproduces what the thesis does (section 4.1.5): the triangulation of the
/// positions is weighted with the distance in 6-D. Friends in 6-D need not be neighbours in it, if
/// particles that move differently lie between them; every way along its edges is then too long and
/// a group falls apart. What it links is linked rightly, so groups come out too small and too many,
/// never too large. All other methods are exact in 6-D.
///
/// Particles at one place, which CGAL drops and the thesis loses, are joined with the first of
/// them.

#include "../linker.hpp"
#include "../mst/tree_edge.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

/// Time O(n log n) for particles that are spread out; memory about 800 bytes a particle (measured
/// on uniform ones).
template <class ExecutionSpace>
class EmstDelaunayLinker {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit EmstDelaunayLinker(const ExecutionSpace& = {}) {}

  /// \throws InputError if this build has no CGAL or Boost.Graph, on a device, and for a periodic
  ///         box
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);
};

/// The spanning tree of the Delaunay graph, in ascending order; reach2 does not matter. In 3-D it
/// is the one of EmstBoruvkaLinker, but for edges that differ by less than rounding.
/// \throws InputError as EmstDelaunayLinker::link
std::vector<TreeEdge> delaunay_spanning_tree(const LinkProblem<Kokkos::HostSpace>& problem);

#define COPSE_DECLARE_EMST_DELAUNAY(ExecutionSpace) \
  extern template class EmstDelaunayLinker<ExecutionSpace>;
COPSE_FOR_EACH_BACKEND(COPSE_DECLARE_EMST_DELAUNAY)
#undef COPSE_DECLARE_EMST_DELAUNAY

}  // namespace copse::fof
