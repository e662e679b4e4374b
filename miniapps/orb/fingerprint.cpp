#include "fingerprint.hpp"

#include <copse/algorithms/ordered_key.hpp>

namespace copse {

std::uint64_t tree_fingerprint(const OrbTree<Kokkos::HostSpace>& tree, std::uint64_t order) {
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

}  // namespace copse
