#pragma once
/// \file
/// Runs a visitor for many queries with one of the five walks, on any backend.
///
/// | walk | unit of work | on a host | on a device |
/// |---|---|---|---|
/// | recursive | query | function calls | - |
/// | ropes | query | loop, stack of its own | one thread a query |
/// | lockstep | packet | 16 lanes of a vector | a warp, nodes and masks in scratch memory |
/// | fsm | packet | 16 lanes of a vector | a warp, nodes in scratch memory |
/// | group | packet | 16 lanes of a vector | a warp, nodes in scratch memory |
///
/// The group walk is for visitors that have what walks/boxed_group.hpp asks for, or `near` and
/// `whole` (walks/group.hpp). Results do not depend on the walk, nor on the order of the queries,
/// except those of walks/group.hpp.

#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/traversal/walk_kind.hpp>
#include <copse/traversal/walks/boxed_group.hpp>
#include <copse/traversal/walks/fsm.hpp>
#include <copse/traversal/walks/group.hpp>
#include <copse/traversal/walks/lockstep.hpp>
#include <copse/traversal/walks/recursive.hpp>
#include <copse/traversal/walks/ropes.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse {

/// Can a visitor's packets walk as one?
template <class Visitor>
concept GroupVisitor = BoxedVisitor<Visitor> ||
    requires(const Visitor& v, typename Visitor::template State<OneLane>& s) {
  v.template near<OneLane>(s, Node{});
  v.template whole<OneLane>(s, Node{});
};

/// Which queries walk, and in which order: query `order[i]`, or `first` + i if there is no order,
/// is the i-th of `count`. Queries that follow each other walk as a packet.
template <class MemorySpace>
struct QueryList {
  Count count = 0;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> order;  ///< [count] or empty
  Count first = 0;

  KOKKOS_FORCEINLINE_FUNCTION LocalIndex operator()(Count i) const {
    return order.data() == nullptr ? static_cast<LocalIndex>(first + i) : order(i);
  }
};

/// Sums over all packets of a walk.
struct WalkCounters {
  Count packets = 0;
  Count nodes = 0;        ///< visits of packets to nodes
  Count lane_nodes = 0;   ///< visits of queries to nodes
  Count truncations = 0;  ///< times a query left at a node that its packet went on with
  Count rows = 0;         ///< rows of leaves that packets searched
  Count lane_rows = 0;    ///< rows that queries searched: distances computed
  int width = 1;          ///< queries in a packet

  double nodes_per_packet() const { return ratio(nodes, packets); }
  /// Share of the lanes that look at a node when their packet visits it.
  double utilisation() const { return ratio(lane_nodes, nodes * static_cast<Count>(width)); }

 private:
  static double ratio(Count a, Count b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
  }
};

/// Queries in a packet of a walk on a backend.
template <class ExecutionSpace>
constexpr int walk_width(WalkKind kind) {
  if (kind == WalkKind::recursive || kind == WalkKind::ropes) return 1;
  return runs_on_host<ExecutionSpace> ? VectorLanes::width : packet_width;
}

namespace detail {

template <class MemorySpace>
using CounterTotals = Kokkos::View<WalkCounters, MemorySpace>;

/// Adds a packet's counts to the totals; nothing for NoCounters.
template <class Totals>
KOKKOS_FORCEINLINE_FUNCTION void add_counts(const Totals&, const NoCounters&) {}
template <class Totals>
KOKKOS_FUNCTION void add_counts(const Totals& totals, const PacketCounters& counters) {
  Kokkos::atomic_add(&totals().packets, Count{1});
  Kokkos::atomic_add(&totals().nodes, counters.nodes);
  Kokkos::atomic_add(&totals().lane_nodes, counters.lane_nodes);
  Kokkos::atomic_add(&totals().truncations, counters.truncations);
  Kokkos::atomic_add(&totals().rows, counters.rows);
  Kokkos::atomic_add(&totals().lane_rows, counters.lane_rows);
}

/// Each query on its own.
template <WalkKind Kind, class Visitor, class Queries, class Counters, class Totals>
struct WalkQueries {
  Visitor visitor;
  Queries queries;
  Totals totals;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    Counters counters;
    if constexpr (Kind == WalkKind::ropes) {
      walk_ropes(visitor, queries(i), counters);
    } else {
      KOKKOS_IF_ON_HOST((walk_recursive(visitor, queries(i), counters);))
    }
    add_counts(totals, counters);
  }
};

/// Packets of a host: one thread and its vector unit.
template <WalkKind Kind, class Visitor, class Queries, class Counters, class Totals>
struct WalkVectors {
  using Lanes = VectorLanes;
  Visitor visitor;
  Queries queries;
  Totals totals;

  KOKKOS_FUNCTION void operator()(const Count packet) const { KOKKOS_IF_ON_HOST((walk(packet);)) }

  void walk(const Count packet) const {
    typename Lanes::Index query;
    std::uint32_t valid = 0;
    for (int l = 0; l < Lanes::width; ++l) {
      const Count i = packet * Lanes::width + static_cast<Count>(l);
      // Lanes beyond the end repeat the last query, so that they read what exists.
      query.set(l, queries(i < queries.count ? i : queries.count - 1));
      if (i < queries.count) valid |= 1u << l;
    }
    Counters counters;
    const auto mask = Lanes::Mask::from_bits(valid);
    constexpr int stack_size = decltype(visitor.tree)::stack_size;
    if constexpr (Kind == WalkKind::lockstep) {
      MaskedNode stack[stack_size];
      walk_lockstep<Lanes>(visitor, query, mask, 0, stack, counters);
    } else if constexpr (Kind == WalkKind::group && BoxedVisitor<Visitor>) {
      using Group = BoxedGroup<Lanes, Visitor, Counters>;
      NearRowsRoom<Lanes, Group::dim> rows;
      Node nodes[Group::stack_size(Group::Tree::max_levels)];
      walk_boxed_group<Lanes>(visitor, query, mask, 0, rows, nodes, counters);
    } else if constexpr (Kind == WalkKind::group) {
      Node stack[stack_size];
      walk_group<Lanes>(visitor, query, mask, stack, counters);
    } else {
      Node stack[stack_size];
      walk_fsm<Lanes>(visitor, query, mask, stack, counters);
    }
    add_counts(totals, counters);
  }
};

/// Packets of a device: a warp each, several in a team.
template <WalkKind Kind, class ExecutionSpace, class Visitor, class Queries, class Counters,
          class Totals>
struct WalkWarps {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Entry = std::conditional_t<Kind == WalkKind::lockstep, MaskedNode, Node>;
  static constexpr int packets_per_team = 4;
  static constexpr bool boxed = Kind == WalkKind::group && BoxedVisitor<Visitor>;

  /// Of a packet, a multiple of 16.
  static std::size_t room_bytes(const Visitor& visitor) {
    if constexpr (boxed) {
      return BoxedGroup<OneLane, Visitor, Counters>::room_bytes(visitor.tree.levels);
    } else {
      return sizeof(Entry) * decltype(Visitor::tree)::stack_size;
    }
  }

  Visitor visitor;
  Queries queries;
  Totals totals;
  std::size_t room = room_bytes(visitor);

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int lane = team.team_rank() % packet_width;
    const int in_team = team.team_rank() / packet_width;
    const Count packet =
        static_cast<Count>(team.league_rank()) * packets_per_team + static_cast<Count>(in_team);
    const Count first = packet * packet_width;
    if (first >= queries.count) return;  // the whole packet
    auto* const mine =
        static_cast<char*>(team.team_shmem().get_shmem_aligned(room * packets_per_team, 16)) +
        room * static_cast<std::size_t>(in_team);
    const Count i = first + static_cast<Count>(lane);
    const bool valid = i < queries.count;
    const LocalIndex query = queries(valid ? i : queries.count - 1);
    Counters counters;
    if constexpr (boxed) {
      using Rows = NearRowsRoom<OneLane, decltype(Visitor::tree)::dimension>;
      walk_boxed_group<OneLane>(visitor, query, valid, lane, *reinterpret_cast<Rows*>(mine),
                                reinterpret_cast<Node*>(mine + sizeof(Rows)), counters);
    } else {
      auto* const stack = reinterpret_cast<Entry*>(mine);
      if constexpr (Kind == WalkKind::lockstep) {
        walk_lockstep<OneLane>(visitor, query, valid, lane, stack, counters);
      } else if constexpr (Kind == WalkKind::group) {
        walk_group<OneLane>(visitor, query, valid, stack, counters);
      } else {
        walk_fsm<OneLane>(visitor, query, valid, stack, counters);
      }
    }
    if (lane == 0) add_counts(totals, counters);
  }
};

template <WalkKind Kind, class Counters, class ExecutionSpace, class Visitor, class Totals>
void launch_walk(const ExecutionSpace& space, const Visitor& visitor,
                 const QueryList<typename ExecutionSpace::memory_space>& queries,
                 const Totals& totals) {
  using Queries = QueryList<typename ExecutionSpace::memory_space>;
  using Dynamic = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  constexpr bool alone = Kind == WalkKind::recursive || Kind == WalkKind::ropes;
  if (queries.count == 0) return;
  if constexpr (alone) {
    const WalkQueries<Kind, Visitor, Queries, Counters, Totals> walk{visitor, queries, totals};
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_for(walk_label(Kind), Dynamic(space, 0, queries.count).set_chunk_size(256),
                           walk);
    } else {
      Kokkos::parallel_for(walk_label(Kind),
                           Kokkos::RangePolicy<ExecutionSpace>(space, 0, queries.count), walk);
    }
  } else if constexpr (runs_on_host<ExecutionSpace>) {
    const WalkVectors<Kind, Visitor, Queries, Counters, Totals> walk{visitor, queries, totals};
    const Count packets = (queries.count + VectorLanes::width - 1) / VectorLanes::width;
    Kokkos::parallel_for(walk_label(Kind), Dynamic(space, 0, packets).set_chunk_size(32), walk);
  } else {
    using Walk = WalkWarps<Kind, ExecutionSpace, Visitor, Queries, Counters, Totals>;
    const Count queries_per_team = Count{packet_width} * Walk::packets_per_team;
    const Count teams = (queries.count + queries_per_team - 1) / queries_per_team;
    const Walk walk{visitor, queries, totals};
    const auto scratch = static_cast<int>(walk.room * Walk::packets_per_team + 16);
    Kokkos::parallel_for(walk_label(Kind),
                         Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(teams),
                                                            packet_width * Walk::packets_per_team)
                             .set_scratch_size(0, Kokkos::PerTeam(scratch)),
                         walk);
  }
}

template <class Counters, class ExecutionSpace, class Visitor, class Totals>
void dispatch_walk(const ExecutionSpace& space, WalkKind kind, const Visitor& visitor,
                   const QueryList<typename ExecutionSpace::memory_space>& queries,
                   const Totals& totals) {
  switch (kind) {
    case WalkKind::recursive:
      if constexpr (runs_on_host<ExecutionSpace> && std::is_same_v<Counters, NoCounters>) {
        launch_walk<WalkKind::recursive, Counters>(space, visitor, queries, totals);
        return;
      } else {
        throw InputError("the recursive walk runs on hosts only");
      }
    case WalkKind::ropes:
      return launch_walk<WalkKind::ropes, Counters>(space, visitor, queries, totals);
    case WalkKind::lockstep:
      return launch_walk<WalkKind::lockstep, Counters>(space, visitor, queries, totals);
    case WalkKind::fsm:
      return launch_walk<WalkKind::fsm, Counters>(space, visitor, queries, totals);
    case WalkKind::group:
      if constexpr (GroupVisitor<Visitor>) {
        return launch_walk<WalkKind::group, Counters>(space, visitor, queries, totals);
      } else {
        throw InputError("this traversal cannot walk in groups: its queries need their own walks");
      }
  }
}

}  // namespace detail

/// Every query of the list walks the visitor's tree. Returns when the work is queued on `space`.
/// \throws InputError for the recursive walk on a device, and for the group walk of a visitor that
///         is none for it
template <class ExecutionSpace, class Visitor>
void walk(const ExecutionSpace& space, WalkKind kind, const Visitor& visitor,
          const QueryList<typename ExecutionSpace::memory_space>& queries) {
  detail::dispatch_walk<NoCounters>(space, kind, visitor, queries, 0);
}

/// As `walk`, with a walk that is known when the visitor is compiled.
template <WalkKind Kind, class ExecutionSpace, class Visitor>
void walk_as(const ExecutionSpace& space, const Visitor& visitor,
             const QueryList<typename ExecutionSpace::memory_space>& queries) {
  detail::launch_walk<Kind, NoCounters>(space, visitor, queries, 0);
}

/// As `walk`, and counts what it does. Slower: for the figures of divergence, not for timing.
template <class ExecutionSpace, class Visitor>
WalkCounters count_walk(const ExecutionSpace& space, WalkKind kind, const Visitor& visitor,
                        const QueryList<typename ExecutionSpace::memory_space>& queries) {
  const detail::CounterTotals<typename ExecutionSpace::memory_space> totals(
      "copse::walk::counters");
  // Who walks recursively visits what he visits with a stack.
  const WalkKind counted = kind == WalkKind::recursive ? WalkKind::ropes : kind;
  detail::dispatch_walk<PacketCounters>(space, counted, visitor, queries, totals);
  auto counters = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, totals)();
  counters.width = walk_width<ExecutionSpace>(kind);
  return counters;
}

}  // namespace copse
