#pragma once
/// \file
/// The two libraries behind the first method of [Wood 2014] (sections 4.1.2 and 4.1.3): Delaunay
/// triangulation by CGAL and Kruskal's algorithm by the Boost Graph Library.
///
/// Kokkos-free, so that the only source that includes these template libraries includes little
/// else. A build without them compiles delaunay_graph_missing.cpp instead.

#include "../mst/tree_edge.hpp"

#include <array>
#include <vector>

namespace copse::fof {

/// True if this build has the libraries (CMake variable COPSE_ENABLE_CGAL).
bool has_delaunay();

/// The edges of the Delaunay triangulation of points in 3-D, as pairs of point indices, the smaller
/// first, in no particular order. The triangulation is exact and takes coordinates exactly. If more
/// than four points lie on an empty sphere, it is one of several valid ones. Points on a plane or a
/// line get the triangulation of the plane or line. CGAL drops duplicate points; here the first of
/// them has the edges of the triangulation and one more edge to each duplicate. Expected O(n log n)
/// for well-distributed points, O(n^2) in the worst case.
/// \throws InputError if this build lacks the libraries
std::vector<std::array<LocalIndex, 2>> delaunay_edges(
    const std::vector<std::array<double, 3>>& points);

/// The minimum spanning tree, or forest, of a graph of n vertices, in ascending order. O(m log m).
/// \throws InputError if this build lacks the libraries
std::vector<TreeEdge> kruskal(Count n, const std::vector<TreeEdge>& edges);

}  // namespace copse::fof
