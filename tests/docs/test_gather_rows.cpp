/// Versions of gathering rows against a plain loop.

#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <gather_rows.hpp>
#include <numeric>
#include <random>

namespace copse::book {
namespace {

using HostOrder = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

bool same(const Row& a, const Row& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.id == b.id;
}

/// Memory may be what another version has left.
constexpr Row wrong_row{-1.0F, -1.0F, -1.0F, ~0U};

TEST_CASE("Every version of gathering rows copies all of row order(i) to position i") {
  std::mt19937 random(13);
  for (const Count n : {1U, 2U, 63U, 64U, 4097U, 1000003U}) {
    const auto columns = make_columns<Kokkos::HostSpace>(n);
    const RowArray<Kokkos::HostSpace> rows("copse::book::rows", n);
    const HostOrder order("copse::book::order", n);
    std::iota(order.data(), order.data() + n, LocalIndex{0});
    std::shuffle(order.data(), order.data() + n, random);
    for (Count i = 0; i < n; ++i) {
      const auto id = static_cast<std::uint32_t>(i);
      rows(i) = Row{static_cast<float>(id % 4099), static_cast<float>(id / 7 % 4099),
                    -static_cast<float>(id % 1009), ~id};
      columns.x(i) = rows(i).x;
      columns.y(i) = rows(i).y;
      columns.z(i) = rows(i).z;
      columns.id(i) = rows(i).id;
    }
    for_each_backend([&](auto space) {
      using Memory = typename decltype(space)::memory_space;
      const auto there = [](const auto& host) {
        return Kokkos::create_mirror_view_and_copy(Memory{}, host);
      };
      const auto back = [](const auto& view) {
        return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
      };
      const Columns<Memory> from{there(columns.x), there(columns.y), there(columns.z),
                                 there(columns.id)};
      const Order<Memory> to_gather = there(order);
      const auto check = [&](const Columns<Memory>& found) {
        const auto x = back(found.x), y = back(found.y), z = back(found.z);
        const auto id = back(found.id);
        Count wrong = 0;
        for (Count i = 0; i < n; ++i) wrong += !same(rows(order(i)), Row{x(i), y(i), z(i), id(i)});
        CHECK(wrong == 0);
      };
      const auto by_columns = make_columns<Memory>(n), through_rows = make_columns<Memory>(n);
      fill(by_columns, wrong_row);
      fill(through_rows, wrong_row);
      gather_columns(space, from, to_gather, by_columns);
      check(by_columns);
      const RowArray<Memory> between("copse::book::between", n), to("copse::book::to", n);
      gather_through_rows(space, from, to_gather, through_rows, between);
      check(through_rows);
      Kokkos::deep_copy(between, Row{});
      const auto by_blocks = make_columns<Memory>(n);
      fill(by_blocks, wrong_row);
      gather_by_blocks(space, from, to_gather, by_blocks, between);
      check(by_blocks);
      gather_rows<decltype(space)>(space, there(rows), to_gather, to);
      const auto found = back(to);
      Count wrong = 0;
      for (Count i = 0; i < n; ++i) wrong += !same(rows(order(i)), found(i));
      CHECK(wrong == 0);
    });
  }
}

}  // namespace
}  // namespace copse::book
