// Run with 1, 2, 3 and 4 ranks. Oracles: closed formulas in rank, number of ranks and element
// index; the lengths of messages are read off MPI's profiling interface.
#include <copse/backend/backends.hpp>
#include <copse/backend/mpi/communicator.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>

using namespace copse;

namespace {

std::size_t longest_message = 0;

void note(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  longest_message = std::max(longest_message, static_cast<std::size_t>(count) * size);
}

}  // namespace

extern "C" {
int MPI_Allreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  note(n, type);
  return PMPI_Allreduce(in, out, n, type, op, comm);
}
int MPI_Exscan(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  note(n, type);
  return PMPI_Exscan(in, out, n, type, op, comm);
}
int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  note(n, type);
  return PMPI_Isend(data, n, type, to, tag, comm, request);
}
}

namespace {

constexpr std::size_t message_limits[] = {1, 7, 64, default_max_message_bytes};

/// A View of n elements f(i) in the memory of `Space`.
template <class Space, class T, class F>
Kokkos::View<T*, typename Space::memory_space> filled(Count n, F f) {
  Kokkos::View<T*, typename Space::memory_space> view("copse::tests::filled", n);
  const auto host = Kokkos::create_mirror_view(view);
  for (Count i = 0; i < n; ++i) host(i) = static_cast<T>(f(i));
  Kokkos::deep_copy(view, host);
  return view;
}

template <class V>
auto values_of(const V& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<typename V::non_const_value_type>(host.data(), host.data() + host.size());
}

template <class T, class F>
std::vector<T> expected(Count n, F f) {
  std::vector<T> values(n);
  for (Count i = 0; i < n; ++i) values[i] = static_cast<T>(f(i));
  return values;
}

template <class Space, class T>
void check_reductions(const Communicator& comm) {
  const Count ranks = comm.size();
  const Count me = comm.rank();
  const Count n = 37;
  const auto mine = [&](Count i) { return (me + 1) * (i + 1); };
  auto view = filled<Space, T>(n, mine);
  comm.allreduce(view, Reduction::sum);
  CHECK(values_of(view) ==
        expected<T>(n, [&](Count i) { return (i + 1) * ranks * (ranks + 1) / 2; }));
  view = filled<Space, T>(n, mine);
  comm.allreduce(view, Reduction::min);
  CHECK(values_of(view) == expected<T>(n, [&](Count i) { return i + 1; }));
  view = filled<Space, T>(n, mine);
  comm.allreduce(view, Reduction::max);
  CHECK(values_of(view) == expected<T>(n, [&](Count i) { return ranks * (i + 1); }));
  view = filled<Space, T>(n, mine);
  comm.exclusive_scan(view);
  CHECK(values_of(view) == expected<T>(n, [&](Count i) { return (i + 1) * me * (me + 1) / 2; }));
}

/// Row count of rank r in gathers: one rank in three has nothing.
Count rows_of(Count r) {
  return (2 * r + 1) % 3 * 5;
}

template <class T>
std::vector<T> all_rows(Count ranks) {
  std::vector<T> rows;
  for (Count r = 0; r < ranks; ++r)
    for (Count i = 0; i < rows_of(r); ++i) rows.push_back(static_cast<T>(100 * r + i));
  return rows;
}

/// Elements that rank `from` sends to rank `to`, and the k-th of them on one axis.
Count piece(Count from, Count to) {
  return (from + 2 * to) % 3 * 4;
}
double element(Count from, Count to, Count k, Count axis) {
  return static_cast<double>(axis * 100000 + from * 10000 + to * 1000 + k);
}

}  // namespace

TEST_CASE("reductions and scans of Views follow the formula on every backend and message length") {
  for (const std::size_t limit : message_limits) {
    const Communicator comm(MPI_COMM_WORLD, limit);
    for_each_backend([&]<class Space>(Space) {
      check_reductions<Space, Count>(comm);
      check_reductions<Space, std::int32_t>(comm);
      check_reductions<Space, float>(comm);
      check_reductions<Space, double>(comm);
    });
  }
}

TEST_CASE("LayoutLeft Views of three columns are reduced column by column") {
  const Communicator comm(MPI_COMM_WORLD, 16);
  const double ranks = comm.size();
  for_each_backend([&]<class Space>(Space) {
    const Kokkos::View<double* [3], Kokkos::LayoutLeft, typename Space::memory_space> view(
        "copse::tests::columns", 11);
    const auto host = Kokkos::create_mirror_view(view);
    const auto fill = [&](double factor) {
      for (int i = 0; i < 11; ++i)
        for (int axis = 0; axis < 3; ++axis) host(i, axis) = factor * (100 * axis + i);
      Kokkos::deep_copy(view, host);
    };
    const auto differences_from = [&](double factor) {
      Kokkos::deep_copy(host, view);
      int differences = 0;
      for (int i = 0; i < 11; ++i)
        for (int axis = 0; axis < 3; ++axis)
          differences += host(i, axis) != factor * (100 * axis + i);
      return differences;
    };
    fill(1.0);
    comm.allreduce(view, Reduction::sum);
    CHECK(differences_from(ranks) == 0);
    fill(1.0);
    comm.exclusive_scan(view);
    CHECK(differences_from(comm.rank()) == 0);
  });
}

TEST_CASE("scalars are reduced, scanned and gathered") {
  const Communicator comm;
  const Count ranks = comm.size();
  const Count me = comm.rank();
  const Count large = Count{1} << 40;
  CHECK(comm.allreduce(large + me, Reduction::sum) == ranks * large + ranks * (ranks - 1) / 2);
  CHECK(comm.allreduce(-1.5 * comm.rank(), Reduction::min) == -1.5 * (comm.size() - 1));
  CHECK(comm.allreduce(Real(me), Reduction::max) == Real(ranks - 1));
  CHECK(comm.exclusive_scan(large) == me * large);
  CHECK(comm.allgather(me * me) == expected<Count>(ranks, [](Count r) { return r * r; }));
  for (int root = 0; root < comm.size(); ++root) {
    const auto gathered = comm.gather(me + 5, root);
    if (comm.rank() == root)
      CHECK(gathered == expected<Count>(ranks, [](Count r) { return r + 5; }));
    else
      CHECK(gathered.empty());
  }
}

TEST_CASE("spans of any trivially copyable type are gathered") {
  struct Cell {
    float width;
    std::uint8_t kind;
  };
  const Communicator comm(MPI_COMM_WORLD, 3);
  const float me = static_cast<float>(comm.rank());
  std::vector<Cell> cells(4, Cell{me, static_cast<std::uint8_t>(comm.rank())});
  const auto all = comm.allgatherv(std::span(cells));
  CHECK(all.size() == 4u * comm.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].width == static_cast<float>(i / 4));
    CHECK(all[i].kind == i / 4);
  }
}

TEST_CASE("gathers of different lengths, some zero, come in rank order") {
  for (const std::size_t limit : message_limits) {
    const Communicator comm(MPI_COMM_WORLD, limit);
    const Count me = comm.rank();
    const auto mine = [&](Count i) { return 100 * me + i; };
    const auto everything = all_rows<GlobalId>(comm.size());
    for_each_backend([&]<class Space>(Space) {
      const auto view = filled<Space, GlobalId>(rows_of(me), mine);
      CHECK(values_of(comm.allgatherv(view)) == everything);
      for (int root = 0; root < comm.size(); ++root) {
        const auto gathered = values_of(comm.gatherv(view, root));
        CHECK(gathered == (comm.rank() == root ? everything : std::vector<GlobalId>{}));
      }
    });
    const auto row = expected<GlobalId>(rows_of(me), mine);
    CHECK(comm.allgatherv(std::span(row)) == everything);
  }
}

namespace {

/// Every piece and its place, of Views of three columns on every backend.
void check_exchange(const Communicator& comm) {
  const Count ranks = comm.size();
  const Count me = comm.rank();
  const auto plan =
      comm.plan_exchange(expected<Count>(ranks, [&](Count to) { return piece(me, to); }));
  CHECK(plan.receive.counts == expected<Count>(ranks, [&](Count from) { return piece(from, me); }));
  for_each_backend([&]<class Space>(Space) {
    using Columns = Kokkos::View<double* [3], Kokkos::LayoutLeft, typename Space::memory_space>;
    const Columns send("copse::tests::send", plan.send.total());
    const Columns receive("copse::tests::receive", plan.receive.total());
    const auto host_send = Kokkos::create_mirror_view(send);
    for (Count axis = 0; axis < 3; ++axis)
      for (Count to = 0, row = 0; to < ranks; ++to)
        for (Count k = 0; k < piece(me, to); ++k) host_send(row++, axis) = element(me, to, k, axis);
    Kokkos::deep_copy(send, host_send);

    comm.alltoallv(plan, send, receive);

    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), receive);
    int wrong = 0;
    for (Count axis = 0; axis < 3; ++axis)
      for (Count from = 0, row = 0; from < ranks; ++from)
        for (Count k = 0; k < piece(from, me); ++k)
          wrong += host(row++, axis) != element(from, me, k, axis);
    CHECK(wrong == 0);
  });
}

}  // namespace

TEST_CASE("an all-to-all exchange brings every piece, in rank order, on every backend") {
  for (const std::size_t limit : message_limits)
    check_exchange(Communicator(MPI_COMM_WORLD, limit));
}

TEST_CASE("an exchange between devices brings what one through the host brings") {
  for (const char* choice : {"peers", "off"}) {
    const auto decision = decide_gpu_aware_mpi(choice, library_takes_device_memory());
    const Communicator comm(MPI_COMM_WORLD, default_max_message_bytes, decision, 0);
    INFO(comm.gpu_aware_reason());
    CHECK((std::string(choice) == "peers" || !comm.copies_peers()));
    // Twice, with other arrays: mappings are kept, and removed with their arrays.
    check_exchange(comm);
    check_exchange(comm);
    check_exchange(comm.split(comm.rank() % 2, 0));
    const auto all = comm.allgatherv(std::span<const int>(std::vector<int>(2, comm.rank())));
    CHECK(all.size() == 2u * static_cast<std::size_t>(comm.size()));
  }
}

TEST_CASE("ranks of a node with devices copy between them") {
  const Communicator comm(MPI_COMM_WORLD, default_max_message_bytes,
                          decide_gpu_aware_mpi("peers", false), 0);
  if (!device_peer_memory() || comm.size() == 1) SKIP("one rank, or no device");
  INFO(comm.gpu_aware_reason());
  CHECK(comm.copies_peers());
}

TEST_CASE("no message is longer than the limit, and an unlimited one is not cut") {
  std::vector<double> values(50, 1.0);
  for (const std::size_t limit : {std::size_t{16}, std::size_t{100}, default_max_message_bytes}) {
    const Communicator comm(MPI_COMM_WORLD, limit);
    const std::size_t longest = std::min(limit, values.size() * sizeof(double));
    const std::size_t whole_elements = longest / sizeof(double) * sizeof(double);
    longest_message = 0;
    comm.allreduce(std::span(values), Reduction::min);
    CHECK(longest_message == whole_elements);
    longest_message = 0;
    comm.exclusive_scan(std::span(values));
    CHECK(longest_message == whole_elements);
    longest_message = 0;
    comm.allgatherv(std::span(values));
    CHECK(longest_message == (comm.size() == 1 ? 0 : longest));
  }
}

TEST_CASE("a split orders the ranks of a colour by key") {
  const Communicator comm;
  const int colour = comm.rank() % 2;
  const Communicator part = comm.split(colour, -comm.rank());
  const int members = (comm.size() + 1 - colour) / 2;
  CHECK(part.size() == members);
  CHECK(part.rank() == members - 1 - comm.rank() / 2);
  CHECK(part.allreduce(1, Reduction::sum) == members);
  CHECK_THROWS_AS(comm.split(-1, 0), std::invalid_argument);
}

TEST_CASE("a Communicator can be moved and its barrier passed") {
  Communicator first;
  const Communicator second(std::move(first));
  second.barrier();
  CHECK(second.allreduce(1, Reduction::sum) == second.size());
  CHECK(first.handle() == MPI_COMM_NULL);
}

TEST_CASE("a Communicator says whether messages start in device memory, and why") {
  const Communicator comm;
  CHECK(comm.gpu_aware() == gpu_aware_mpi().enabled);
  CHECK(comm.gpu_aware_reason().starts_with(gpu_aware_mpi().reason));
  const bool to_be_tried = gpu_aware_mpi().peers && comm.size() > 1 && device_peer_memory();
  CHECK((comm.gpu_aware_reason() != gpu_aware_mpi().reason) == to_be_tried);
  CHECK(std::string(comm.device_path()) == (comm.gpu_aware()      ? "mpi"
                                            : comm.copies_peers() ? "peers"
                                                                  : "host"));
}

TEST_CASE("an error of MPI is an exception, a wrong shape another") {
  const Communicator comm;
  int value = 1;
  const int no_rank = comm.size();
  CHECK_THROWS_AS(check_mpi(MPI_Bcast(&value, 1, MPI_INT, no_rank, comm.handle()), "MPI_Bcast"),
                  MpiError);
  CHECK_THROWS_AS(comm.plan_exchange(std::vector<Count>(comm.size() + 1, 0)),
                  std::invalid_argument);

  const Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> matrix("copse::tests::m", 3, 2);
  CHECK_THROWS_AS(comm.allreduce(Kokkos::subview(matrix, Kokkos::ALL, 1), Reduction::sum),
                  std::invalid_argument);

  const auto plan = comm.plan_exchange(std::vector<Count>(comm.size(), 1));
  const Kokkos::View<int*, Kokkos::HostSpace> fits("copse::tests::fits", comm.size());
  const Kokkos::View<int*, Kokkos::HostSpace> longer("copse::tests::longer", comm.size() + 1);
  CHECK_THROWS_AS(comm.alltoallv(plan, longer, fits), std::invalid_argument);
  CHECK_THROWS_AS(comm.alltoallv(plan, fits, longer), std::invalid_argument);
}
