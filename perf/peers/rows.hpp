#pragma once
/// \file
/// What the peers of orb make of the particles.

#include <copse/backend/types.hpp>

#include <array>

namespace copse::peers {

/// A particle that peer_nth_element moves: its coordinates and its row in the input.
struct Row {
  std::array<Real, 3> x;
  LocalIndex index;
};

/// The part that Zoltan gives to a row of the input.
struct AssignedRow {
  LocalIndex row;
  int part;
};

}  // namespace copse::peers
