#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/traversal/stateless_walk.hpp>

namespace copse {
namespace {

constexpr std::uint8_t below_here = static_cast<std::uint8_t>(Below::here);
constexpr std::uint8_t below_missing = static_cast<std::uint8_t>(Below::missing);
constexpr std::uint8_t below_wanted = static_cast<std::uint8_t>(Below::wanted);
constexpr std::uint8_t below_arrived = static_cast<std::uint8_t>(Below::arrived);

template <class MemorySpace>
using States = Kokkos::View<std::uint8_t*, MemorySpace>;

/// \return the number of inner nodes of one depth, which become roots of missing subtrees
template <class ExecutionSpace>
Count mark_missing(const ExecutionSpace& space,
                   const Octree<typename ExecutionSpace::memory_space>& tree, std::size_t depth,
                   const States<typename ExecutionSpace::memory_space>& states) {
  const auto nodes = tree.nodes;
  Count roots = 0;
  Kokkos::parallel_reduce(
      "copse::cache_subtrees::mark_missing",
      Kokkos::RangePolicy<ExecutionSpace>(space, tree.depth_begin[depth],
                                          tree.depth_begin[depth + 1]),
      KOKKOS_LAMBDA(const Count i, Count& sum) {
        if (nodes(i).is_leaf()) return;
        states(i) = below_missing;
        ++sum;
      },
      roots);
  return roots;
}

/// Lists the wanted nodes and turns them into arrived ones, and those that arrived before into
/// present ones. \return the number of wanted nodes
template <class ExecutionSpace>
Count list_wanted(const ExecutionSpace& space,
                  const States<typename ExecutionSpace::memory_space>& states,
                  const Kokkos::View<LocalIndex*, typename ExecutionSpace::memory_space>& list) {
  Count found = 0;
  Kokkos::parallel_scan(
      "copse::cache_subtrees::list_wanted", CountRange<ExecutionSpace>(space, 0, states.extent(0)),
      KOKKOS_LAMBDA(const Count i, Count& number, const bool final) {
        if (states(i) == below_wanted) {
          if (final) list(number) = static_cast<LocalIndex>(i);
          ++number;
        }
      },
      found);
  Kokkos::parallel_for(
      "copse::cache_subtrees::receive", CountRange<ExecutionSpace>(space, 0, states.extent(0)),
      KOKKOS_LAMBDA(const Count i) {
        if (states(i) == below_arrived) states(i) = below_here;
        if (states(i) == below_wanted) states(i) = below_arrived;
      });
  return found;
}

}  // namespace

template <class ExecutionSpace>
CacheSubtrees<ExecutionSpace>::CacheSubtrees(const ExecutionSpace& space,
                                             const Octree<MemorySpace>& tree, Count levels)
    : space_(space),
      tree_(tree),
      levels_(levels),
      states_("copse::cache_subtrees::states", tree.size()) {
  if (levels == 0) throw InputError("a cache subtree needs at least one level");
  forget();
  arrived_ = decltype(arrived_)("copse::cache_subtrees::arrived", subtrees_ - 1);
}

template <class ExecutionSpace>
void CacheSubtrees<ExecutionSpace>::forget() {
  Kokkos::deep_copy(space_, states_, below_here);
  subtrees_ = 1;
  const auto depths = static_cast<Count>(tree_.depths());
  for (Count depth = levels_; depth < depths; depth += levels_)
    subtrees_ += mark_missing(space_, tree_, depth, states_);
}

template <class ExecutionSpace>
Kokkos::View<const LocalIndex*, typename ExecutionSpace::memory_space>
CacheSubtrees<ExecutionSpace>::receive() {
  const Count found = list_wanted(space_, states_, arrived_);
  return Kokkos::subview(arrived_, Kokkos::make_pair(Count{0}, found));
}

#define COPSE_INSTANTIATE(Space) template class CacheSubtrees<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
