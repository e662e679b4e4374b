// Run with 1 to 5 ranks. Oracle: closed formulas in source, destination, element and repeat; the
// number of messages is read off MPI's profiling interface.
#include <copse/backend/backends.hpp>
#include <copse/backend/mpi/neighbour_exchange.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace copse;

namespace {

int sends_started = 0;

}  // namespace

extern "C" {
int MPI_Send_init(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  ++sends_started;
  return PMPI_Send_init(data, n, type, to, tag, comm, request);
}
}

namespace {

/// Twelve bytes, as a ghost's position has.
struct Record {
  std::int32_t from, to, number;
  bool operator==(const Record&) const = default;
};

Record record(int from, int to, Count i, int repeat) {
  return {from, to, static_cast<std::int32_t>(i) + 1000 * repeat};
}

/// Elements from one rank to another: to itself, to the next and to the one before, 0 to others.
Count elements(int from, int to, int ranks) {
  const int step = (to + ranks - from) % ranks;
  if (step == 0) return 3;
  if (step == 1) return static_cast<Count>(from) + 1;
  return step == ranks - 1 ? 40 : 0;
}

ExchangePlan ring_plan(const Communicator& comm) {
  std::vector<Count> counts;
  for (int to = 0; to < comm.size(); ++to) counts.push_back(elements(comm.rank(), to, comm.size()));
  return comm.plan_exchange(counts);
}

template <class Exchange>
void fill(const Exchange& exchange, const Communicator& comm, int repeat) {
  const auto host = Kokkos::create_mirror_view(exchange.send());
  Count k = 0;
  for (int to = 0; to < comm.size(); ++to)
    for (Count i = 0; i < elements(comm.rank(), to, comm.size()); ++i)
      host(k++) = record(comm.rank(), to, i, repeat);
  Kokkos::deep_copy(exchange.send(), host);
}

template <class Exchange>
void check(const Exchange& exchange, const Communicator& comm, int repeat) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), exchange.receive());
  std::vector<Record> expected;
  for (int from = 0; from < comm.size(); ++from)
    for (Count i = 0; i < elements(from, comm.rank(), comm.size()); ++i)
      expected.push_back(record(from, comm.rank(), i, repeat));
  CHECK(std::vector<Record>(host.data(), host.data() + host.extent(0)) == expected);
}

template <class Space>
void check_repeats(const Communicator& comm) {
  NeighbourExchange<Record, typename Space::memory_space> exchange(comm, ring_plan(comm));
  for (int repeat = 0; repeat < 3; ++repeat) {
    fill(exchange, comm, repeat);
    exchange.start();
    exchange.finish();
    check(exchange, comm, repeat);
  }
}

}  // namespace

TEST_CASE("Elements arrive by source, at every repeat, on every path of device memory") {
  const auto on_each_backend = [](const Communicator& comm) {
#define COPSE_CHECK(Space) check_repeats<Space>(comm);
    COPSE_FOR_EACH_BACKEND(COPSE_CHECK)
#undef COPSE_CHECK
  };
  for (const char* path : {"off", "peers"})
    on_each_backend(
        Communicator(MPI_COMM_WORLD, default_max_message_bytes, decide_gpu_aware_mpi(path, false)));
  on_each_backend(Communicator());
}

TEST_CASE("Every neighbour receives one message, and no other rank receives any") {
  const Communicator comm;
  sends_started = 0;
  const NeighbourExchange<Record, Kokkos::HostSpace> exchange(comm, ring_plan(comm));
  const int neighbours = comm.size() < 3 ? comm.size() : 3;
  CHECK(sends_started == neighbours);
  CHECK(exchange.messages() == Count{2} * static_cast<Count>(neighbours));
}

TEST_CASE("Messages longer than the limit are cut") {
  for (const std::size_t limit : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
    const Communicator comm(MPI_COMM_WORLD, limit);
    check_repeats<Kokkos::DefaultHostExecutionSpace>(comm);
  }
}

TEST_CASE("Two exchanges in flight and an all-to-all exchange do not mix") {
  const Communicator comm;
  const ExchangePlan plan = ring_plan(comm);
  NeighbourExchange<Record, Kokkos::HostSpace> first(comm, plan), second(comm, plan);
  fill(first, comm, 1);
  fill(second, comm, 2);
  first.start();
  second.start();
  using Elements = decltype(first)::Elements;
  const Elements received("copse::tests::received", plan.receive.total());
  comm.alltoallv(plan, second.send(), received);
  second.finish();
  first.finish();
  check(first, comm, 1);
  check(second, comm, 2);
}

TEST_CASE("Ranks without elements to send or receive take part in no message") {
  const Communicator comm;
  NeighbourExchange<Record, Kokkos::HostSpace> exchange(
      comm, comm.plan_exchange(std::vector<Count>(static_cast<std::size_t>(comm.size()), 0)));
  CHECK(exchange.messages() == 0);
  exchange.start();
  exchange.finish();
}

TEST_CASE("An exchange may end while its messages are in flight") {
  const Communicator comm;
  NeighbourExchange<Record, Kokkos::HostSpace> exchange(comm, ring_plan(comm));
  fill(exchange, comm, 0);
  exchange.start();
}
