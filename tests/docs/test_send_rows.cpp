// Run with 1, 2 and 3 ranks. Oracle: what a row holds is a formula of its id, and which ids belong
// to a rank, in which order, is known on every rank without any message.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <functional>
#include <send_rows.hpp>
#include <vector>

namespace copse::book {
namespace {

constexpr Sending versions[] = {Sending::by_pass, Sending::counted, Sending::own_stays,
                                Sending::shared};

/// Rows of each rank, and where row i of one is to go.
struct Scenario {
  const char* name;
  std::function<int(int source)> rows;
  std::function<int(int source, int i, int ranks)> destination;
};

const Scenario scenarios[] = {
    {"mixed destinations", [](int s) { return 1001 + 150 * s; },
     [](int s, int i, int p) { return (i * i / 7 + s) % p; }},
    {"no row for the last rank, unless it is alone", [](int s) { return 300 - 7 * s; },
     [](int, int i, int p) { return p == 1 ? 0 : i % (p - 1); }},
    {"all to the last rank", [](int s) { return 100 * (s + 1); },
     [](int, int, int p) { return p - 1; }},
    {"everybody keeps its own", [](int) { return 321; }, [](int s, int, int) { return s; }},
    {"everything moves one rank on", [](int) { return 321; },
     [](int s, int, int p) { return (s + 1) % p; }},
    {"only rank 0 has rows", [](int s) { return s == 0 ? 6000 : 0; },
     [](int, int i, int p) { return i / 7 % p; }},
    {"no rows anywhere", [](int) { return 0; }, [](int, int, int) { return 0; }},
};

GlobalId id_of(int source, int i) {
  return (static_cast<GlobalId>(source + 1) << 34) + static_cast<GlobalId>(i);
}
Real column_value(GlobalId id, int column) {
  return static_cast<Real>(id % 1009) + static_cast<Real>(column) / 4;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

void check(RowExchange& exchange, const Scenario& scenario) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int me = rank_in(MPI_COMM_WORLD);
  const int n = scenario.rows(me);
  std::vector<Real> x, y, z;
  std::vector<GlobalId> id;
  std::vector<int> destination;
  for (int i = 0; i < n; ++i) {
    id.push_back(id_of(me, i));
    x.push_back(column_value(id[i], 0));
    y.push_back(column_value(id[i], 1));
    z.push_back(column_value(id[i], 2));
    destination.push_back(scenario.destination(me, i, ranks));
  }
  std::vector<GlobalId> bound_here;
  for (int source = 0; source < ranks; ++source)
    for (int i = 0; i < scenario.rows(source); ++i)
      if (scenario.destination(source, i, ranks) == me) bound_here.push_back(id_of(source, i));
  for (const Sending sending : versions) {
    INFO(scenario.name << ", version " << 1 + static_cast<int>(sending));
    exchange.send(sending, {x.data(), y.data(), z.data(), id.data()}, destination);
    const Rows found = exchange.received();
    const auto rows = static_cast<std::size_t>(exchange.received_rows());
    CHECK(std::vector<GlobalId>(found.id, found.id + rows) == bound_here);
    int different = 0;
    for (std::size_t row = 0; row < rows; ++row)
      different += found.x[row] != column_value(found.id[row], 0) ||
                   found.y[row] != column_value(found.id[row], 1) ||
                   found.z[row] != column_value(found.id[row], 2);
    CHECK(different == 0);
    // The next version brings the same rows to the same places.
    std::fill_n(found.id, rows, ~GlobalId{0});
    for (Real* column : {found.x, found.y, found.z}) std::fill_n(column, rows, Real{-1});
  }
}

TEST_CASE("Every version of sending rows delivers rows ordered by source and by source order") {
  for (const Scenario& scenario : scenarios) {
    RowExchange exchange(MPI_COMM_WORLD);
    check(exchange, scenario);
  }
}

TEST_CASE("One exchange sends one set of rows after another") {
  RowExchange exchange(MPI_COMM_WORLD);
  for (const Scenario& scenario : scenarios) check(exchange, scenario);
}

TEST_CASE("Rows reach ranks on this node and on other nodes") {
  const int me = rank_in(MPI_COMM_WORLD);
  for (const int node : {me, me / 2}) {  // every rank alone; pairs
    MPI_Comm neighbours = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, node, me, &neighbours);
    {
      RowExchange exchange(MPI_COMM_WORLD, neighbours);
      for (const Scenario& scenario : scenarios) check(exchange, scenario);
    }
    MPI_Comm_free(&neighbours);
  }
}

}  // namespace
}  // namespace copse::book
