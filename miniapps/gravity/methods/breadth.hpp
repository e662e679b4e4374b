#pragma once
/// \file
/// The walk of the method "breadth" for one group of targets: neighbours along the curve.
///
/// The group's bounding box opens or accepts nodes for all its targets. Accepted nodes and the
/// bodies of opened leaves wait in queues; a full queue is evaluated at once for all targets. On a
/// device a warp walks: each lane tests another node of the stack, and each lane has two targets
/// (after Bonsai [Bédorf, Gaburov, Portegies Zwart 2012] and ryoanji [Keller and others 2023]). On
/// a host a thread walks, and the targets are in the lanes of its vectors.
///
/// The stack cannot overflow: a step takes as many nodes as can put their children on the stack and
/// leave the room that a depth-first walk of single nodes needs.

#include "../body_tree.hpp"
#include "queued_sources.hpp"
#include <copse/backend/lanes.hpp>
#include <copse/backend/packet_reduction.hpp>
#include <copse/traversal/packet_points.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// How targets form groups (target_groups.hpp).
template <class ExecutionSpace>
struct BreadthGroups {
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  /// Most targets: two vectors, or two for each lane of a warp.
  static constexpr int width = 2 * (on_host ? VectorLanes::width : packet_width);
  /// Most bodies of the node that holds a group. Smaller nodes give smaller boxes, and more groups
  /// that are not full. Counted for a Plummer sphere, bmax 0.55, groups of 64: instructions of the
  /// largest group or, if that is more, of all groups / 2112 warps, which an H100 holds at once:
  ///
  ///   limit      10^5 bodies   10^6   a tenth of them   a hundredth   a thousandth
  ///   none           1.67e6  1.06e6            9.36e6        1.19e7         1.22e7
  ///   4096           1.66e5  1.07e6            4.46e5        5.37e5         3.92e5
  ///   2048           1.66e5  1.09e6            3.87e5        3.77e5         2.97e5
  ///   1024           1.66e5  1.12e6            2.99e5        2.75e5         2.04e5
  ///
  /// On a host the sum over all groups counts: for a tenth 4.94e8 without a limit, 4.60e8 with
  /// 4096, 6.03e8 with 1024; for a hundredth 2.79e8, 2.05e8 and 3.62e8.
  static constexpr Count node_bodies(bool all_are_targets) {
    return on_host || all_are_targets ? 4096 : 1024;
  }
};

/// One warp per group of 64 targets.
template <class ExecutionSpace, int Order, bool Relative, bool Spline, class Counts>
struct BreadthWarps {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using L = OneLane;
  static constexpr int width = packet_width;
  static constexpr int per_lane = BreadthGroups<ExecutionSpace>::width / width;  ///< targets
  static constexpr int warps = 4;                                                ///< per team
  static constexpr int stack_room = 768;
  static constexpr std::uint32_t ring = 2 * width;  ///< entries of a queue: a full batch and more

  /// Scratch memory of one warp.
  struct Room {
    CellSource<Order> cells[width];
    Monopole bodies[ring];
    Node accepted[ring];
    Node stack[stack_room];
    Real cell_lengths[Spline ? width : 1];  ///< spline softening
    Real body_lengths[Spline ? ring : 1];
  };

  BarnesHut<Order, MemorySpace, Relative> from;
  BucketList<MemorySpace> groups;
  CounterTotals<MemorySpace> totals;  ///< if Counts counts

  struct Targets {
    LanePoint<L, 3> x[per_lane];
    Real softening[per_lane];  ///< spline length, or the square of the Plummer length
    Real limit[per_lane];      ///< of the relative criterion
    GravityField<Real> field[per_lane];
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int lane = team.team_rank() % width;
    const int in_team = team.team_rank() / width;
    const Count number = static_cast<Count>(team.league_rank()) * warps + in_team;
    if (number + 1 >= groups.begin.extent(0)) return;  // uniform over the warp
    const Segment rows = groups.packet(number, width);
    Room& room =
        static_cast<Room*>(team.team_shmem().get_shmem_aligned(warps * sizeof(Room), 16))[in_team];
    Targets targets;
    for (int k = 0; k < per_lane; ++k) {
      const auto target = from.template start<L>(row_of(rows, k, lane));
      targets.x[k] = target.x;
      targets.softening[k] = target.softening;
      targets.limit[k] = target.limit;
    }
    walk(room, lane, box_of(targets), targets, static_cast<std::uint32_t>(rows.end - rows.begin));
    for (int k = 0; k < per_lane; ++k)
      from.results.template store<L>(row_of(rows, k, lane), targets.field[k],
                                     rows.begin + static_cast<Count>(k * width + lane) < rows.end);
  }

  /// The row of a target; those past the end repeat the last body.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t row_of(const Segment& rows, int k, int lane) const {
    const Count row = rows.begin + static_cast<Count>(k * width + lane);
    return groups(row < rows.end ? row : rows.end - 1);
  }

  KOKKOS_FORCEINLINE_FUNCTION static TargetBox box_of(const Targets& targets) {
    TargetBox box;
    if constexpr (Spline) {
      for (int k = 0; k < per_lane; ++k)
        box.softening = lane_max(box.softening, targets.softening[k]);
      box.softening = packet_max(box.softening);
    }
    if constexpr (Relative) {
      box.limit = targets.limit[0];
      for (int k = 1; k < per_lane; ++k) box.limit = lane_min(box.limit, targets.limit[k]);
      box.limit = packet_min(box.limit);
    }
    for (int a = 0; a < 3; ++a) {
      Real lower = targets.x[0][a], upper = lower;
      for (int k = 1; k < per_lane; ++k) {
        lower = lane_min(lower, targets.x[k][a]);
        upper = lane_max(upper, targets.x[k][a]);
      }
      box.lower[a] = packet_min(lower);
      box.upper[a] = packet_max(upper);
    }
    return box;
  }

  KOKKOS_FORCEINLINE_FUNCTION void walk(Room& room, int lane, const TargetBox& box,
                                        Targets& targets, std::uint32_t members) const {
    Counts counts;
    std::uint32_t first_cell = 0, cells = 0;   // of the queue room.accepted
    std::uint32_t first_body = 0, bodies = 0;  // of the queue room.bodies
    int stacked = 1;
    if (lane == 0) room.stack[0] = from.tree.root();
    packet_sync();
    while (stacked > 0) {
      const int taken = nodes_to_take(stacked, stack_room, width);
      stacked -= taken;
      bool open = false;
      Node index = 0;
      OctreeNode node;
      if (lane < taken) {
        index = room.stack[stacked + lane];
        open = from.gravity.template opens<Relative>(index, box, Spline);
        if (open) node = from.tree.nodes(index);
      }
      const std::uint32_t accepted = packet_ballot(lane < taken && !open);
      if (lane < taken && !open)
        room.accepted[(first_cell + cells + lane_ranks<L>(accepted, lane)) % ring] = index;
      cells += lanes_in(accepted);
      packet_sync();
      counts.visit(members, static_cast<Count>(taken));
      counts.open(members * (static_cast<std::uint32_t>(taken) - lanes_in(accepted)));
      if (cells >= width) {
        add_cells(room, room.accepted + first_cell, width, lane, targets);
        first_cell = (first_cell + width) % ring;
        cells -= width;
      }

      const std::uint32_t children = open ? node.child_count : 0;
      const std::uint32_t up_to = packet_inclusive_sum(children);
      for (std::uint32_t c = 0; c < children; ++c)
        room.stack[static_cast<std::uint32_t>(stacked) + up_to - children + c] =
            node.first_child + c;
      stacked += static_cast<int>(packet_broadcast(up_to, width - 1));
      packet_sync();

      for (std::uint32_t leaves = packet_ballot(open && node.is_leaf()); leaves != 0;
           leaves = without_lowest(leaves)) {
        const int leaf = lowest_lane(leaves);
        const LocalIndex end = packet_broadcast(node.end, leaf);
        for (LocalIndex row = packet_broadcast(node.begin, leaf); row < end; row += width) {
          const auto mine = row + static_cast<LocalIndex>(lane);
          const auto free = (first_body + bodies + static_cast<std::uint32_t>(lane)) % ring;
          if (mine < end) {
            room.bodies[free] = from.gravity.bodies(mine);
            if constexpr (Spline) room.body_lengths[free] = from.gravity.softening(mine);
          }
          const std::uint32_t added = end - row < width ? end - row : width;
          bodies += added;
          packet_sync();
          counts.compare(Count{added} * members);
          if (bodies < width) continue;
          add_bodies(room, first_body, width, targets);
          first_body = (first_body + width) % ring;
          bodies -= width;
        }
      }
    }
    add_cells(room, room.accepted + first_cell, static_cast<int>(cells), lane, targets);
    add_bodies(room, first_body, static_cast<int>(bodies), targets);
    if (lane == 0) add_counts(totals, counts);
  }

  /// Adds the fields of up to `width` nodes of a queue, which are added up on their own to limit
  /// rounding errors.
  KOKKOS_FORCEINLINE_FUNCTION void add_cells(Room& room, const Node* nodes, int count, int lane,
                                             Targets& targets) const {
    if (lane < count) {
      const Node node = nodes[lane];
      room.cells[lane].monopole = from.gravity.monopole(node);
      if constexpr (Order > 1) room.cells[lane].moments = from.moments(node);
      if constexpr (Spline) room.cell_lengths[lane] = from.gravity.node_softening(node).length;
    }
    packet_sync();
    GravityField<Real> sum[per_lane];
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < per_lane; ++k)
        add_cell<Spline, L, Order>(sum[k], targets.x[k], room.cells[i],
                                   targets.softening[k] + (Spline ? room.cell_lengths[i] : 0));
    for (int k = 0; k < per_lane; ++k) add_field(targets.field[k], sum[k]);
    packet_sync();
  }

  /// The same of up to `width` bodies.
  KOKKOS_FORCEINLINE_FUNCTION void add_bodies(const Room& room, std::uint32_t first, int count,
                                              Targets& targets) const {
    const Monopole* const bodies = room.bodies + first;
    const Real* const lengths = room.body_lengths + (Spline ? first : 0);
    GravityField<Real> sum[per_lane];
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < per_lane; ++k)
        add_body<Spline, L>(sum[k], targets.x[k], bodies[i],
                            targets.softening[k] + (Spline ? lengths[i] : 0));
    for (int k = 0; k < per_lane; ++k) add_field(targets.field[k], sum[k]);
    packet_sync();
  }
};

/// The targets of a group, in vectors. A queue is added by a function call, which takes no time
/// beside its 64 entries; inlined into every kind of walk these functions would take a minute to
/// compile.
template <bool Spline>
struct VectorTargets {
  using L = VectorLanes;
  static constexpr int vectors = 2;

  LanePoint<L, 3> x[vectors];
  typename L::Real softening[vectors];  ///< spline length, or the square of the Plummer length
  GravityField<typename L::Real> field[vectors];
  int used;  ///< vectors

  /// Adds the fields of `count` nodes; `lengths` are their spline softening.
  template <int Order>
  [[gnu::noinline]] void add_cells(const CellSource<Order>* cells, const Real* lengths, int count) {
    for (int v = 0; v < used; ++v) {
      GravityField<typename L::Real> sum;
      for (int i = 0; i < count; ++i)
        add_cell<Spline, L, Order>(sum, x[v], cells[i], softening_of(v, lengths[i]));
      add_field(field[v], sum);
    }
  }

  [[gnu::noinline]] void add_bodies(const Monopole* bodies, const Real* lengths, int count) {
    for (int v = 0; v < used; ++v) {
      GravityField<typename L::Real> sum;
      for (int i = 0; i < count; ++i)
        add_body<Spline, L>(sum, x[v], bodies[i], softening_of(v, lengths[i]));
      add_field(field[v], sum);
    }
  }

 private:
  typename L::Real softening_of(int v, const Real& length) const {
    if constexpr (Spline) return softening[v] + typename L::Real(length);
    return softening[v];
  }
};

/// One thread per group of several vectors of targets.
template <class MemorySpace, int Order, bool Relative, bool Spline, class Counts>
struct BreadthVectors {
  using L = VectorLanes;
  using Targets = VectorTargets<Spline>;
  static constexpr int vectors = Targets::vectors;
  static constexpr int batch = 64;  ///< entries of a queue

  // References, because a launch on a host returns when its kernel has ended.
  const BarnesHut<Order, MemorySpace, Relative>& from;
  const BucketList<MemorySpace>& groups;
  const CounterTotals<MemorySpace>& totals;  ///< if Counts counts

  struct Queues {
    CellSource<Order> cells[batch];
    Monopole bodies[batch];
    Real cell_lengths[batch], body_lengths[batch];  ///< spline softening
    int cell_count = 0, body_count = 0;
  };
  KOKKOS_FUNCTION void operator()(const Count number) const { KOKKOS_IF_ON_HOST((walk(number);)) }

  void walk(const Count number) const {
    const Count first = groups.begin(number), n = groups.begin(number + 1);
    const auto members = static_cast<std::uint32_t>(n - first);
    Targets targets;
    targets.used = members > static_cast<std::uint32_t>(L::width) ? vectors : 1;
    typename L::Index rows[vectors];
    TargetBox box;
    for (int v = 0; v < vectors; ++v) {
      rows[v] = L::Index::of([&](int l) {
        const Count row = first + static_cast<Count>(v * L::width + l);
        return groups(row < n ? row : n - 1);
      });
      const auto target = from.template start<L>(rows[v]);
      targets.x[v] = target.x;
      targets.softening[v] = target.softening;
      if constexpr (Spline)
        box.softening = lane_max(box.softening, packet_max(targets.softening[v]));
      if constexpr (Relative) {
        const Real least = packet_min(target.limit);
        box.limit = v == 0 ? least : lane_min(box.limit, least);
      }
      const BoxBound<3> here = packet_box<L, 3>(targets.x[v]);
      for (int a = 0; a < 3; ++a) {
        box.lower[a] = v == 0 ? here.lower[a] : lane_min(box.lower[a], here.lower[a]);
        box.upper[a] = v == 0 ? here.upper[a] : lane_max(box.upper[a], here.upper[a]);
      }
    }
    Counts counts;
    Queues queues;
    Node stack[least_room];
    int stacked = 0;
    stack[stacked++] = from.tree.root();
    while (stacked > 0) {
      const Node index = stack[--stacked];
      counts.visit(members);
      if (!from.gravity.template opens<Relative>(index, box, Spline)) {
        if constexpr (Spline)
          queues.cell_lengths[queues.cell_count] = from.gravity.node_softening(index).length;
        auto& cell = queues.cells[queues.cell_count++];
        cell.monopole = from.gravity.monopole(index);
        if constexpr (Order > 1) cell.moments = from.moments(index);
        if (queues.cell_count == batch) add_cells(queues, targets);
        continue;
      }
      counts.open(members);
      const OctreeNode node = from.tree.nodes(index);
      for (int c = node.child_count; c-- > 0;)
        stack[stacked++] = node.first_child + static_cast<Node>(c);
      if (!node.is_leaf()) continue;
      counts.search(from.tree, index, members);
      for (LocalIndex row = node.begin; row < node.end; ++row) {
        if constexpr (Spline) queues.body_lengths[queues.body_count] = from.gravity.softening(row);
        queues.bodies[queues.body_count++] = from.gravity.bodies(row);
        if (queues.body_count == batch) add_bodies(queues, targets);
      }
    }
    add_cells(queues, targets);
    add_bodies(queues, targets);
    for (int v = 0; v < vectors; ++v) {
      const Count past = first + static_cast<Count>(v * L::width);
      const Count valid = n > past ? n - past : 0;
      const std::uint32_t bits =
          valid >= static_cast<Count>(L::width) ? (1u << L::width) - 1u : (1u << valid) - 1u;
      from.results.template store<L>(rows[v], targets.field[v], L::Mask::from_bits(bits));
    }
    add_counts(totals, counts);
  }

  static void add_cells(Queues& queues, Targets& targets) {
    targets.add_cells(queues.cells, queues.cell_lengths, queues.cell_count);
    queues.cell_count = 0;
  }
  static void add_bodies(Queues& queues, Targets& targets) {
    targets.add_bodies(queues.bodies, queues.body_lengths, queues.body_count);
    queues.body_count = 0;
  }
};

}  // namespace copse::gravity
