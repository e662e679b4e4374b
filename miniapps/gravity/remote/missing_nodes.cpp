#include "missing_nodes.hpp"

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

namespace copse::gravity {
namespace {

/// The row of the first target whose potential is NaN, or the largest number.
template <class ExecutionSpace>
Count first_nan(const ExecutionSpace& space,
                const QueryList<typename ExecutionSpace::memory_space>& targets,
                const Column<typename ExecutionSpace::memory_space>& potential) {
  Count first = 0;
  Kokkos::parallel_reduce(
      "copse::gravity::find_missing", CountRange<ExecutionSpace>(space, 0, targets.count),
      KOKKOS_LAMBDA(const Count t, Count& least) {
        const Count row = targets(t);
        if (Kokkos::isnan(potential(row)) && row < least) least = row;
      },
      Kokkos::Min<Count>(first));
  space.fence("copse::gravity::find_missing");
  return targets.count == 0 ? std::numeric_limits<Count>::max() : first;
}

/// Squared distance in units of a node's opening radius.
double squared_ratio(const Monopole& target, const Monopole& node, Real opening2) {
  double square = 0.0;
  for (int a = 0; a < 3; ++a) {
    const double d = static_cast<double>(node.centre[a]) - static_cast<double>(target.centre[a]);
    square += d * d;
  }
  return square / static_cast<double>(opening2);
}

}  // namespace

template <class ExecutionSpace>
void refuse_missing_nodes(const ExecutionSpace& space,
                          const BodyTree<typename ExecutionSpace::memory_space>& tree,
                          LocalIndex nan_row,
                          const QueryList<typename ExecutionSpace::memory_space>& targets,
                          const GravityFields<typename ExecutionSpace::memory_space>& fields,
                          int rank) {
  const Count row = first_nan(space, targets, fields.potential);
  if (row >= tree.size()) return;
  const auto nodes = download(tree.octree.nodes);
  const auto monopole = download(tree.gravity.monopole);
  const auto opening2 = download(tree.gravity.opening2);
  const Monopole target = download(tree.gravity.bodies)[row];
  double nearest = std::numeric_limits<double>::infinity();
  std::size_t name = nodes.size();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_leaf() || nodes[i].begin != nan_row) continue;
    const double ratio = squared_ratio(target, monopole[i], opening2[i]);
    if (!(ratio < nearest)) continue;
    nearest = ratio;
    name = i;
  }
  if (name == nodes.size())
    throw std::logic_error(fmt::format("rank {}: the field of a body is NaN", rank));
  const Monopole& node = monopole[name];
  throw std::logic_error(fmt::format(
      "rank {}: a walk opened a node that is not here: node {}, level {}, mass {} at ({}, {}, {})",
      rank, name, nodes[name].level, node.mass, node.centre[0], node.centre[1], node.centre[2]));
}

#define COPSE_INSTANTIATE(Space)                                                         \
  template void refuse_missing_nodes(const Space&, const BodyTree<Space::memory_space>&, \
                                     LocalIndex, const QueryList<Space::memory_space>&,  \
                                     const GravityFields<Space::memory_space>&, int);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
