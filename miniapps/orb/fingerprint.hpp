#pragma once
/// \file
/// 64-bit fingerprints of a result: equal fingerprints mean the same tree and order, across
/// backends, numbers of threads or ranks, and machines.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/backend/types.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::orb {

/// The fingerprint of particle `id` at `row`. Fingerprints are added, so each rank computes those
/// of its own particles.
inline std::uint64_t row_fingerprint(Count row, GlobalId id) {
  return split_mix(row * 0x9e3779b97f4a7c15u + id + 0x2545f4914f6cdd1du);
}

/// The sum over the particles `ids(i)` at rows first + i.
template <class Ids>
std::uint64_t order_fingerprint(Count first, const Ids& ids) {
  std::uint64_t sum = 0;
  for (Count i = 0; i < ids.extent(0); ++i) sum += row_fingerprint(first + i, ids(i));
  return sum;
}

/// Of all cells and the order's fingerprint (FNV-1a).
inline std::uint64_t tree_fingerprint(const OrbTree<Kokkos::HostSpace>& tree, std::uint64_t order) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto mix = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3ull; };
  for (std::size_t i = 1; i < tree.cells.extent(0); ++i) {
    const OrbCell& cell = tree.cells(i);
    for (int axis = 0; axis < 3; ++axis) {
      mix(ordered_key(cell.lower[axis]));
      mix(ordered_key(cell.upper[axis]));
    }
    mix(cell.begin);
    mix(cell.end);
    mix(cell.leaves);
    mix(static_cast<std::uint64_t>(cell.cut_axis));
    mix(ordered_key(cell.cut));
  }
  mix(order);
  return hash;
}

}  // namespace copse::orb
