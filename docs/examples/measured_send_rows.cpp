#include "measured.hpp"
#include "send_rows.hpp"
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/communicator.hpp>
#include <copse/backend/split_mix.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace copse::book {
namespace {

int destination_of(GlobalId id, int ranks) {
  return static_cast<int>(split_mix(id) % static_cast<std::uint64_t>(ranks));
}

/// A checksum that depends on the contents and the order of the rows.
struct Checksum {
  Count rows = 0;
  std::uint64_t value = 0;

  void add(const Rows& from, Count row) {
    const auto bits = [](Real x) { return std::bit_cast<std::uint64_t>(static_cast<double>(x)); };
    for (const std::uint64_t part :
         {bits(from.x[row]), bits(from.y[row]), bits(from.z[row]), from.id[row]})
      value = split_mix(value + part + 1);
    ++rows;
  }
};

/// Number of source ranks whose rows on this rank are wrong or in the wrong order.
int wrong_sources(const Communicator& comm, const Rows& rows, const std::vector<int>& destination,
                  const RowExchange& exchange) {
  std::vector<Checksum> sent(comm.size());
  for (Count row = 0; row < destination.size(); ++row) sent[destination[row]].add(rows, row);
  const std::vector<Checksum> all =
      comm.allgatherv(std::span(sent));  // by source, then destination
  int wrong = 0;
  Count row = 0;
  for (int source = 0; source < comm.size(); ++source) {
    const Checksum& expected = all[source * comm.size() + comm.rank()];
    Checksum found;
    while (found.rows < expected.rows && row < static_cast<Count>(exchange.received_rows()))
      found.add(exchange.received(), row++);
    wrong += found.rows != expected.rows || found.value != expected.value;
  }
  return wrong + (row != static_cast<Count>(exchange.received_rows()));
}

}  // namespace

void measure_send_rows(app::Session& session, const Measure& measure) {
  if (session.options().backend != "serial")
    throw InputError("--kernel send-rows: a rank has one thread, hence --backend serial");
  const Communicator comm(session.comm());
  const auto particles = session.load_particles(Kokkos::Serial{}, {.id = true});
  const Count n = particles.size();
  Real* x = particles.position.data();
  const std::size_t column = particles.position.stride(1);
  const Rows rows{x, x + column, x + 2 * column, particles.id.data()};
  std::vector<int> destination(n);
  for (Count row = 0; row < n; ++row)
    destination[row] = destination_of(particles.id(row), comm.size());

  RowExchange exchange(comm.handle());
  const std::pair<std::string, Sending> versions[] = {{"1_by_pass", Sending::by_pass},
                                                      {"2_counted", Sending::counted},
                                                      {"3_own_stays", Sending::own_stays},
                                                      {"4_shared", Sending::shared}};
  for (const auto& version : versions) {
    measure(version.first, 1.0, [&] { exchange.send(version.second, rows, destination); });
    session.verification().check("wrong_sources_of_" + version.first,
                                 wrong_sources(comm, rows, destination, exchange));
    int misled = 0;
    for (int row = 0; row < exchange.received_rows(); ++row)
      misled += destination_of(exchange.received().id[row], comm.size()) != comm.rank();
    session.verification().check("misled_rows_of_" + version.first, misled);
    // Clears the rows so that the next version cannot pass with old ones. No rank has begun it: it
    // first agrees on counts.
    const Rows arrived = exchange.received();
    std::fill_n(arrived.id, exchange.received_rows(), ~GlobalId{0});
    for (Real* values : {arrived.x, arrived.y, arrived.z})
      std::fill_n(values, exchange.received_rows(), Real{-1});
  }
  session.report().results()["row_bytes"] = row_bytes;
}

}  // namespace copse::book
