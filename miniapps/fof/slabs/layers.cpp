#include "layers.hpp"

#include <copse/backend/error.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace copse::fof {

LayerGrid::LayerGrid(const Friendship& rule, const Box<3>& box) {
  const int longest = box.longest_axis();
  axis = {(longest + 1) % 3, (longest + 2) % 3, longest};
  // sqrt(3) 0.57 < 1 < 2 * 0.57. At most 2^20 cells on an axis.
  double side = 0.57 * std::sqrt(static_cast<double>(rule.reach2));
  Kokkos::Array<double, 3> lower, upper;
  bool periodic = false;  // on all axes if on one: more cells are near than need be
  for (int a = 0; a < 3; ++a) {
    lower[a] = static_cast<double>(box.lower[axis[a]]);
    upper[a] = static_cast<double>(box.upper[axis[a]]);
    periodic = periodic || box.periodic[axis[a]];
    side = std::max(side, (upper[a] - lower[a]) / 1048576.0);
  }
  cells = CellGrid<3, double>::cover(lower, upper, side, periodic, Count{1} << 60);
}

namespace {

/// The owner of each layer: consecutive layers with about the same number of particles. Collective.
std::vector<int> own_layers(const Communicator& comm, const LayerGrid& grid,
                            const Points<3, Kokkos::HostSpace>& position) {
  std::vector<Count> particles(grid.layers(), 0);
  for (Count i = 0; i < position.extent(0); ++i) ++particles[grid.layer(position, i)];
  comm.allreduce(std::span(particles), Reduction::sum);
  Count total = 0, before = 0;
  for (const Count n : particles) total += n;
  const auto ranks = static_cast<Count>(comm.size());
  std::vector<int> owner;
  for (const Count n : particles) {
    owner.push_back(static_cast<int>((before + n / 2) * ranks / std::max<Count>(1, total)));
    before += n;
  }
  for (int& rank : owner) rank = std::min(rank, comm.size() - 1);
  return owner;
}

/// Calls f(rank) for the ranks other than the owner that need a layer.
template <class F>
void for_each_copy(const LayerGrid& grid, const std::vector<int>& owner, std::uint32_t layer,
                   const F& f) {
  int last = owner[layer];
  for (const std::uint32_t below : {1U, 2U}) {
    if (below > layer && (!grid.cells.periodic || below > layer + grid.layers())) return;
    const int rank = owner[layer >= below ? layer - below : layer + grid.layers() - below];
    if (rank != owner[layer] && rank != last) f(rank);
    last = rank;
  }
}

/// Rows of a column, by the rank they go to, exchanged.
template <class Column>
Column exchanged(const Communicator& comm, const ExchangePlan& plan,
                 const std::vector<LocalIndex>& rows, const Column& mine) {
  const auto room = [](const std::string& name, Count n) {
    return Column(Kokkos::view_alloc(name, Kokkos::WithoutInitializing), n);
  };
  const Column send = room("copse::fof::to_layers", rows.size());
  for (Count k = 0; k < rows.size(); ++k)
    if constexpr (Column::rank() == 2)
      for (int a = 0; a < 3; ++a) send(k, a) = mine(rows[k], a);
    else
      send(k) = mine(rows[k]);
  const Column received = room("copse::fof::in_layers", plan.receive.total());
  comm.alltoallv(plan, send, received);
  return received;
}

}  // namespace

LayerParticles spread_by_layer(const Communicator& comm, const LayerGrid& grid,
                               const LinkProblem<Kokkos::HostSpace>& mine,
                               const GlobalLabels<Kokkos::HostSpace>& labels) {
  LayerParticles here;
  here.problem = mine;
  here.label = labels;
  here.end = grid.layers();
  if (comm.size() == 1) return here;

  const auto owner = own_layers(comm, grid, mine.position);
  std::vector<std::vector<LocalIndex>> rows_to(static_cast<std::size_t>(comm.size()));
  for (Count i = 0; i < mine.size(); ++i) {
    const std::uint32_t layer = grid.layer(mine.position, i);
    const auto add = [&](int rank) {
      rows_to[static_cast<std::size_t>(rank)].push_back(static_cast<LocalIndex>(i));
    };
    add(owner[layer]);
    for_each_copy(grid, owner, layer, add);
  }
  std::vector<Count> counts;
  std::vector<LocalIndex> rows;
  for (const auto& to : rows_to) {
    counts.push_back(to.size());
    rows.insert(rows.end(), to.begin(), to.end());
  }
  const ExchangePlan plan = comm.plan_exchange(counts);
  together(comm.handle(), [&] {
    if (plan.receive.total() >= ~LocalIndex{0})
      throw InputError("--verify: a rank's layers hold too many particles; use more ranks");
  });
  here.problem.position = exchanged(comm, plan, rows, mine.position);
  if (mine.friendship.velocity_factor > 0)
    here.problem.velocity = exchanged(comm, plan, rows, mine.velocity);
  here.label = exchanged(comm, plan, rows, labels);
  const GlobalLabels<Kokkos::HostSpace> row("copse::fof::rows", mine.size());
  const Count first_row = comm.exclusive_scan(mine.size());
  for (Count i = 0; i < mine.size(); ++i) row(i) = first_row + i;
  here.row = exchanged(comm, plan, rows, row);

  const auto [first, end] = std::equal_range(owner.begin(), owner.end(), comm.rank());
  here.first = static_cast<std::uint32_t>(first - owner.begin());
  here.end = static_cast<std::uint32_t>(end - owner.begin());
  here.copies_of.resize(rows_to.size());
  here.copied_to.resize(rows_to.size());
  for (Count i = 0; i < here.problem.size(); ++i) {
    const std::uint32_t layer = grid.layer(here.problem.position, i);
    const auto copied = [&](int rank) {
      here.copied_to[static_cast<std::size_t>(rank)].push_back(static_cast<LocalIndex>(i));
    };
    if (owner[layer] == comm.rank())
      for_each_copy(grid, owner, layer, copied);
    else
      here.copies_of[static_cast<std::size_t>(owner[layer])].push_back(static_cast<LocalIndex>(i));
  }
  return here;
}

}  // namespace copse::fof
