#pragma once
/// \file
/// Walks of a partially available tree, for example with parts on other ranks: the walk records the
/// missing nodes it would have opened, and resumes there once their subtrees have arrived.
///
///     MissedNodes<Memory> missed(room);
///     walk(space, kind, PartialWalk<Visitor, Memory>{visitor, elsewhere, missed}, queries);
///     ... get the subtrees of missed nodes ...
///     walk(space, kind, complete_visitor, queries, missed.entries(space, packets));
///
/// The second walk must be of the same kind over the same list of queries, so that the packets are
/// the same. Entries are sorted by packet and node, so results do not depend on the order in which
/// missing nodes were recorded.

#include <copse/algorithms/radix_sort.hpp>
#include <copse/backend/error.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace copse {

/// A missing node that lanes of a packet would have opened.
struct MissedNode {
  std::uint32_t packet;
  MaskedNode at;
};

template <class MemorySpace>
class MissedNodes {
 public:
  MissedNodes() = default;
  /// \param room capacity over all packets; 12 bytes per node
  explicit MissedNodes(Count room)
      : list_(Kokkos::view_alloc("copse::walk::missed", Kokkos::WithoutInitializing), room),
        count_("copse::walk::missed_count") {}

  /// Forgets all nodes.
  template <class ExecutionSpace>
  void clear(const ExecutionSpace& space) const {
    Kokkos::deep_copy(space, count_, Count{0});
  }

  KOKKOS_FUNCTION void note(Count packet, Node node, std::uint32_t lanes) const {
    const Count i = Kokkos::atomic_fetch_add(&count_(), Count{1});
    if (i < list_.extent(0)) list_(i) = {static_cast<std::uint32_t>(packet), {node, lanes}};
  }

  /// The number of missing nodes that the walk would have opened, recorded or not. Waits for the
  /// walk.
  Count found() const {
    Count count = 0;
    Kokkos::deep_copy(count, count_);
    return count;
  }
  /// The number of recorded nodes. Waits for the walk.
  /// \throws InputError if the capacity was exceeded; the results of the walk are then incomplete
  Count size() const {
    const Count count = found();
    if (count > list_.extent(0))
      throw InputError("a walk found " + std::to_string(count) +
                       " missing nodes but has room for only " + std::to_string(list_.extent(0)));
    return count;
  }
  /// In no particular order; the first size() are valid.
  Kokkos::View<const MissedNode*, MemorySpace> list() const { return list_; }

  /// The entry nodes of each of `packets` packets for the second walk.
  /// \throws InputError as `size`
  template <class ExecutionSpace>
  FromEntries<MemorySpace, true> entries(const ExecutionSpace& space, Count packets) const {
    const Count n = size();
    const Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, MemorySpace> key("copse::walk::keys", n);
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> order("copse::walk::order", n);
    const Kokkos::View<Count*, MemorySpace> first("copse::walk::first_entries", packets + 1);
    const Kokkos::View<MaskedNode*, MemorySpace> nodes("copse::walk::entries", n);
    const auto list = list_;
    using Policy = Kokkos::RangePolicy<ExecutionSpace>;
    Kokkos::parallel_for(
        "copse::walk::entry_keys", Policy(space, 0, n), KOKKOS_LAMBDA(const Count i) {
          key(i) = static_cast<std::uint64_t>(list(i).packet) << 32 | list(i).at.node;
          order(i) = static_cast<LocalIndex>(i);
        });
    Workspace<MemorySpace> workspace;
    sort_by_key(space, key, order, workspace, 64);
    Kokkos::parallel_for(
        "copse::walk::entries", Policy(space, 0, n),
        KOKKOS_LAMBDA(const Count i) { nodes(i) = list(order(i)).at; });
    Kokkos::parallel_for(
        "copse::walk::first_entries", Policy(space, 0, packets + 1), KOKKOS_LAMBDA(const Count p) {
          Count below = 0, above = n;  // binary search: first entry with packet >= p
          while (below < above) {
            const Count middle = (below + above) / 2;
            if (key(middle) >> 32 < p) {
              below = middle + 1;
            } else {
              above = middle;
            }
          }
          first(p) = below;
        });
    space.fence("copse::walk::entries");
    return {first, nodes};
  }

 private:
  Kokkos::View<MissedNode*, MemorySpace> list_;
  Kokkos::View<Count, MemorySpace> count_;
};

/// A visitor for a tree in which the children of some nodes are missing. Such a node can still be
/// accepted as a whole.
template <class Visitor, class MemorySpace>
struct PartialWalk : Visitor {
  Kokkos::View<const std::uint8_t*, MemorySpace> elsewhere;  ///< [nodes]: 1 if children are missing
  MissedNodes<MemorySpace> missed;

  KOKKOS_FORCEINLINE_FUNCTION bool is_missing(Node node) const { return elsewhere(node) != 0; }
  KOKKOS_FORCEINLINE_FUNCTION void missing(Count packet, Node node, std::uint32_t lanes) const {
    missed.note(packet, node, lanes);
  }
};

}  // namespace copse
