#pragma once
/// \file
/// The interactions of the method "fmm": one node as a target with everything that its ancestors
/// left undecided.
///
/// A source is accepted if the centres of mass are farther apart than the sum of both opening
/// radii: then both balls of radius b are seen under less than the angle, and the source's moments
/// become a local expansion of the target (gravity/local_expansion.hpp). Otherwise the larger of
/// the two is opened: the source at once, the target by deferring the source to its children. Two
/// leaves act body on body. After [Dehnen 2002] and PKDGRAV3 [Potter, Stadel, Teyssier 2017].
///
/// On a device a warp has the target, each lane tests another source, and each lane converts
/// another accepted node; on a host a thread has the target and converts a vector of nodes.

#include "fmm_sweep.hpp"
#include "queued_sources.hpp"
#include <copse/backend/packet_reduction.hpp>

#include <vector>

namespace copse::gravity {

/// A warp per target.
template <class ExecutionSpace, int Order, bool Evaluates>
struct FmmWarps : FmmSweep<typename ExecutionSpace::memory_space, Order> {
  using Base = FmmSweep<typename ExecutionSpace::memory_space, Order>;
  using Target = typename Base::Target;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using L = OneLane;
  static constexpr int width = packet_width;
  static constexpr int warps = 4;
  static constexpr int per_lane = 2;  ///< bodies of a target leaf
  static constexpr int group = per_lane * width;
  static constexpr int stack_room = 768;
  static constexpr std::uint32_t ring = 2 * width;

  /// Scratch memory of one warp.
  struct Room {
    Monopole bodies[ring];
    Node accepted[ring];
    Node stack[stack_room];
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int lane = team.team_rank() % width;
    const int in_team = team.team_rank() / width;
    const auto number = static_cast<Node>(team.league_rank() * warps + in_team);
    if (number >= this->end - this->first) return;  // uniform over the warp
    Room& room =
        static_cast<Room*>(team.team_shmem().get_shmem_aligned(warps * sizeof(Room), 16))[in_team];
    const Target target = this->target_of(this->first + number);
    const OctreeNode& node = target.node;
    if (!node.is_leaf()) return walk(room, target, lane, node.begin, true);
    for (LocalIndex row = node.begin; row < node.end; row += group)
      walk(room, target, lane, row, row == node.begin);
  }

  /// One target, or the bodies of a target leaf from `row` on; only the first of them converts.
  KOKKOS_FORCEINLINE_FUNCTION void walk(Room& room, const Target& target, int lane, LocalIndex row,
                                        bool converts) const {
    const auto lanes = static_cast<std::uint32_t>(lane);
    Real local[Base::components] = {};
    LanePoint<L, 3> x[per_lane];
    GravityField<Real> field[per_lane], rest[per_lane];
    const LocalIndex last = target.node.end - 1;
    const bool few = last - row < width;
    for (int k = 0; k < per_lane; ++k)
      x[k] = lane_point<L, 3>(this->from.queries, row_of(row, k, lane, last));
    const std::uint32_t members = target.node.rows();
    Count counts[4] = {};
    std::uint32_t first_cell = 0, cells = 0, first_body = 0, bodies = 0, deferred = 0;
    std::uint32_t read = 0;
    int stacked = 0;
    while (true) {
      if (stacked == 0) {
        if (read == target.undecided) break;
        const std::uint32_t more =
            target.undecided - read < width ? target.undecided - read : width;
        if (lanes < more) room.stack[lane] = this->before.sources(target.list + read + lanes);
        read += more;
        stacked = static_cast<int>(more);
        packet_sync();
      }
      const int taken = nodes_to_take(stacked, stack_room, width);
      stacked -= taken;
      const bool mine = lane < taken;
      const Node source = mine ? room.stack[stacked + lane] : 0;
      const Fate fate = mine ? this->fate(target, source) : Fate::deferred;
      counts[2] += static_cast<Count>(taken);

      const std::uint32_t left = packet_ballot(mine && fate == Fate::deferred);
      if constexpr (Evaluates)
        if (mine && fate == Fate::deferred)
          this->after.sources(this->after.begin(target.index) + deferred +
                              lane_ranks<L>(left, lane)) = source;
      deferred += lanes_in(left);

      const std::uint32_t accepted = packet_ballot(mine && fate == Fate::accepted);
      counts[0] += lanes_in(accepted);
      if constexpr (Evaluates) {
        if (mine && fate == Fate::accepted && converts)
          room.accepted[(first_cell + cells + lane_ranks<L>(accepted, lane)) % ring] = source;
        cells += converts ? lanes_in(accepted) : 0;
        packet_sync();
        if (cells >= width) {
          this->template convert<L>(local, target, room.accepted[first_cell + lanes], true);
          first_cell = (first_cell + width) % ring;
          cells -= width;
        }
      }

      OctreeNode node;
      if (mine && (fate == Fate::opened || fate == Fate::near))
        node = this->from.tree.nodes(source);
      const std::uint32_t children = node.child_count;  // 0 in a leaf
      const std::uint32_t up_to = packet_inclusive_sum(children);
      packet_sync();
      for (std::uint32_t c = 0; c < children; ++c)
        room.stack[static_cast<std::uint32_t>(stacked) + up_to - children + c] =
            node.first_child + c;
      stacked += static_cast<int>(packet_broadcast(up_to, width - 1));
      packet_sync();

      for (std::uint32_t leaves = packet_ballot(mine && fate == Fate::near); leaves != 0;
           leaves = without_lowest(leaves)) {
        const int leaf = lowest_lane(leaves);
        const LocalIndex end = packet_broadcast(node.end, leaf);
        for (LocalIndex body = packet_broadcast(node.begin, leaf); body < end; body += width) {
          const auto added = static_cast<std::uint32_t>(end - body < width ? end - body : width);
          counts[1] += Count{added} * members;
          if constexpr (Evaluates) {
            if (lanes < added)
              room.bodies[(first_body + bodies + lanes) % ring] =
                  this->from.gravity.bodies(body + lanes);
            bodies += added;
            packet_sync();
            if (bodies < width) continue;
            add_bodies(room.bodies + first_body, width, few, x, field, rest);
            first_body = (first_body + width) % ring;
            bodies -= width;
          }
        }
      }
    }
    if constexpr (Evaluates) {
      if (cells > 0)
        this->template convert<L>(local, target,
                                  room.accepted[(first_cell + (lanes < cells ? lanes : 0)) % ring],
                                  lanes < cells);
      add_bodies(room.bodies + first_body, static_cast<int>(bodies), few, x, field, rest);
      if (converts) {
        Real* const into = this->locals(target.index).of;
        unrolled<Base::components>([&]<int c>() {
          const Real sum = packet_sum(local[c]);
          if (lane == c % width) into[c] = sum;
        });
      }
      if (target.node.is_leaf())
        for (int k = 0; k < per_lane; ++k) {
          const auto body =
              static_cast<LocalIndex>(row + static_cast<LocalIndex>(k * width + lane));
          if (body > last) continue;
          this->from.results.template store<L>(body, field[k], true);
          this->leaf_of(body) = target.index;
        }
    } else if (lane == 0) {
      this->after.count(target.index) = deferred;
      counts[3] = counts[2] * members;
      if (converts) this->add_totals(counts);
    }
  }

  /// The row of a target; those past the end repeat the last body.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t row_of(LocalIndex row, int k, int lane,
                                                          LocalIndex last) {
    const auto body = static_cast<LocalIndex>(row + static_cast<LocalIndex>(k * width + lane));
    return body < last ? body : last;
  }

  /// `few` targets fit in one per lane.
  KOKKOS_FORCEINLINE_FUNCTION void add_bodies(const Monopole* bodies, int count, bool few,
                                              const LanePoint<L, 3> (&x)[per_lane],
                                              GravityField<Real> (&field)[per_lane],
                                              GravityField<Real> (&rest)[per_lane]) const {
    GravityField<Real> sum[per_lane];
    for (int i = 0; i < count; ++i)
      add_body<false, L>(sum[0], x[0], bodies[i], this->from.targets.softening2);
    if (!few)
      for (int i = 0; i < count; ++i)
        add_body<false, L>(sum[1], x[1], bodies[i], this->from.targets.softening2);
    for (int k = 0; k < per_lane; ++k) add_compensated(field[k], rest[k], sum[k]);
    packet_sync();
  }
};

/// A host thread per target.
template <class MemorySpace, int Order, bool Evaluates>
struct FmmThreads : FmmSweep<MemorySpace, Order> {
  using Base = FmmSweep<MemorySpace, Order>;
  using Target = typename Base::Target;
  using L = VectorLanes;

  struct Sources {
    Node accepted[L::width];
    int cells = 0;
    std::vector<Node> leaves;
    typename L::Real local[Base::components]{};
  };

  KOKKOS_FUNCTION void operator()(const Count number) const {
    KOKKOS_IF_ON_HOST((walk(this->target_of(this->first + static_cast<Node>(number)));))
  }

  void walk(const Target& target) const {
    Sources sources;
    Count counts[4] = {};
    Count deferred = 0;
    Node stack[least_room];
    for (Count i = 0; i < target.undecided; ++i) {
      int stacked = 0;
      stack[stacked++] = this->before.sources(target.list + i);
      while (stacked > 0) {
        const Node source = stack[--stacked];
        ++counts[2];
        switch (this->fate(target, source)) {
          case Fate::accepted:
            ++counts[0];
            if constexpr (Evaluates) {
              sources.accepted[sources.cells++] = source;
              if (sources.cells == L::width) convert(target, sources);
            }
            break;
          case Fate::opened: {
            const OctreeNode node = this->from.tree.nodes(source);
            for (int c = node.child_count; c-- > 0;)
              stack[stacked++] = node.first_child + static_cast<Node>(c);
            break;
          }
          case Fate::deferred:
            if constexpr (Evaluates)
              this->after.sources(this->after.begin(target.index) + deferred) = source;
            ++deferred;
            break;
          case Fate::near:
            counts[1] += Count{this->from.tree.nodes(source).rows()} * target.node.rows();
            if constexpr (Evaluates) sources.leaves.push_back(source);
        }
      }
    }
    if constexpr (Evaluates) {
      if (sources.cells > 0) convert(target, sources);
      Real* const into = this->locals(target.index).of;
      for (int c = 0; c < Base::components; ++c) {
        into[c] = 0;
        for (int l = 0; l < L::width; ++l) into[c] += sources.local[c][l];
      }
      if (target.node.is_leaf()) add_leaves(target, sources.leaves);
    } else {
      this->after.count(target.index) = static_cast<std::uint32_t>(deferred);
      counts[3] = counts[2] * target.node.rows();
      this->add_totals(counts);
    }
  }

  void convert(const Target& target, Sources& sources) const {
    const auto nodes =
        L::Index::of([&](int l) { return sources.accepted[l < sources.cells ? l : 0]; });
    const auto valid = L::Mask::from_bits((1u << sources.cells) - 1u);
    Base::template convert<L>(sources.local, target, nodes, valid);
    sources.cells = 0;
  }

  void add_leaves(const Target& target, const std::vector<Node>& leaves) const {
    const LocalIndex past = target.node.end;
    for (LocalIndex row = target.node.begin; row < past; row += L::width) {
      const auto rows = L::Index::of([&](int l) {
        const auto body = static_cast<std::uint32_t>(row + static_cast<LocalIndex>(l));
        return body < past ? body : static_cast<std::uint32_t>(past - 1);
      });
      const auto x = lane_point<L, 3>(this->from.queries, rows);
      GravityField<typename L::Real> field, rest;
      for (const Node leaf : leaves) {
        GravityField<typename L::Real> sum;
        const OctreeNode source = this->from.tree.nodes(leaf);
        for (LocalIndex body = source.begin; body < source.end; ++body)
          add_body<false, L>(sum, x, this->from.gravity.bodies(body),
                             typename L::Real(this->from.targets.softening2));
        add_compensated(field, rest, sum);
      }
      const auto valid = past - row < static_cast<LocalIndex>(L::width) ? (1u << (past - row)) - 1u
                                                                        : (1u << L::width) - 1u;
      this->from.results.template store<L>(rows, field, L::Mask::from_bits(valid));
    }
    for (LocalIndex row = target.node.begin; row < past; ++row) this->leaf_of(row) = target.index;
  }
};

}  // namespace copse::gravity
