#pragma once
/// \file
/// Runs a visitor for many queries with one of five walks, on any backend.
///
/// | walk | unit of work | on a host | on a device |
/// |---|---|---|---|
/// | recursive | query | function calls | - |
/// | stack | query | loop with a private stack | one thread per query |
/// | lockstep | packet | 16 lanes of a thread | a warp, nodes and masks in scratch memory |
/// | fsm | packet | 16 lanes of a thread | a warp, nodes in scratch memory |
/// | group | packet | 16 lanes of a thread | a warp, nodes in scratch memory |
///
/// The group walk is for visitors that search a neighbourhood (walks/packet_box.hpp) and for
/// visitors with `shares_path` (walks/group.hpp). Results do not depend on the walk or on the order
/// of the queries, except those of walks/group.hpp.
///
/// A walk begins at the root or at entry nodes of each packet. Its results replace the previous
/// ones, or are added to them if it resumes. So a walk of a second tree adds to that of the first,
/// and a walk that found missing nodes can be completed later (partial_walk.hpp).

#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>
#include <copse/traversal/packet_points.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/traversal/walk_counters.hpp>
#include <copse/traversal/walk_kind.hpp>
#include <copse/traversal/walk_targets.hpp>
#include <copse/traversal/walks/fsm.hpp>
#include <copse/traversal/walks/group.hpp>
#include <copse/traversal/walks/lockstep.hpp>
#include <copse/traversal/walks/packet_box.hpp>
#include <copse/traversal/walks/recursive.hpp>
#include <copse/traversal/walks/stack.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace copse {

/// Visitors whose packets can walk as a unit.
template <class Visitor>
concept GroupVisitor = BoxSearchVisitor<Visitor> || requires {
  requires Visitor::shares_path;
};

/// Queries per packet of a walk on a backend.
template <class ExecutionSpace>
constexpr int walk_width(WalkKind kind) {
  if (walks_alone(kind)) return 1;
  return runs_on_host<ExecutionSpace> ? VectorLanes::width : packet_width;
}

namespace detail {

/// The state of a query before its first entry.
template <bool BoxSearch, class From, class L, class Visitor>
KOKKOS_FORCEINLINE_FUNCTION typename Visitor::template State<L> first_state(
    const Visitor& visitor, typename L::Index query, const PacketId& packet) {
  if constexpr (From::resumes) {
    return resume_query<L>(visitor, query, packet);
  } else if constexpr (From::at_root && !BoxSearch) {
    return begin_at_root<L>(visitor, query, packet);
  } else {
    return start_query<L>(visitor, query, packet);
  }
}

/// A packet's memory: for the box search the ring of near points, then the visitor's, then the
/// stack.
template <WalkKind Kind, class L, class Visitor>
struct PacketRoom {
  using Tree = decltype(Visitor::tree);
  using Entry = std::conditional_t<Kind == WalkKind::lockstep, MaskedNode, Node>;
  static constexpr bool box = Kind == WalkKind::group && BoxSearchVisitor<Visitor>;
  struct Nothing {};

  static auto near_rows() {
    if constexpr (box) {
      return NearRowsRoom<L, Tree::dimension>{};
    } else {
      return Nothing{};
    }
  }
  using Rows = decltype(near_rows());
  static constexpr std::size_t rows_bytes = box ? sizeof(Rows) : 0;

  KOKKOS_FUNCTION static constexpr std::size_t visitor_bytes() {
    if constexpr (requires { Visitor::template packet_bytes<L>; }) {
      return Visitor::template packet_bytes<L>;
    } else {
      return 0;
    }
  }

  /// Stack capacity for a tree of `levels` levels; depends on `levels` only if `box`.
  KOKKOS_FUNCTION static constexpr int stack_size(int levels) {
    if constexpr (box) {
      return packet_box_stack_size<L>(levels);
    } else {
      return Tree::stack_size;
    }
  }
  /// Bytes of scratch memory, a multiple of 16.
  static std::size_t bytes(const Tree& tree) {
    int levels = 0;
    if constexpr (box) levels = tree.levels;
    return rows_bytes + visitor_bytes() +
           sizeof(Entry) * static_cast<std::size_t>(stack_size(levels));
  }
};

/// Walks one packet or one single query. `rows` and `stack` are its PacketRoom. Invalid lanes
/// duplicate the query of a valid one.
template <WalkKind Kind, bool ByBox, class L, class Visitor, class From, class Rows, class Entry,
          class Counters>
KOKKOS_FORCEINLINE_FUNCTION void walk_packet(const Visitor& visitor, const From& from,
                                             typename L::Index query, typename L::Mask valid,
                                             const PacketId& packet, Rows* rows, Entry* stack,
                                             Counters& counters) {
  constexpr bool box_search = Kind == WalkKind::group && BoxSearchVisitor<Visitor>;
  const Segment entries = from.entries_of(packet.number);
  if (From::resumes && entries.size() == 0) return;
  auto state = first_state<box_search, From, L>(visitor, query, packet);
  if constexpr (box_search) {
    PacketBox<L, Visitor, Counters> box(visitor, state, packet, *rows, stack, counters);
    constexpr bool from_own_leaves = From::at_root && !From::resumes && OwnLeafVisitor<Visitor>;
    for (Count e = entries.begin; e < entries.end; ++e)
      box.template walk<from_own_leaves>(query, valid, from.entry(visitor.tree, e).node);
  } else {
    for (Count e = entries.begin; e < entries.end; ++e) {
      const MaskedNode entry = from.entry(visitor.tree, e);
      const typename L::Mask active = packet_mask<L>(entry.lanes, packet.lane);
      if constexpr (Kind == WalkKind::recursive) {
        KOKKOS_IF_ON_HOST((walk_recursive(visitor, state, entry.node, packet, counters);))
      } else if constexpr (Kind == WalkKind::stack) {
        walk_stack(visitor, state, entry.node, packet, counters);
      } else if constexpr (Kind == WalkKind::lockstep) {
        walk_lockstep<L>(visitor, state, entry.node, active & valid, packet, stack, counters);
      } else if constexpr (Kind == WalkKind::fsm) {
        walk_fsm<L>(visitor, state, entry.node, active & valid, packet, stack, counters);
      } else if constexpr (ByBox && requires { &Visitor::classify_box; }) {
        const auto box = group_box<L>(visitor, state);
        walk_group<L>(visitor, state, entry.node, active & valid, box, packet, stack, counters);
      } else {
        walk_group<L>(visitor, state, entry.node, active & valid, NoBox{}, packet, stack, counters);
      }
    }
  }
  finish_query<L>(visitor, query, state, valid);
}

/// How a kernel holds an argument. On a host a reference is enough, because a launch returns when
/// its kernel has ended; copies of a dozen Views with their reference counts would be much code.
template <bool OnHost, class Argument>
using Held = std::conditional_t<OnHost, const Argument&, Argument>;

/// One query per iteration. On hosts, WalkQueries and WalkVectors do not depend on the backend, and
/// no walk is inlined into the backends' loops. There are three such loops (Serial, OpenMP, and
/// OpenMP with one thread), and GCC would spend most of the compile time on optimising the same
/// walk three times.
template <WalkKind Kind, bool OnHost, class Visitor, class Queries, class Counters, class Totals,
          class From>
struct WalkQueries {
  Held<OnHost, Visitor> visitor;
  Held<OnHost, Queries> queries;
  Held<OnHost, Totals> totals;
  Held<OnHost, From> from;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    KOKKOS_IF_ON_HOST((walk_on_host(i);))
    KOKKOS_IF_ON_DEVICE((walk(i);))
  }

  [[gnu::noinline]] void walk_on_host(const Count i) const { walk(i); }

  KOKKOS_FORCEINLINE_FUNCTION void walk(const Count i) const {
    Counters counters;
    Node* const no_stack = nullptr;
    walk_packet<Kind, false, OneLane>(visitor, from, queries(i), true, PacketId{i, 0}, no_stack,
                                      no_stack, counters);
    add_counts(totals, counters);
  }
};

/// Packets on a host: one thread with its vector unit per packet.
template <WalkKind Kind, class Visitor, class Queries, class Counters, class Totals, class From>
struct WalkVectors {
  using Lanes = VectorLanes;
  using Room = PacketRoom<Kind, Lanes, Visitor>;

  const Visitor& visitor;
  const Queries& queries;
  const Totals& totals;
  const From& from;

  KOKKOS_FUNCTION void operator()(const Count packet) const { KOKKOS_IF_ON_HOST((walk(packet);)) }

  [[gnu::noinline]] void walk(const Count packet) const {
    const Segment mine = queries.packet(packet, Lanes::width);
    // Lanes past the end repeat the last query to read valid memory.
    const auto query = Lanes::Index::of([&](int l) {
      const Count i = mine.begin + static_cast<Count>(l);
      return queries(i < mine.end ? i : mine.end - 1);
    });
    const std::uint32_t valid = (1u << mine.size()) - 1u;
    Counters counters;
    typename Room::Rows rows;
    typename Room::Entry stack[Room::stack_size(max_levels())];
    walk_packet<Kind, Queries::are_buckets, Lanes>(visitor, from, query,
                                                   Lanes::Mask::from_bits(valid),
                                                   PacketId{packet, 0}, &rows, stack, counters);
    add_counts(totals, counters);
  }

  static constexpr int max_levels() {
    if constexpr (Room::box) {
      return Room::Tree::max_levels;
    } else {
      return 0;
    }
  }
};

/// Packets on a device: one warp per packet, several packets per team.
template <WalkKind Kind, class ExecutionSpace, class Visitor, class Queries, class Counters,
          class Totals, class From>
struct WalkWarps {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Room = PacketRoom<Kind, PacketLane, Visitor>;
  /// Small teams fill an SM better where scratch memory limits their number.
  static constexpr int packets_per_team = Room::visitor_bytes() > 0 ? 1 : 4;

  Visitor visitor;
  Queries queries;
  Totals totals;
  From from;
  Count packets = queries.packets(packet_width);
  std::size_t room = Room::bytes(visitor.tree);

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int lane = team.team_rank() % packet_width;
    const int in_team = team.team_rank() / packet_width;
    const Count packet =
        static_cast<Count>(team.league_rank()) * packets_per_team + static_cast<Count>(in_team);
    if (packet >= packets) return;  // uniform over the packet
    const Segment mine = queries.packet(packet, packet_width);
    auto* const memory =
        static_cast<char*>(team.team_shmem().get_shmem_aligned(room * packets_per_team, 16)) +
        room * static_cast<std::size_t>(in_team);
    const Count i = mine.begin + static_cast<Count>(lane);
    const bool valid = i < mine.end;
    const LocalIndex query = queries(valid ? i : mine.end - 1);
    Counters counters;
    char* const of_visitor = memory + Room::rows_bytes;
    walk_packet<Kind, Queries::are_buckets, PacketLane>(
        visitor, from, query, valid, PacketId{packet, lane, of_visitor},
        reinterpret_cast<typename Room::Rows*>(memory),
        reinterpret_cast<typename Room::Entry*>(of_visitor + Room::visitor_bytes()), counters);
    if (lane == 0) add_counts(totals, counters);
  }
};

template <WalkKind Kind, class Counters, class ExecutionSpace, class Visitor, class Queries,
          class Totals, class From>
void launch_walk(const ExecutionSpace& space, const Visitor& visitor, const Queries& queries,
                 const Totals& totals, const From& from) {
  using Dynamic = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  if (queries.count == 0) return;
  const std::string label = walk_label(Kind);
  if constexpr (walks_alone(Kind)) {
    constexpr bool on_host = runs_on_host<ExecutionSpace>;
    const WalkQueries<Kind, on_host, Visitor, Queries, Counters, Totals, From> walk{
        visitor, queries, totals, from};
    if constexpr (on_host) {
      Kokkos::parallel_for(label, Dynamic(space, 0, queries.count).set_chunk_size(256), walk);
    } else {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, queries.count),
                           walk);
    }
  } else if constexpr (runs_on_host<ExecutionSpace>) {
    const Count packets = queries.packets(VectorLanes::width);
    Kokkos::parallel_for(label, Dynamic(space, 0, packets).set_chunk_size(32),
                         WalkVectors<Kind, Visitor, Queries, Counters, Totals, From>{
                             visitor, queries, totals, from});
  } else {
    using Walk = WalkWarps<Kind, ExecutionSpace, Visitor, Queries, Counters, Totals, From>;
    const Walk walk{visitor, queries, totals, from};
    const Count teams = (walk.packets + Walk::packets_per_team - 1) / Walk::packets_per_team;
    const auto scratch = static_cast<int>(walk.room * Walk::packets_per_team + 16);
    Kokkos::parallel_for(label,
                         Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(teams),
                                                            packet_width * Walk::packets_per_team)
                             .set_scratch_size(0, Kokkos::PerTeam(scratch)),
                         walk);
  }
}

// Not inlined: some callers walk in several places.
template <class Counters, class ExecutionSpace, class Visitor, class Queries, class Totals,
          class From>
[[gnu::noinline]] void dispatch_walk(const ExecutionSpace& space, WalkKind kind,
                                     const Visitor& visitor, const Queries& queries,
                                     const Totals& totals, const From& from) {
  switch (kind) {
    case WalkKind::recursive:
      if constexpr (runs_on_host<ExecutionSpace> && std::is_same_v<Counters, NoCounters>) {
        launch_walk<WalkKind::recursive, Counters>(space, visitor, queries, totals, from);
        return;
      } else {
        throw InputError("the recursive walk runs on hosts only");
      }
    case WalkKind::stack:
      return launch_walk<WalkKind::stack, Counters>(space, visitor, queries, totals, from);
    case WalkKind::lockstep:
      return launch_walk<WalkKind::lockstep, Counters>(space, visitor, queries, totals, from);
    case WalkKind::fsm:
      return launch_walk<WalkKind::fsm, Counters>(space, visitor, queries, totals, from);
    case WalkKind::group:
      if constexpr (GroupVisitor<Visitor>) {
        return launch_walk<WalkKind::group, Counters>(space, visitor, queries, totals, from);
      } else {
        throw InputError("this visitor does not support the group walk");
      }
  }
}

/// The counts of a walk that `launch` starts with the totals to add to.
template <class ExecutionSpace, class Launch>
WalkCounters counts_of(WalkKind kind, const Launch& launch) {
  const CounterTotals<typename ExecutionSpace::memory_space> totals("copse::walk::counters");
  launch(totals);
  auto counters = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, totals)();
  counters.width = walk_width<ExecutionSpace>(kind);
  return counters;
}

}  // namespace detail

/// Walks every query of the list from the root of the visitor's tree; results replace the previous
/// ones. Returns when the work is queued on `space`.
/// \throws InputError for the recursive walk on a device, and for the group walk of a visitor that
///         is not a GroupVisitor
template <class ExecutionSpace, class Visitor>
void walk(const ExecutionSpace& space, WalkKind kind, const Visitor& visitor,
          const QueryList<typename ExecutionSpace::memory_space>& queries) {
  detail::dispatch_walk<NoCounters>(space, kind, visitor, queries, 0, FromRoot<>{});
}

/// As above, for a QueryList or a BucketList, starting FromRoot or FromEntries.
/// \throws InputError as above
template <class ExecutionSpace, class Visitor, class Targets, class From>
void walk(const ExecutionSpace& space, WalkKind kind, const Visitor& visitor,
          const Targets& targets, const From& from) {
  detail::dispatch_walk<NoCounters>(space, kind, visitor, targets, 0, from);
}

/// As `walk`, with the walk chosen at compile time.
template <WalkKind Kind, class ExecutionSpace, class Visitor,
          class Targets = QueryList<typename ExecutionSpace::memory_space>>
void walk_as(const ExecutionSpace& space, const Visitor& visitor, const Targets& targets) {
  detail::launch_walk<Kind, NoCounters>(space, visitor, targets, 0, FromRoot<>{});
}

/// As `walk` from the root, for a QueryList or a BucketList, and counts visits. Slower: for figures
/// of divergence, not for timing.
template <class ExecutionSpace, class Visitor,
          class Targets = QueryList<typename ExecutionSpace::memory_space>>
WalkCounters count_walk(const ExecutionSpace& space, WalkKind kind, const Visitor& visitor,
                        const Targets& targets) {
  return detail::counts_of<ExecutionSpace>(kind, [&](const auto& totals) {
    // The recursive walk visits the same nodes in the same order as the stack walk.
    const WalkKind counted = kind == WalkKind::recursive ? WalkKind::stack : kind;
    detail::dispatch_walk<PacketCounters>(space, counted, visitor, targets, totals, FromRoot<>{});
  });
}

/// As `count_walk`, with the walk chosen at compile time, starting FromRoot or elsewhere.
template <WalkKind Kind, class ExecutionSpace, class Visitor,
          class Targets = QueryList<typename ExecutionSpace::memory_space>, class From = FromRoot<>>
WalkCounters count_walk_as(const ExecutionSpace& space, const Visitor& visitor,
                           const Targets& targets, const From& from = {}) {
  return detail::counts_of<ExecutionSpace>(Kind, [&](const auto& totals) {
    detail::launch_walk<Kind, PacketCounters>(space, visitor, targets, totals, from);
  });
}

}  // namespace copse
