#pragma once
/// \file
/// Moves the particles of cells to their owner ranks.
///
/// Before: every rank of a group holds some particles of every cell, ordered by cell. After: a
/// cell's particles are on its own ranks, in chunks (leaf_ownership.hpp), in unchanged order over
/// ranks and particles. The sender does not sort: cells and ranks both go from left to right, so
/// its particles are already ordered by destination, one contiguous piece per destination. Received
/// data is ordered by source, then by cell; one gather orders it by cell, then by source.

#include <copse/backend/error.hpp>
#include <copse/domains/detail/distributed_state.hpp>
#include <copse/domains/detail/point_exchange.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace copse::detail {

/// What this rank receives, and how to reorder it.
struct Arrival {
  ExchangePlan plan;
  std::vector<std::size_t> mine;    ///< cells that this rank owns or shares
  std::vector<Count> rows_of_cell;  ///< [mine]
  /// Source and destination offsets of the non-empty received pieces, ascending by destination.
  std::vector<Count> piece_from, piece_to;

  Count rows() const { return plan.receive.total(); }
  /// True if particles arrive already ordered by cell.
  bool in_order() const { return piece_from == piece_to; }
};

/// Plans the exchange of the state's cells to the ranks that share or own them. The cells are the
/// same on all ranks of `comm`; `first` is the world rank of its rank 0. Collective.
/// \throws InputError if a rank would receive too many particles
template <class State>
Arrival plan_arrival(State& s, const Communicator& comm, int first) {
  using HostCounts = Kokkos::View<Count*, Kokkos::LayoutLeft, Kokkos::HostSpace,
                                  Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Arrival arrival;
  std::vector<Count> received;  // sizes of the pieces, by source, then by cell
  const auto ranks = static_cast<std::size_t>(comm.size());
  s.clock.communicate(comm, [&] {
    std::vector<Count> before;
    for (const LocalCell& cell : s.cells) before.push_back(cell.rows.size());
    comm.exclusive_scan(std::span<Count>(before));
    std::vector<Count> rows_to(ranks, 0), pieces_to(ranks, 0);
    std::vector<Count> pieces;  // sizes, by destination, then by cell
    for (std::size_t c = 0; c < s.cells.size(); ++c) {
      const LocalCell& cell = s.cells[c];
      const RankRange owners = s.ownership.ranks_of(cell.leaves);
      for (int r = owners.first; r <= owners.last; ++r) {
        // The ends are set exactly, so that rounding and ranks without leaves lose no particle.
        const Count chunk =
            r == owners.first ? 0 : s.ownership.chunk_begin(cell.leaves, cell.particles, r);
        const Count next = r == owners.last
                               ? cell.particles
                               : s.ownership.chunk_begin(cell.leaves, cell.particles, r + 1);
        const Count low = std::max(before[c], chunk);
        const Count high = std::min(before[c] + cell.rows.size(), next);
        pieces.push_back(high > low ? high - low : 0);
        ++pieces_to[r - first];
        rows_to[r - first] += pieces.back();
      }
    }
    const ExchangePlan piece_plan = comm.plan_exchange(pieces_to);
    received.resize(piece_plan.receive.total());
    comm.alltoallv(piece_plan, HostCounts(pieces.data(), pieces.size()),
                   HostCounts(received.data(), received.size()));
    arrival.plan = comm.plan_exchange(rows_to);
  });
  if (arrival.rows() > max_particles_per_rank)
    throw InputError("a rank would receive " + std::to_string(arrival.rows()) +
                     " particles but can hold 2^32: use more ranks");
  for (std::size_t c = 0; c < s.cells.size(); ++c)
    if (s.ownership.ranks_of(s.cells[c].leaves).contains(first + comm.rank()))
      arrival.mine.push_back(c);

  const std::size_t cells = arrival.mine.size();
  const std::vector<Count> from = consecutive_pieces(received).offsets;
  arrival.rows_of_cell.assign(cells, 0);
  Count to = 0;
  for (std::size_t c = 0; c < cells; ++c)
    for (std::size_t r = 0; r < ranks; ++r) {
      const Count rows = received[r * cells + c];
      if (rows == 0) continue;
      arrival.rows_of_cell[c] += rows;
      arrival.piece_from.push_back(from[r * cells + c]);
      arrival.piece_to.push_back(to);
      to += rows;
    }
  return arrival;
}

/// Sets the particle ranges of the cells to the received ones, and counts the bytes sent.
template <class State>
void number_arrived_rows(State& s, const Arrival& arrival, int rank) {
  for (LocalCell& cell : s.cells) cell.rows = {0, 0};
  Count begin = 0;
  for (std::size_t c = 0; c < arrival.mine.size(); ++c) {
    s.cells[arrival.mine[c]].rows = {begin, begin + arrival.rows_of_cell[c]};
    begin += arrival.rows_of_cell[c];
  }
  const auto& send = arrival.plan.send;
  s.cost.particle_bytes_sent +=
      (send.total() - send.counts[static_cast<std::size_t>(rank)]) * s.sent_bytes();
  ++s.cost.exchanges;
}

/// Gathers the received particles into cell order.
template <class State>
void regroup_rows(State& s, const Arrival& arrival) {
  if (arrival.in_order()) return;
  const auto from = s.rows;
  const auto to = s.room(set_beside(from.set), arrival.rows());
  const auto piece_from =
      upload(s.space, arrival.piece_from, s.workspace, "distributed::piece_from");
  const auto piece_to = upload(s.space, arrival.piece_to, s.workspace, "distributed::piece_to");
  Kokkos::parallel_for(
      "copse::distributed::regroup", typename State::Range(s.space, 0, arrival.rows()),
      KOKKOS_LAMBDA(const Count i) {
        Count low = 0, high = piece_to.extent(0);
        while (high - low > 1) {
          const Count middle = (low + high) / 2;
          if (piece_to(middle) <= i) {
            low = middle;
          } else {
            high = middle;
          }
        }
        const Count source = piece_from(low) + (i - piece_to(low));
        for (int a = 0; a < 3; ++a) to.points(i, a) = from.points(source, a);
        to.row(i) = from.row(source);
      });
  s.space.fence("copse::distributed::regroup");
  s.rows = to;
}

/// Exchanges the particles of the state's cells by plan_arrival; afterwards the cells' ranges are
/// those on this rank. Collective.
template <class State>
void exchange_cells(State& s, const Communicator& comm, int first) {
  const Kokkos::Profiling::ScopedRegion region("copse::distributed::exchange");
  const Arrival arrival = plan_arrival(s, comm, first);
  const auto here = s.room(set_beside(s.rows.set), arrival.rows());
  PointExchange points(s, comm, arrival.plan, here.points);
  points.begin(s.rows.points, [&] { comm.alltoallv(arrival.plan, s.rows.row, here.row); });
  points.finish();
  s.rows = here;
  regroup_rows(s, arrival);
  number_arrived_rows(s, arrival, comm.rank());
}

}  // namespace copse::detail
