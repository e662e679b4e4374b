#pragma once
/// \file
/// Moves the particles of cells to the ranks that are to hold them.
///
/// Before: every rank of a group has some rows of every cell, ordered by cell. After: a cell's rows
/// are on its own ranks, in chunks (leaf_ownership.hpp), and the order over ranks and rows is the
/// one it was. Nothing needs sorting on the way out: cells and ranks both go from left to right, so
/// a rank's rows already lie in the order of their destinations, and each destination gets one
/// contiguous piece. What arrives is ordered by source and then by cell, and is put the other way
/// round by one gather.

#include <copse/backend/communicator.hpp>
#include <copse/backend/error.hpp>
#include <copse/domains/collective_clock.hpp>
#include <copse/domains/detail/distributed_rows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace copse::detail {

/// What one rank sends: rows per rank, and the same in pieces, one for each cell of that rank.
struct CellPieces {
  std::vector<Count> rows_to;    ///< [ranks of the group]
  std::vector<Count> pieces_to;  ///< [ranks of the group]
  std::vector<Count> rows;       ///< [pieces], by destination, then by cell
};

/// \param before  [cells] rows of the cell on the ranks before this one
/// \param first   the group's first rank
inline CellPieces plan_cell_pieces(const LeafOwnership& ownership,
                                   const std::vector<LocalCell>& cells,
                                   const std::vector<Count>& before, int first, int ranks) {
  CellPieces pieces;
  pieces.rows_to.assign(ranks, 0);
  pieces.pieces_to.assign(ranks, 0);
  for (std::size_t s = 0; s < cells.size(); ++s) {
    const LocalCell& cell = cells[s];
    const Count begin = before[s];
    const Count end = begin + cell.rows.size();
    const RankRange owners = ownership.ranks_of(cell.leaves);
    for (int r = owners.first; r <= owners.last; ++r) {
      // The ends are given, so that rounding and ranks without leaves can lose nothing.
      const Count chunk =
          r == owners.first ? 0 : ownership.chunk_begin(cell.leaves, cell.particles, r);
      const Count next = r == owners.last
                             ? cell.particles
                             : ownership.chunk_begin(cell.leaves, cell.particles, r + 1);
      const Count low = std::max(begin, chunk);
      const Count high = std::min(end, next);
      const Count rows = high > low ? high - low : 0;
      pieces.rows.push_back(rows);
      ++pieces.pieces_to[r - first];
      pieces.rows_to[r - first] += rows;
    }
  }
  return pieces;
}

/// Where the received pieces lie and where they belong; pieces without rows are left out.
struct PieceMoves {
  std::vector<Count> from;
  std::vector<Count> to;  ///< ascending
};

/// \param received  [ranks][cells] rows of the pieces, by source, then by cell
/// \param[out] rows_of_cell  [cells]
inline PieceMoves plan_regrouping(const std::vector<Count>& received, std::size_t ranks,
                                  std::size_t cells, std::vector<Count>& rows_of_cell) {
  std::vector<Count> from(received.size() + 1, 0);
  for (std::size_t i = 0; i < received.size(); ++i) from[i + 1] = from[i] + received[i];
  PieceMoves moves;
  rows_of_cell.assign(cells, 0);
  Count to = 0;
  for (std::size_t c = 0; c < cells; ++c)
    for (std::size_t r = 0; r < ranks; ++r) {
      const Count rows = received[r * cells + c];
      rows_of_cell[c] += rows;
      if (rows == 0) continue;
      moves.from.push_back(from[r * cells + c]);
      moves.to.push_back(to);
      to += rows;
    }
  return moves;
}

template <class MemorySpace, class Row>
struct Regroup {
  RowSet<MemorySpace, Row> from;
  RowSet<MemorySpace, Row> to;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> piece_from;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> piece_to;

  KOKKOS_FUNCTION void operator()(Count i) const {
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
  }
};

/// What this rank gets, and how it has to be put together.
struct Arrival {
  ExchangePlan plan;
  std::vector<std::size_t> mine;    ///< which cells
  std::vector<Count> rows_of_cell;  ///< [mine]
  PieceMoves moves;

  Count rows() const { return plan.receive.total(); }
  /// Whether rows arrive in the order of the cells.
  bool in_order() const { return moves.from == moves.to; }
};

/// Agrees on who sends which rows of `cells`, which all ranks of `comm` know, to the ranks that
/// share or own them. `first` is the tree's number of the group's rank 0. Collective.
/// \throws InputError if a rank would get too many
inline Arrival plan_arrival(const Communicator& comm, int first, const LeafOwnership& ownership,
                            const std::vector<LocalCell>& cells, CollectiveClock& clock) {
  using HostCounts = Kokkos::View<Count*, Kokkos::LayoutLeft, Kokkos::HostSpace,
                                  Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Arrival arrival;
  std::vector<Count> received;
  clock.communicate(comm, [&] {
    std::vector<Count> before;
    for (const LocalCell& cell : cells) before.push_back(cell.rows.size());
    comm.exclusive_scan(std::span<Count>(before));
    CellPieces pieces = plan_cell_pieces(ownership, cells, before, first, comm.size());
    const ExchangePlan piece_plan = comm.plan_exchange(pieces.pieces_to);
    received.resize(piece_plan.receive.total());
    comm.alltoallv(piece_plan, HostCounts(pieces.rows.data(), pieces.rows.size()),
                   HostCounts(received.data(), received.size()));
    arrival.plan = comm.plan_exchange(pieces.rows_to);
  });
  if (arrival.rows() > max_particles_per_rank)
    throw InputError("a rank would receive " + std::to_string(arrival.rows()) +
                     " particles but can hold 2^32: use more ranks");
  for (std::size_t s = 0; s < cells.size(); ++s)
    if (ownership.ranks_of(cells[s].leaves).contains(first + comm.rank()))
      arrival.mine.push_back(s);
  arrival.moves = plan_regrouping(received, static_cast<std::size_t>(comm.size()),
                                  arrival.mine.size(), arrival.rows_of_cell);
  return arrival;
}

/// Gives the rows that have arrived to their cells.
inline void number_rows_of_cells(const Arrival& arrival, std::vector<LocalCell>& cells) {
  for (LocalCell& cell : cells) cell.rows = {0, 0};
  Count begin = 0;
  for (std::size_t c = 0; c < arrival.mine.size(); ++c) {
    cells[arrival.mine[c]].rows = {begin, begin + arrival.rows_of_cell[c]};
    begin += arrival.rows_of_cell[c];
  }
}

/// Bytes of particles that a rank sends to others.
template <class RowSetT>
Count bytes_sent(const Arrival& arrival, int rank) {
  const auto& send = arrival.plan.send;
  return (send.total() - send.counts[static_cast<std::size_t>(rank)]) * RowSetT::row_bytes;
}

/// Puts what has arrived in `rows` in the order of the cells.
template <class ExecutionSpace, class Row>
void regroup_rows(const ExecutionSpace& space, const Arrival& arrival,
                  RowSet<typename ExecutionSpace::memory_space, Row>& rows,
                  Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (arrival.in_order()) return;
  const auto to_rows =
      room_for_rows<MemorySpace, Row>(workspace, set_beside(rows.set), arrival.rows());
  const auto from = upload(space, arrival.moves.from, workspace, "distributed::piece_from");
  const auto to = upload(space, arrival.moves.to, workspace, "distributed::piece_to");
  Kokkos::parallel_for("copse::distributed::regroup",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, arrival.rows()),
                       Regroup<MemorySpace, Row>{rows, to_rows, from, to});
  space.fence("copse::distributed::regroup");
  rows = to_rows;
}

/// Sends the rows of `cells` by plan_arrival and sets the cells' rows to what is here now. Returns
/// the bytes of particles this rank sent to others. Collective.
template <class ExecutionSpace, class Row>
Count exchange_cells(const ExecutionSpace& space, const Communicator& comm, int first,
                     const LeafOwnership& ownership, std::vector<LocalCell>& cells,
                     RowSet<typename ExecutionSpace::memory_space, Row>& rows,
                     Workspace<typename ExecutionSpace::memory_space>& workspace,
                     CollectiveClock& clock) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Arrival arrival = plan_arrival(comm, first, ownership, cells, clock);
  const auto here =
      room_for_rows<MemorySpace, Row>(workspace, set_beside(rows.set), arrival.rows());
  clock.communicate(comm, [&] {
    comm.alltoallv(arrival.plan, rows.row, here.row);
    comm.alltoallv(arrival.plan, rows.points, here.points);
  });
  rows = here;
  regroup_rows(space, arrival, rows, workspace);
  number_rows_of_cells(arrival, cells);
  return bytes_sent<RowSet<MemorySpace, Row>>(arrival, comm.rank());
}

}  // namespace copse::detail
