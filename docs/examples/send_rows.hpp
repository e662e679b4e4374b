#pragma once
/// \file
/// Four versions of sending rows to the ranks that are to own them, on hosts.
///
/// Every version delivers the same: rows ordered by the rank that they come from, and within it as
/// they were there.

#include <copse/backend/types.hpp>

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace copse::book {

/// Rows in four columns, in memory that somebody else keeps.
struct Rows {
  Real* x = nullptr;
  Real* y = nullptr;
  Real* z = nullptr;
  GlobalId* id = nullptr;
};
inline constexpr std::size_t row_bytes = 3 * sizeof(Real) + sizeof(GlobalId);

/// What is done for a row on its way; what a version has, later ones have too.
enum class Sending {
  by_pass,    ///< 1: a pass over all rows for each rank; a collective for each column
  counted,    ///< 2: all ranks' rows are counted, then placed in one pass
  own_stays,  ///< 3: rows that stay are written to their last place, messages bring the others
  shared,     ///< 4: so are rows for ranks whose memory this one can reach
};

/// Memory for arriving rows, which the ranks of a node can write to. Collective over the ranks, but
/// for the queries.
class SharedRows {
 public:
  /// `node` has some of the ranks of `comm`, whose memory is one.
  SharedRows(MPI_Comm comm, MPI_Comm node);
  ~SharedRows();
  SharedRows(const SharedRows&) = delete;
  SharedRows& operator=(const SharedRows&) = delete;

  /// Makes room for so many rows of this rank; when it returns, all ranks have called.
  void reserve(int rows);
  /// Waits until what the ranks of the node wrote can be read.
  void synchronise() const;

  bool reaches(int rank) const { return node_rank_[rank] != MPI_UNDEFINED; }
  /// Where this process finds the room of a rank that it reaches, from row `first` on.
  Rows room_of(int rank, int first = 0) const;

 private:
  void free_window();

  MPI_Comm comm_;
  MPI_Comm node_;
  std::vector<int> node_rank_;  ///< of each rank of `comm`
  int capacity_ = 0;            ///< rows, the same on all ranks
  MPI_Win window_ = MPI_WIN_NULL;
};

class RowExchange {
 public:
  /// Finds out by itself which ranks share memory.
  explicit RowExchange(MPI_Comm comm);
  /// Is told so.
  RowExchange(MPI_Comm comm, MPI_Comm node);
  ~RowExchange();
  RowExchange(const RowExchange&) = delete;
  RowExchange& operator=(const RowExchange&) = delete;

  /// Sends row i to rank `destination[i]`. Collective; fewer than 2^31 rows from and to each rank.
  void send(Sending sending, const Rows& rows, std::span<const int> destination);

  /// What the last `send` brought to this rank; the next one writes over it. There must have been
  /// one.
  Rows received() const { return arriving_.room_of(rank_); }
  int received_rows() const { return received_rows_; }

 private:
  MPI_Comm comm_;
  MPI_Comm node_;
  int rank_ = 0, ranks_ = 1;
  SharedRows arriving_;
  std::vector<std::byte> leaving_;  ///< kept from call to call, for memory is slow to get
  int received_rows_ = 0;
};

}  // namespace copse::book
