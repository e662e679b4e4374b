#pragma once
/// \file
/// Traces the walk of one packet: the nodes it visits, in order, and the active lanes at each. Used
/// for pictures of divergence as in [Liu 2019] figures 2.3 and 2.4.
///
/// It runs the measured walk with a visitor that records its calls to `classify`.

#include <copse/backend/lanes.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace copse {

/// A packet's visit to a node; bit l of `lanes` is set if query l looks at the node.
struct TracedVisit {
  Node node;
  std::uint32_t lanes;
};

namespace detail {
/// The visitor, which also records the lanes that look at each node.
template <class Visitor>
struct TracedVisitor : Visitor {
  std::vector<TracedVisit>* visits;

  template <class L>
  KOKKOS_FUNCTION Outcome<L> classify(const typename Visitor::template State<L>& state, Node node,
                                      typename L::Mask active) const {
    KOKKOS_IF_ON_HOST((visits->push_back({node, packet_bits(active)});))
    return Visitor::template classify<L>(state, node, active);
  }
};
}  // namespace detail

/// The visits of packet `packet` of the list in a lockstep walk on a host. Also writes the results
/// of its queries. `packet` must exist.
template <class Visitor>
std::vector<TracedVisit> trace_packet(const Visitor& visitor,
                                      const QueryList<Kokkos::HostSpace>& queries, Count packet) {
  using Lanes = VectorLanes;
  std::vector<TracedVisit> visits;
  const Segment mine = queries.packet(packet, Lanes::width);
  typename Lanes::Index query(0u);
  for (int l = 0; l < Lanes::width; ++l) {
    const Count i = mine.begin + static_cast<Count>(l);
    query.set(l, queries(i < mine.end ? i : mine.end - 1));
  }
  const std::uint32_t valid = (1u << mine.size()) - 1u;
  MaskedNode stack[decltype(visitor.tree)::stack_size];
  NoCounters counters;
  const detail::TracedVisitor<Visitor> traced{visitor, &visits};
  detail::walk_packet<WalkKind::lockstep, false, Lanes>(
      traced, FromRoot<>{}, query, Lanes::Mask::from_bits(valid), PacketId{packet, 0}, stack, stack,
      counters);
  return visits;
}

}  // namespace copse
