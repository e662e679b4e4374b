#pragma once
/// \file
/// The two libraries behind the thesis' first method ([Wood 2014] sections 4.1.2 and 4.1.3): a
/// Delaunay triangulation by CGAL and Kruskal's algorithm by the Boost Graph Library.
///
/// Without Kokkos, so that the one source that includes the libraries' templates includes little
/// else. A build without them has delaunay_graph_missing.cpp in its place.

#include "../mst/tree_edge.hpp"

#include <array>
#include <vector>

namespace copse::fof {

/// Whether this build has the libraries (CMake variable COPSE_ENABLE_CGAL).
bool has_delaunay();

/// The edges of the Delaunay triangulation of points in 3-D, as pairs of rows, the smaller first,
/// in no particular order. Coordinates are taken exactly and the triangulation is exact; where more
/// than four points lie on an empty sphere it is one of several. Points on a plane or a line have
/// the triangulation of the plane or the line. Of points at the same place only the first has
/// edges, and one more joins each of the others with it: CGAL itself drops them, and with them
/// their particles. Expected O(n log n) for points that are spread out, O(n^2) at worst.
/// \throws InputError if this build has not the libraries
std::vector<std::array<LocalIndex, 2>> delaunay_edges(
    const std::vector<std::array<double, 3>>& points);

/// The minimum spanning tree, or forest, of a graph of n vertices, in ascending order. O(m log m).
/// \throws InputError if this build has not the libraries
std::vector<TreeEdge> kruskal(Count n, const std::vector<TreeEdge>& edges);

}  // namespace copse::fof
