#include <copse/backend/backends.hpp>
#include <copse/domains/detail/reshuffle_global.hpp>
#include <copse/domains/detail/reshuffle_once.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace copse {
namespace detail {

/// The given points, borrowed until their first move, and the ids that travel with them, packed
/// with the weights if `Row` is WeightedId.
template <class ExecutionSpace, class MemorySpace>
Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace> rows_to_send(
    const ExecutionSpace&, const DistributedPoints<MemorySpace>& points, Workspace<MemorySpace>&,
    const GlobalId*) {
  return points.id;
}
template <class ExecutionSpace, class MemorySpace>
Kokkos::View<WeightedId*, Kokkos::LayoutLeft, MemorySpace> rows_to_send(
    const ExecutionSpace& space, const DistributedPoints<MemorySpace>& points,
    Workspace<MemorySpace>& workspace, const WeightedId*) {
  const Count n = points.position.extent(0);
  const auto row = workspace.template get<WeightedId>("distributed::given_row", n);
  const auto id = points.id;
  const auto weight = points.weight;
  Kokkos::parallel_for(
      "copse::distributed::begin", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) {
        row(i) = WeightedId{static_cast<std::uint32_t>(id(i)),
                            static_cast<std::uint32_t>(id(i) >> 32), weight(i)};
      });
  return row;
}

/// Unpacks ids and weights.
template <class ExecutionSpace, class MemorySpace>
void read_rows(const ExecutionSpace&,
               const Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace>& row,
               Workspace<MemorySpace>&, DistributedPoints<MemorySpace>& points) {
  points.id = row;
}
template <class ExecutionSpace, class MemorySpace>
void read_rows(const ExecutionSpace& space,
               const Kokkos::View<WeightedId*, Kokkos::LayoutLeft, MemorySpace>& row,
               Workspace<MemorySpace>& workspace, DistributedPoints<MemorySpace>& points) {
  const Count n = row.extent(0);
  points.id = workspace.template get<GlobalId>("distributed::id", n);
  points.weight = workspace.template get<std::uint32_t>("distributed::weight", n);
  const auto id = points.id;
  const auto weight = points.weight;
  Kokkos::parallel_for(
      "copse::distributed::end", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) {
        id(i) = GlobalId{row(i).high} << 32 | row(i).low;
        weight(i) = row(i).weight;
      });
}

/// Local reshuffling: cuts all levels without an exchange, then exchanges once.
template <class State>
void reshuffle_locally(State& s) {
  {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
    auto search = s.shared_search(s.world);
    for (CutFlags open = s.open_cells(); any(open); open = s.open_cells())
      cut_cells(s, s.world, open, search);
    s.remember_rounds(search);
  }
  exchange_cells(s, s.world, 0);
}

/// Cuts the cells owned by this rank alone, and joins all its particles into one array.
template <class State>
void finish_own_cells(State& s) {
  const Kokkos::Profiling::ScopedRegion region("copse::distributed::own_levels");
  std::sort(s.own.begin(), s.own.end(),
            [](const auto& a, const auto& b) { return a.cell.leaves.first < b.cell.leaves.first; });
  Count n = 0;
  int busy = s.rows.set;
  for (const auto& own : s.own) {
    n += own.where.size();
    if (own.rows.set < 2) busy = own.rows.set;
  }
  const int set = set_beside(busy);
  if (s.own.size() == 1) {
    const auto& own = s.own[0];
    if (own.cell.leaves.count > 1) {
      // The builder leaves the points in place if possible.
      const auto row = s.row_room(set, n);
      finish_cell(s, own, {}, row, 0);
      s.rows = {s.builders.points, row, set};
      return;
    }
    if (n == own.rows.size() && own.rows.set >= 0) {
      s.rows = own.rows;  // a leaf
      return;
    }
  }
  s.rows = s.room(set, n);
  Count begin = 0;
  for (const auto& own : s.own) {
    if (own.cell.leaves.count == 1)
      copy_rows(s.space, own.where, own.rows, s.rows, begin);
    else
      finish_cell(s, own, s.rows.points, s.rows.row, begin);
    begin += own.where.size();
  }
  s.space.fence("copse::distributed::own_levels");
}

/// A cell of the heap, as sent to the other ranks.
struct SentCell {
  std::uint32_t slot;
  OrbCell cell;
};

/// Distributes all cells to every rank. A shared cell is sent by the owner of its first leaf, which
/// took part in creating and cutting it; any other cell is sent by its only rank.
template <class State>
void share_cells(State& s) {
  const auto heap = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, s.tree.cells);
  std::vector<SentCell> sent;
  for (const LocalCell& cell : s.known)
    if (s.is_shared(cell) && s.ownership.owner(cell.leaves.first) == s.world.rank())
      sent.push_back({cell.slot, heap(cell.slot)});
  for (const auto& own : s.own)
    for (std::uint32_t k = 1; k < std::uint32_t{2} << orb_depth(own.cell.leaves.count); ++k) {
      const std::uint32_t slot = grafted_slot(own.cell.slot, k);
      if (heap(slot).leaves > 0) sent.push_back({slot, heap(slot)});
    }
  std::vector<SentCell> all;
  s.clock.communicate(s.world, [&] { all = s.world.allgatherv(std::span<const SentCell>(sent)); });
  for (const SentCell& cell : all) heap(cell.slot) = cell.cell;
  Kokkos::deep_copy(s.tree.cells, heap);
}

/// One build, from a rank's particles to its part of the result.
template <class State>
DistributedOrb<typename State::MemorySpace> build_distributed(
    State s, const DistributedPoints<typename State::MemorySpace>& points,
    const OrbOptions& options, Reshuffle reshuffle) {
  s.clock.start();
  s.ownership = {options.leaves, s.world.size()};
  s.policy = OrbPolicy{options.rule, options.axis_rule, options.first_axis};
  s.rows = {points.position,
            rows_to_send(s.space, points, s.workspace, static_cast<typename State::Row*>(nullptr)),
            State::Rows::borrowed};
  Count particles = s.rows.size();
  s.clock.communicate(s.world, [&] { particles = s.world.allreduce(particles, Reduction::sum); });
  s.tree = rooted_orb_tree(s.space, particles, options);
  s.cells = {{1, {0, options.leaves}, particles, {0, s.rows.size()}}};
  s.known = s.cells;
  if (reshuffle == Reshuffle::local) {
    reshuffle_locally(s);
  } else {
    if (s.world.size() == 1)
      s.own = {{s.cells[0], s.rows, s.cells[0].rows}};
    else if (reshuffle == Reshuffle::global)
      reshuffle_globally(s);
    else
      ReshuffleOnce<State>(s).run();
    finish_own_cells(s);
    share_cells(s);
  }
  DistributedOrb<typename State::MemorySpace> result;
  result.tree = s.tree;
  result.points.position = s.rows.points;
  read_rows(s.space, s.rows.row, s.workspace, result.points);
  s.clock.communicate(s.world, [&] { result.first_row = s.world.exclusive_scan(s.rows.size()); });
  s.space.fence("copse::distributed::end");
  s.clock.stop();
  s.cost.compute_seconds = s.clock.compute_seconds();
  s.cost.communicate_seconds = s.clock.communicate_seconds();
  s.cost.wait_seconds = s.clock.wait_seconds();
  return result;
}

}  // namespace detail

template <class ExecutionSpace>
DistributedOrb<typename ExecutionSpace::memory_space> DistributedOrbBuilder<ExecutionSpace>::build(
    const DistributedPoints<MemorySpace>& points, const OrbOptions& options, Reshuffle reshuffle,
    bool weighted, const FixedPoint& grid) {
  check_orb_size(points.position.extent(0), options.leaves);
  const Kokkos::Profiling::ScopedRegion region("copse::distributed::build");
  cost_ = {};
  if (weighted)
    return detail::build_distributed(
        detail::DistributedState<ExecutionSpace, detail::WeightedId>{space_, comm_, workspace_,
                                                                     builders_, cost_, grid},
        points, options, reshuffle);
  return detail::build_distributed(
      detail::DistributedState<ExecutionSpace, GlobalId>{space_, comm_, workspace_, builders_,
                                                         cost_, grid},
      points, options, reshuffle);
}

template <class ExecutionSpace>
Count DistributedOrbBuilder<ExecutionSpace>::estimate_bytes(Count rows, int ranks,
                                                            std::uint32_t leaves,
                                                            Reshuffle reshuffle, bool weighted,
                                                            const Engine& engine) {
  using Key = OrderedKey<Real>;
  const auto p = static_cast<std::uint32_t>(ranks);
  const bool even = LeafOwnership{leaves, ranks}.is_a_cell_each();
  const bool local = reshuffle == Reshuffle::local;
  const Count weight = weighted ? sizeof(std::uint32_t) : 0;
  const Count rest = rows * (sizeof(GlobalId) + weight);  // of a row, in addition to its position
  const Count points = rows * 3 * sizeof(Real);
  // Every rank has the whole tree, and the cells of a level are processed on all ranks that share
  // them.
  const Count most_cells = most_cells_cut(orb_depth(leaves));
  const Count shared_cells =
      local ? most_cells : std::min(most_cells, Count{2} * static_cast<Count>(ranks - 1));
  Count bytes = orb_tree_bytes(leaves) +
                HistogramCuts<MemorySpace>::template workspace_bytes<Key>(rows, shared_cells) +
                MoveStably::workspace_bytes<Key>(rows, shared_cells);
  if (weighted) bytes += 2 * rest;  // the packed input, and the unpacked result
  if (local) return bytes + 2 * (points + rest);
  const bool cuts_alone = leaves > p;
  constexpr bool host = runs_on_host<ExecutionSpace>;
  const Count places = host ? 0 : place_bytes(rows, std::min<std::size_t>(p, most_unmoved_cells));
  if (ranks == 1)
    bytes += rest;
  else if (reshuffle == Reshuffle::global)
    bytes += (even ? 2 : 3) * (points + rest);
  else if (even && cuts_alone && !(host && ranks > 2))
    bytes += points + 2 * rest + places;
  else
    bytes += 2 * (points + rest) + places;
  if (!cuts_alone) return bytes + (ranks == 1 ? points : 0);
  const std::uint32_t own_leaves = std::max(1u, leaves / p);
  return bytes + rows * (point_row_bytes + weight) +
         (weighted ? WeightedOrbBuilder<ExecutionSpace>::estimate_bytes(rows, own_leaves)
                   : OrbBuilder<ExecutionSpace>::estimate_bytes(rows, own_leaves, engine));
}

#define COPSE_INSTANTIATE(Space) template class DistributedOrbBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
