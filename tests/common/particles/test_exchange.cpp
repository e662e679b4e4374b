// Run with 1, 2, 3 and 4 ranks. Oracle: every column of a particle is a formula of its id, and
// where each id belongs, in which order, is known on every rank without any message.
#include <copse/backend/backends.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/particles/exchange.hpp>

#include <catch2/catch_test_macros.hpp>

#include <functional>

using namespace copse;

namespace {

constexpr ColumnSet every_column{true, true, true, true, true, true};

/// Rows of each source rank, and the destination of row i of rank `source`.
struct Scenario {
  const char* name;
  std::function<Count(int source)> rows;
  std::function<int(int source, Count i, int ranks)> destination;
};

GlobalId id_of(int source, Count i) {
  return (static_cast<GlobalId>(source + 1) << 34) + i;
}
Real column_value(GlobalId id, int column) {
  return static_cast<Real>(split_mix(id * 16 + column) % (1 << 20)) / Real(1 << 20);
}

const Scenario scenarios[] = {
    {"random destinations", [](int s) { return Count(300 + 150 * s); },
     [](int s, Count i, int p) { return static_cast<int>(split_mix(id_of(s, i)) % p); }},
    {"round robin", [](int s) { return Count(290 - 7 * s); },
     [](int, Count i, int p) { return static_cast<int>(i % p); }},
    {"all to the last rank", [](int s) { return Count(100 * (s + 1)); },
     [](int, Count, int p) { return p - 1; }},
    {"everybody keeps its own", [](int) { return Count(321); },
     [](int s, Count, int) { return s; }},
    {"everything moves one rank on", [](int) { return Count(321); },
     [](int s, Count, int p) { return (s + 1) % p; }},
    {"only rank 0 holds particles", [](int s) { return Count(s == 0 ? 600 : 0); },
     [](int, Count i, int p) { return static_cast<int>(i / 7 % p); }},
    {"only the odd ranks hold particles and the even get them",
     [](int s) { return Count(s % 2 == 1 ? 400 : 0); },
     [](int, Count i, int p) { return static_cast<int>(i % p / 2 * 2); }},
    {"no particles anywhere", [](int) { return Count(0); }, [](int, Count, int) { return 0; }},
};

Particles<Kokkos::HostSpace> table_of(const std::vector<GlobalId>& ids, ColumnSet columns) {
  auto p = allocate_particles<Kokkos::HostSpace>(ids.size(), columns);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      p.position(i, axis) = column_value(ids[i], axis);
      if (columns.velocity) p.velocity(i, axis) = column_value(ids[i], 3 + axis);
    }
    if (columns.mass) p.mass(i) = column_value(ids[i], 6);
    if (columns.id) p.id(i) = ids[i];
    if (columns.weight) p.weight(i) = column_value(ids[i], 7);
    if (columns.species) p.species(i) = static_cast<Species>(ids[i] % 4);
    if (columns.softening) p.softening(i) = column_value(ids[i], 8);
  }
  return p;
}

template <class V>
Count differences(const V& a, const V& b) {
  if (a.size() != b.size()) return std::max(a.size(), b.size());
  Count different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += a.data()[i] != b.data()[i];
  return different;
}

bool same_table(const Particles<Kokkos::HostSpace>& a, const Particles<Kokkos::HostSpace>& b) {
  return differences(a.position, b.position) + differences(a.velocity, b.velocity) +
             differences(a.mass, b.mass) + differences(a.id, b.id) +
             differences(a.weight, b.weight) + differences(a.species, b.species) +
             differences(a.softening, b.softening) ==
         0;
}

template <class MemorySpace>
Kokkos::View<int*, MemorySpace> destinations(const std::vector<int>& values) {
  const Kokkos::View<int*, MemorySpace> view("copse::tests::destination", values.size());
  const auto host = Kokkos::create_mirror_view(view);
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(view, host);
  return view;
}

/// The table of `rows` particles of this rank, on a backend, in a recognisable box.
template <class MemorySpace>
Particles<MemorySpace> own_table(const Communicator& comm, Count rows, ColumnSet columns) {
  std::vector<GlobalId> ids(rows);
  for (Count i = 0; i < rows; ++i) ids[i] = id_of(comm.rank(), i);
  auto table = copy_particles<MemorySpace>(table_of(ids, columns));
  table.box.upper[1] = Real(3);
  return table;
}

template <class Space>
void check_scenario(const Space& space, const Communicator& comm, const Scenario& scenario,
                    ColumnSet columns) {
  using MemorySpace = typename Space::memory_space;
  const int me = comm.rank();
  const int ranks = comm.size();
  const Count rows = scenario.rows(me);
  std::vector<int> to(rows);
  for (Count i = 0; i < rows; ++i) to[i] = scenario.destination(me, i, ranks);
  std::vector<GlobalId> bound_here;
  for (int source = 0; source < ranks; ++source)
    for (Count i = 0; i < scenario.rows(source); ++i)
      if (scenario.destination(source, i, ranks) == me) bound_here.push_back(id_of(source, i));

  const auto sent = own_table<MemorySpace>(comm, rows, columns);
  const auto received = exchange_particles(space, comm, sent, destinations<MemorySpace>(to));

  CHECK(received.size() == bound_here.size());
  CHECK(received.box.upper[1] == Real(3));
  CHECK(same_table(copy_particles<Kokkos::HostSpace>(received), table_of(bound_here, columns)));
}

}  // namespace

TEST_CASE("every particle arrives whole, ordered by source rank and source order") {
  const Communicator whole;
  const Communicator cut(MPI_COMM_WORLD, 61);
  for (const Scenario& scenario : scenarios) {
    INFO(scenario.name);
    for_each_backend([&]<class Space>(Space space) {
      check_scenario(space, whole, scenario, every_column);
      check_scenario(space, cut, scenario, every_column);
    });
  }
}

TEST_CASE("absent columns stay absent") {
  const Communicator comm;
  for (const ColumnSet columns : {ColumnSet{}, ColumnSet{.id = true}, ColumnSet{.velocity = true},
                                  ColumnSet{.weight = true, .species = true}})
    for (const Scenario& scenario : {scenarios[0], scenarios[5]})
      for_each_backend(
          [&]<class Space>(Space space) { check_scenario(space, comm, scenario, columns); });
}

TEST_CASE("ids and their sum over all ranks survive many exchanges on any number of ranks") {
  const Communicator comm;
  for_each_backend([&]<class Space>(Space space) {
    using MemorySpace = typename Space::memory_space;
    auto table = own_table<MemorySpace>(comm, 300, every_column);
    for (int round = 0; round < 5; ++round) {
      const auto ids = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), table.id);
      std::vector<int> to(table.size());
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = static_cast<int>(split_mix(ids(i) + round) % comm.size());
      table = exchange_particles(space, comm, table, destinations<MemorySpace>(to));
    }
    const auto mine = copy_particles<Kokkos::HostSpace>(table);
    GlobalId sum = 0;
    for (Count i = 0; i < mine.size(); ++i) sum += mine.id(i);
    GlobalId expected_sum = 0;
    std::vector<GlobalId> expected_ids;
    for (int source = 0; source < comm.size(); ++source)
      for (Count i = 0; i < 300; ++i) {
        expected_ids.push_back(id_of(source, i));
        expected_sum += expected_ids.back();
      }
    CHECK(comm.allreduce(sum, Reduction::sum) == expected_sum);
    auto all_ids = comm.allgatherv(std::span<const GlobalId>(mine.id.data(), mine.size()));
    std::sort(all_ids.begin(), all_ids.end());
    CHECK(all_ids == expected_ids);
    const std::vector<GlobalId> held(mine.id.data(), mine.id.data() + mine.size());
    CHECK(same_table(mine, table_of(held, every_column)));
  });
}

TEST_CASE("a bad destination on one rank is an exception on all") {
  const Communicator comm;
  for_each_backend([&]<class Space>(Space space) {
    using MemorySpace = typename Space::memory_space;
    const auto table = own_table<MemorySpace>(comm, 10, every_column);
    for (const int bad : {-1, comm.size()}) {
      std::vector<int> to(10, 0);
      if (comm.rank() == comm.size() - 1) to[4] = bad;
      CHECK_THROWS_AS(exchange_particles(space, comm, table, destinations<MemorySpace>(to)),
                      std::invalid_argument);
    }
    const std::vector<int> wrong_length(comm.rank() == 0 ? 9 : 10, 0);
    CHECK_THROWS_AS(exchange_particles(space, comm, table, destinations<MemorySpace>(wrong_length)),
                    std::invalid_argument);
  });
}

TEST_CASE("a column that only some ranks have is an exception on all") {
  const Communicator comm;
  if (comm.size() == 1) SKIP("needs two ranks");
  const Kokkos::DefaultHostExecutionSpace space;
  const auto table = own_table<Kokkos::HostSpace>(comm, 10, ColumnSet{.mass = comm.rank() == 0});
  CHECK_THROWS_AS(exchange_particles(space, comm, table,
                                     destinations<Kokkos::HostSpace>(std::vector<int>(10, 0))),
                  std::invalid_argument);
}
