#pragma once
/// \file
/// Four versions of sending rows to their owner ranks, on hosts.
///
/// All versions deliver the same result: rows ordered by source rank, and in source order within a
/// rank.

#include <copse/backend/types.hpp>

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace copse::book {

/// Rows in four columns, in memory owned elsewhere.
struct Rows {
  Real* x = nullptr;
  Real* y = nullptr;
  Real* z = nullptr;
  GlobalId* id = nullptr;
};
inline constexpr std::size_t row_bytes = 3 * sizeof(Real) + sizeof(GlobalId);

/// How rows are sent; each version includes the improvements of the earlier ones.
enum class Sending {
  by_pass,    ///< 1: one pass over all rows per rank; one collective per column
  counted,    ///< 2: rows are counted for all ranks, then placed in one pass
  own_stays,  ///< 3: rows that stay are written to their final place; messages carry the others
  shared,     ///< 4: rows for ranks with shared memory are also written to their final place
};

/// Memory for arriving rows that the ranks of a node can write to. All functions except the queries
/// are collective.
class SharedRows {
 public:
  /// `node` contains ranks of `comm` that share memory.
  SharedRows(MPI_Comm comm, MPI_Comm node);
  ~SharedRows();
  SharedRows(const SharedRows&) = delete;
  SharedRows& operator=(const SharedRows&) = delete;

  /// Makes room for this many rows on this rank; when it returns, all ranks have called it.
  void reserve(int rows);
  /// Waits until the data written by the ranks of the node can be read.
  void synchronise() const;

  bool reaches(int rank) const { return node_rank_[rank] != MPI_UNDEFINED; }
  /// The memory of a reachable rank in this process, starting at row `first`.
  Rows room_of(int rank, int first = 0) const;

 private:
  void free_window();

  MPI_Comm comm_;
  MPI_Comm node_;
  std::vector<int> node_rank_;  ///< for each rank of `comm`
  int capacity_ = 0;            ///< rows, the same on all ranks
  MPI_Win window_ = MPI_WIN_NULL;
};

class RowExchange {
 public:
  /// Detects which ranks share memory.
  explicit RowExchange(MPI_Comm comm);
  /// Uses `node` as the ranks that share memory.
  RowExchange(MPI_Comm comm, MPI_Comm node);
  ~RowExchange();
  RowExchange(const RowExchange&) = delete;
  RowExchange& operator=(const RowExchange&) = delete;

  /// Sends row i to rank `destination[i]`. Collective; fewer than 2^31 rows from and to each rank.
  void send(Sending sending, const Rows& rows, std::span<const int> destination);

  /// The rows that the last `send` brought to this rank; the next one overwrites them. There must
  /// have been a `send`.
  Rows received() const { return arriving_.room_of(rank_); }
  int received_rows() const { return received_rows_; }

 private:
  MPI_Comm comm_;
  MPI_Comm node_;
  int rank_ = 0, ranks_ = 1;
  SharedRows arriving_;
  std::vector<std::byte> leaving_;  ///< kept between calls, because allocation is slow
  int received_rows_ = 0;
};

}  // namespace copse::book
