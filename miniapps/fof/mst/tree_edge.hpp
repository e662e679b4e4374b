#pragma once
/// \file
/// An edge of a tree over particles, and the order that makes spanning trees unique.
///
/// Edges are compared by (distance2, a, b). No two edges are equal in it, so a set of particles has
/// one minimum spanning tree however many distances are: every algorithm finds the same edges.

#include <copse/backend/types.hpp>

#include <compare>

namespace copse::fof {

/// Invariant: a < b, both rows of the input.
struct TreeEdge {
  Real distance2 = 0;  ///< as `Friendship` computes it: below reach2 the two are friends
  LocalIndex a = 0;
  LocalIndex b = 0;

  // Members: nvcc does not emit the equality that a defaulted friend declares.
  auto operator<=>(const TreeEdge&) const = default;
  bool operator==(const TreeEdge&) const = default;
};

}  // namespace copse::fof
