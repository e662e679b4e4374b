#include "essential_trees.hpp"

#include "essential_kernels.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>

namespace copse::gravity {
template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::start(const TopTree<MemorySpace>& top,
                                           const BodyTree<MemorySpace>& own, Count most_bytes) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::start_essential");
  this->probe(top, own);
  const auto rank = static_cast<std::size_t>(messages_.rank());
  // The receiver has the roots of the forest as coarse leaves of the top.
  const auto slots = workspace_.template get<LocalIndex>("essential::slots", own_nodes_);
  Kokkos::deep_copy(space_, slots, no_slot);
  if (own_nodes_ > 0)
    Kokkos::deep_copy(space_, Kokkos::subview(slots, Kokkos::make_pair(Count{0}, roots_)),
                      Kokkos::subview(top.leaf_nodes, Kokkos::make_pair(top.rank_begin[rank],
                                                                        top.rank_begin[rank + 1])));
  std::vector<Neighbour> destinations;
  const auto found = download(found_);
  for (std::size_t r = 0; r + 1 < top.rank_begin.size(); ++r) {
    if (r == rank || roots_ == 0) continue;
    const auto begin = found.begin() + static_cast<std::ptrdiff_t>(top.rank_begin[r]),
               end = found.begin() + static_cast<std::ptrdiff_t>(top.rank_begin[r + 1]);
    if (std::any_of(begin, end, [](std::uint8_t met) { return (met & opens_own) != 0; }))
      destinations.push_back(
          this->list_opened(own, static_cast<int>(r), opened_by(top, own, r), slots));
  }
  this->plan(destinations, most_bytes, false);
  this->join(top, own, cost_.nodes_held, cost_.bodies_held);
  exchange_ =
      std::make_unique<NeighbourExchange<MessageWord, MemorySpace>>(messages_.comm(), words_);
  this->pack(own, destinations, exchange_->send().data());
  exchange_->start();
  this->split_targets(top, own);
  all_nodes_ = tree_.octree.nodes;
  tree_.octree.nodes =
      Kokkos::subview(all_nodes_, Kokkos::make_pair(Count{0}, this->first_remote_node()));
}

template <class ExecutionSpace>
auto EssentialTrees<ExecutionSpace>::opened_by(const TopTree<MemorySpace>& top,
                                               const BodyTree<MemorySpace>& own, std::size_t rank)
    -> Flags {
  const Count first = top.rank_begin[rank], boxes = top.rank_begin[rank + 1] - first;
  Flags opened = workspace_.template get<std::uint8_t>("essential::opened", own_nodes_);
  Kokkos::deep_copy(space_, opened, std::uint8_t{0});
  with_trees<MemorySpace>(
      top, own, root_of_, splined_,
      [&]<bool Relative>(const TwoTrees<MemorySpace, Relative>& trees) {
        Kokkos::parallel_for(
            "copse::gravity::mark_opened", CountRange<ExecutionSpace>(space_, 0, boxes),
            MarkOpened<MemorySpace, Relative>{trees, top.boxes, found_, first, opened});
      });
  space_.fence("copse::gravity::mark_opened");
  app::corruptible(opened);
  return opened;
}

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::finish(Method<ExecutionSpace>&,
                                            const GravityFields<MemorySpace>&) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::finish_essential");
  messages_.clock().complete([&] { exchange_->finish(); });
  this->unpack(exchange_->receive().data(), 0, 0);
  tree_.octree.nodes = all_nodes_;
}

#define COPSE_INSTANTIATE(Space) template class EssentialTrees<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
