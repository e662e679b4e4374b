#include "gather_rows.hpp"
#include "measured.hpp"
#include "on_host.hpp"
#include <copse/algorithms/random_order.hpp>
#include <copse/backend/backends.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

namespace copse::book {
namespace {

constexpr Count rows_of_a_block = 4096;

using HostRows = RowArray<Kokkos::HostSpace>;
using HostOrder = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

template <class MemorySpace>
HostRows rows_on_host(const Columns<MemorySpace>& columns) {
  const auto x = on_host(columns.x), y = on_host(columns.y), z = on_host(columns.z);
  const auto id = on_host(columns.id);
  HostRows rows("copse::book::rows", id.extent(0));
  for (Count i = 0; i < rows.extent(0); ++i) rows(i) = Row{x(i), y(i), z(i), id(i)};
  return rows;
}

bool equal(const HostRows& a, const HostRows& b) {
  return std::memcmp(a.data(), b.data(), a.extent(0) * sizeof(Row)) == 0;
}

/// The particles and their row numbers.
template <class ExecutionSpace>
Columns<typename ExecutionSpace::memory_space> load_columns(const ExecutionSpace& space,
                                                            app::Session& session) {
  using Memory = typename ExecutionSpace::memory_space;
  const auto position = on_host(session.load_particles(space).position);
  const auto host = make_columns<Kokkos::HostSpace>(position.extent(0));
  for (Count i = 0; i < position.extent(0); ++i) {
    host.x(i) = static_cast<float>(position(i, 0));
    host.y(i) = static_cast<float>(position(i, 1));
    host.z(i) = static_cast<float>(position(i, 2));
    host.id(i) = static_cast<std::uint32_t>(i);
  }
  const auto there = [](const auto& column) {
    return Kokkos::create_mirror_view_and_copy(Memory{}, column);
  };
  return {there(host.x), there(host.y), there(host.z), there(host.id)};
}

/// A permutation that keeps every row in its block.
HostOrder order_within_blocks(Count n, std::uint64_t seed) {
  HostOrder order("copse::book::near_order", n);
  std::iota(order.data(), order.data() + n, LocalIndex{0});
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  for (Count begin = 0; begin < n; begin += rows_of_a_block)
    std::shuffle(order.data() + begin, order.data() + std::min(n, begin + rows_of_a_block), random);
  return order;
}

template <class ExecutionSpace>
void measure_on(const ExecutionSpace& space, app::Session& session, const Measure& measure) {
  using Memory = typename ExecutionSpace::memory_space;
  const Columns<Memory> from = load_columns(space, session);
  const Count n = from.id.extent(0);
  Workspace<Memory> workspace;
  const std::uint64_t seed = session.options().seed;
  const Order<Memory> order = random_order(space, n, seed, workspace);
  workspace.clear();

  const HostRows input = rows_on_host(from);
  const HostRows expected("copse::book::expected", n);
  const auto host_order = on_host(order);
  for (Count i = 0; i < n; ++i) expected(i) = input(host_order(i));

  const Columns<Memory> columns = make_columns<Memory>(n);
  const RowArray<Memory> between("copse::book::between", n);
  // Checks the result of a version and clears it for the next one.
  const auto check = [&](const std::string& name, const HostRows& found) {
    session.verification().require(name, equal(found, expected));
    const Row wrong{-1.0F, -1.0F, -1.0F, ~0U};
    fill(columns, wrong);
    Kokkos::deep_copy(between, wrong);
  };
  measure("1_columns", 1.0, [&] { gather_columns(space, from, order, columns); });
  check("1_columns", rows_on_host(columns));
  measure("2_through_rows", 1.0,
          [&] { gather_through_rows(space, from, order, columns, between); });
  check("2_through_rows", rows_on_host(columns));
  if constexpr (runs_on_host<ExecutionSpace>) {
    measure("3_by_blocks", 1.0, [&] { gather_by_blocks(space, from, order, columns, between); });
    check("3_by_blocks", rows_on_host(columns));
  }

  const RowArray<Memory> to("copse::book::to", n);
  Kokkos::deep_copy(between, input);
  measure("4_rows", 1.0, [&] { gather_rows(space, between, order, to); });
  check("4_rows", on_host(to));

  // The same result from nearby positions, where an earlier partition has left the rows.
  const HostOrder near = order_within_blocks(n, seed);
  for (Count i = 0; i < n; ++i) input(near(i)) = expected(i);
  Kokkos::deep_copy(between, input);
  Kokkos::deep_copy(to, Row{});
  const Order<Memory> near_order = Kokkos::create_mirror_view_and_copy(Memory{}, near);
  measure("5_near_rows", 1.0, [&] { gather_rows(space, between, near_order, to); });
  check("5_near_rows", on_host(to));
}

}  // namespace

void measure_gather_rows(app::Session& session, const Measure& measure) {
  dispatch_backend(session.options().backend,
                   [&](auto space) { measure_on(space, session, measure); });
}

}  // namespace copse::book
