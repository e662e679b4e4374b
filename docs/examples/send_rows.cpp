#include "send_rows.hpp"

#include <copse/backend/error.hpp>
#include <copse/backend/mpi/mpi_call.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace copse::book {
namespace {

/// The columns of `capacity` rows in one block of memory, starting at row `first`.
Rows columns_in(std::byte* memory, std::size_t capacity, int first) {
  GlobalId* id = reinterpret_cast<GlobalId*>(memory);  // widest first, for alignment
  Real* x = reinterpret_cast<Real*>(id + capacity);
  return {x + first, x + capacity + first, x + 2 * capacity + first, id + first};
}

Rows rows_from(const Rows& rows, int first) {
  return {rows.x + first, rows.y + first, rows.z + first, rows.id + first};
}

// [begin shares]
/// The number of rows to or from each rank, and their first positions. MPI counts in `int`: a
/// larger total on any rank is an error on all.
struct Shares {
  std::vector<int> count, first;

  Shares(MPI_Comm comm, std::vector<int> rows) : count(std::move(rows)), first(count.size()) {
    Count most = std::reduce(count.begin(), count.end(), Count{0});
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &most, 1, mpi_datatype<Count>(), MPI_MAX, comm),
              "MPI_Allreduce");
    if (most > std::numeric_limits<int>::max())
      throw InputError("a rank cannot send or receive 2^31 rows or more");
    std::exclusive_scan(count.begin(), count.end(), first.begin(), 0);
  }
  int total() const { return first.back() + count.back(); }
};

/// Sends every rank its number.
std::vector<int> told(MPI_Comm comm, const std::vector<int>& numbers) {
  std::vector<int> by_others(numbers.size());
  check_mpi(MPI_Alltoall(numbers.data(), 1, MPI_INT, by_others.data(), 1, MPI_INT, comm),
            "MPI_Alltoall");
  return by_others;
}
// [end shares]

void copy_row(const Rows& from, std::size_t row, const Rows& to, int place) {
  to.x[place] = from.x[row];
  to.y[place] = from.y[row];
  to.z[place] = from.z[row];
  to.id[place] = from.id[row];
}

// [begin by_pass]
std::vector<int> group_by_passes(const Rows& rows, std::span<const int> destination, int ranks,
                                 const Rows& leaving) {
  std::vector<int> count(ranks);
  int place = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    for (std::size_t row = 0; row < destination.size(); ++row) {
      if (destination[row] != rank) continue;
      copy_row(rows, row, leaving, place++);
      ++count[rank];
    }
  }
  return count;
}
// [end by_pass]

// [begin counted]
std::vector<int> count_rows(std::span<const int> destination, int ranks) {
  std::vector<int> count(ranks);
  for (const int rank : destination) ++count[rank];
  return count;
}

/// Writes the rows for each rank consecutively, starting at the given first position.
void place_rows(const Rows& rows, std::span<const int> destination,
                const std::vector<Rows>& place) {
  std::vector<int> next(place.size());
  for (std::size_t row = 0; row < destination.size(); ++row) {
    const int rank = destination[row];
    copy_row(rows, row, place[rank], next[rank]++);
  }
}
// [end counted]

// [begin collectives]
template <class T>
void exchange_column(MPI_Comm comm, const T* leaving, const Shares& out, T* arriving,
                     const Shares& in) {
  const MPI_Datatype type = mpi_datatype<T>();
  check_mpi(MPI_Alltoallv(leaving, out.count.data(), out.first.data(), type, arriving,
                          in.count.data(), in.first.data(), type, comm),
            "MPI_Alltoallv");
}

void exchange_columns(MPI_Comm comm, const Rows& leaving, const Shares& out, const Rows& arriving,
                      const Shares& in) {
  exchange_column(comm, leaving.x, out, arriving.x, in);
  exchange_column(comm, leaving.y, out, arriving.y, in);
  exchange_column(comm, leaving.z, out, arriving.z, in);
  exchange_column(comm, leaving.id, out, arriving.id, in);
}
// [end collectives]

// [begin messages]
/// Messages in flight. Messages between one pair of ranks arrive in the order in which they are
/// sent, so one tag suffices for four columns.
class Messages {
 public:
  explicit Messages(MPI_Comm comm) : comm_(comm) {}

  void receive(const Rows& to, int rows, int rank) { each_column(MPI_Irecv, to, rows, rank); }
  void send(const Rows& from, int rows, int rank) { each_column(MPI_Isend, from, rows, rank); }
  void wait() {
    check_mpi(MPI_Waitall(static_cast<int>(started_.size()), started_.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
  }

 private:
  template <class Start>
  void each_column(Start start, const Rows& column, int rows, int rank) {
    if (rows == 0) return;
    const auto begin = [&](auto* data, MPI_Datatype type) {
      check_mpi(start(data, rows, type, rank, 0, comm_, &started_.emplace_back(MPI_REQUEST_NULL)),
                "a message of rows");
    };
    for (Real* data : {column.x, column.y, column.z}) begin(data, mpi_datatype<Real>());
    begin(column.id, mpi_datatype<GlobalId>());
  }

  MPI_Comm comm_;
  std::vector<MPI_Request> started_;
};
// [end messages]

MPI_Comm ranks_of_this_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
  return node;
}

MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(comm, &made), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

}  // namespace

SharedRows::SharedRows(MPI_Comm comm, MPI_Comm node) : comm_(comm), node_(node) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  std::vector<int> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  node_rank_.resize(ranks);
  MPI_Group everybody, neighbours;
  MPI_Comm_group(comm, &everybody);
  MPI_Comm_group(node, &neighbours);
  check_mpi(MPI_Group_translate_ranks(everybody, ranks, all.data(), neighbours, node_rank_.data()),
            "MPI_Group_translate_ranks");
  MPI_Group_free(&everybody);
  MPI_Group_free(&neighbours);
}

SharedRows::~SharedRows() {
  free_window();
}

void SharedRows::free_window() {
  if (window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

// [begin reserve]
void SharedRows::reserve(int rows) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_INT, MPI_MAX, comm_), "MPI_Allreduce");
  if (window_ != MPI_WIN_NULL && rows <= capacity_) return;
  free_window();
  capacity_ = rows;
  // Whole cache lines, after which the memory of the next rank begins.
  const std::size_t lines = (static_cast<std::size_t>(capacity_) * row_bytes + 63) / 64;
  const auto bytes = static_cast<MPI_Aint>(std::max<std::size_t>(lines, 1) * 64);
  void* mine = nullptr;
  check_mpi(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node_, &mine, &window_),
            "MPI_Win_allocate_shared");
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
}

Rows SharedRows::room_of(int rank, int first) const {
  MPI_Aint bytes = 0;
  int unit = 0;
  void* memory = nullptr;
  check_mpi(MPI_Win_shared_query(window_, node_rank_[rank], &bytes, &unit, &memory),
            "MPI_Win_shared_query");
  return columns_in(static_cast<std::byte*>(memory), static_cast<std::size_t>(capacity_), first);
}

void SharedRows::synchronise() const {
  MPI_Win_sync(window_);
  check_mpi(MPI_Barrier(node_), "MPI_Barrier");
  MPI_Win_sync(window_);
}
// [end reserve]

RowExchange::RowExchange(MPI_Comm comm) : RowExchange(comm, MPI_COMM_NULL) {}

RowExchange::RowExchange(MPI_Comm comm, MPI_Comm node)
    : comm_(duplicate(comm)),
      node_(node == MPI_COMM_NULL ? ranks_of_this_node(comm) : duplicate(node)),
      arriving_(comm_, node_) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
}

RowExchange::~RowExchange() {
  // SharedRows only queries the communicators, and its window keeps what it needs.
  MPI_Comm_free(&node_);
  MPI_Comm_free(&comm_);
}

void RowExchange::send(Sending sending, const Rows& rows, std::span<const int> destination) {
  leaving_.resize(destination.size() * row_bytes);
  const Rows leaving = columns_in(leaving_.data(), destination.size(), 0);
  const Shares out(comm_, sending == Sending::by_pass
                              ? group_by_passes(rows, destination, ranks_, leaving)
                              : count_rows(destination, ranks_));
  const Shares in(comm_, told(comm_, out.count));
  received_rows_ = in.total();
  arriving_.reserve(received_rows_);
  if (sending == Sending::by_pass || sending == Sending::counted) {
    if (sending == Sending::counted) {
      std::vector<Rows> place;
      for (const int first : out.first) place.push_back(rows_from(leaving, first));
      place_rows(rows, destination, place);
    }
    exchange_columns(comm_, leaving, out, received(), in);
    return;
  }
  // [begin own_stays]
  const auto is_direct = [&](int rank) {
    return rank == rank_ || (sending == Sending::shared && arriving_.reaches(rank));
  };
  const std::vector<int> there = told(comm_, in.first);  // first positions of this rank's rows
  Messages messages(comm_);
  std::vector<Rows> place;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (is_direct(rank)) {
      place.push_back(arriving_.room_of(rank, there[rank]));
    } else {
      place.push_back(rows_from(leaving, out.first[rank]));
      messages.receive(arriving_.room_of(rank_, in.first[rank]), in.count[rank], rank);
    }
  }
  place_rows(rows, destination, place);
  for (int rank = 0; rank < ranks_; ++rank)
    if (!is_direct(rank)) messages.send(place[rank], out.count[rank], rank);
  messages.wait();
  if (sending == Sending::shared) arriving_.synchronise();
  // [end own_stays]
}

}  // namespace copse::book
