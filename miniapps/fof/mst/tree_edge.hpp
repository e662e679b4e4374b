#pragma once
/// \file
/// An edge between two particles, and the order that makes spanning trees unique.
///
/// Edges are compared by (distance2, a, b). No two edges compare equal, so the minimum spanning
/// tree is unique even when distances tie: every algorithm finds the same edges.

#include <copse/backend/types.hpp>

#include <compare>

namespace copse::fof {

/// Invariant: a < b, both input particle indices.
struct TreeEdge {
  Real distance2 = 0;  ///< as computed by `Friendship`; the two are friends if it is below reach2
  LocalIndex a = 0;
  LocalIndex b = 0;

  // Member functions, because nvcc does not emit a defaulted friend's equality.
  auto operator<=>(const TreeEdge&) const = default;
  bool operator==(const TreeEdge&) const = default;
};

}  // namespace copse::fof
