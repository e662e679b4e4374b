// Oracle: a stable sort on the host by cell, with cells found by comparing with each cut.
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/tree/cell_places.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

namespace copse::test {
namespace {

using HostPoints = Points<3, Kokkos::HostSpace>;

/// x <= 0.5 is a cell, the rest is cut at y = 0.25 into two.
const std::vector<DecisionNode> three_cells = {
    {.slot = 1, .left = 1, .axis = 0, .cut = Real{0.5}},
    {.slot = 2, .axis = 2, .number = 0},
    {.slot = 3, .left = 3, .axis = 1, .cut = Real{0.25}},
    {.slot = 6, .axis = 0, .number = 1},
    {.slot = 7, .axis = 2, .number = 2},
};
constexpr std::uint32_t cell_count = 3;

std::uint32_t cell_of(const HostPoints& points, Count row) {
  if (points(row, 0) <= Real{0.5}) return 0;
  return points(row, 1) <= Real{0.25} ? 1 : 2;
}

/// Few distinct coordinates, so that many points coincide and stability is tested.
HostPoints random_points(Count n) {
  std::mt19937 bits(static_cast<unsigned>(n) + 1);
  HostPoints points("copse::test::points", n);
  for (Count i = 0; i < n; ++i)
    for (int a = 0; a < 3; ++a) points(i, a) = static_cast<Real>(bits() % 16) / Real{16};
  return points;
}

std::vector<Count> sorted_rows(const HostPoints& points) {
  std::vector<Count> rows(points.extent(0));
  std::iota(rows.begin(), rows.end(), Count{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](Count a, Count b) { return cell_of(points, a) < cell_of(points, b); });
  return rows;
}

struct ThreeWords {
  std::uint32_t low, high, weight;
};

/// Data that belongs to a particle, of 8 or 12 bytes.
template <class Row>
Row row_named(Count i) {
  if constexpr (std::is_same_v<Row, GlobalId>)
    return (GlobalId{i} << 20) + 7;
  else
    return Row{static_cast<std::uint32_t>(i), ~static_cast<std::uint32_t>(i), 5};
}
bool same(GlobalId a, GlobalId b) {
  return a == b;
}
bool same(const ThreeWords& a, const ThreeWords& b) {
  return a.low == b.low && a.high == b.high && a.weight == b.weight;
}

template <class ExecutionSpace, class Row>
void check_places(const ExecutionSpace& space, Count n) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Rows = Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace>;
  const HostPoints host = random_points(n);
  const Points<3, MemorySpace> points("copse::test::points", n), moved("copse::test::moved", n);
  Kokkos::deep_copy(points, host);
  Workspace<MemorySpace> workspace;
  const auto nodes = upload(space, three_cells, workspace, "test::nodes");
  DecisionTree walk{nodes.data(), static_cast<std::int32_t>(nodes.extent(0)), 2, {}, n};
  for (int a = 0; a < 3; ++a) walk.column[a] = points.data() + points.stride(1) * a;
  const auto places = find_places(space, walk, cell_count, workspace, "test");

  const std::vector<Count> expected = sorted_rows(host);
  REQUIRE(places.begin.size() == cell_count + 1);
  for (std::uint32_t c = 0; c <= cell_count; ++c)
    CHECK(places.begin[c] ==
          static_cast<Count>(std::count_if(expected.begin(), expected.end(),
                                           [&](Count row) { return cell_of(host, row) < c; })));

  std::vector<Row> named;
  for (Count i = 0; i < n; ++i) named.push_back(row_named<Row>(i));
  const Rows rows("copse::test::rows", n), rows_moved("copse::test::rows", n),
      rows_beside("copse::test::rows", n);
  Kokkos::deep_copy(rows, upload(space, named, workspace, "test::named"));

  move_to_places("copse::test::move", space, places, points, moved, nullptr);
  move_rows_to_places("copse::test::move_rows", space, places, rows, rows_moved);

  // Each cell and coordinate has a separate array, preceded by a gap.
  constexpr Count gap = 5;
  std::vector<Kokkos::View<Real*, MemorySpace>> apart;
  std::vector<ColumnPointer> columns(3 * places.of_tiles.size);
  for (Count a = 0; a < 3; ++a)
    for (std::uint32_t c = 0; c < cell_count; ++c) {
      apart.emplace_back("copse::test::apart", gap + places.begin[c + 1] - places.begin[c]);
      columns[a * places.of_tiles.size + c].data = apart.back().data() + gap - places.begin[c];
    }
  move_points_apart("copse::test::move_apart", space, places, points,
                    upload(space, columns, workspace, "test::columns"), rows, rows_beside);
  space.fence("copse::test::moved");

  const auto host_moved = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, moved);
  const std::vector<Row> host_rows = download(rows_moved);
  const std::vector<Row> host_beside = download(rows_beside);
  Count wrong = 0;
  for (Count i = 0; i < n; ++i) {
    for (int a = 0; a < 3; ++a) wrong += host_moved(i, a) != host(expected[i], a);
    wrong += !same(host_rows[i], named[expected[i]]) || !same(host_beside[i], named[expected[i]]);
  }
  for (Count a = 0; a < 3; ++a)
    for (std::uint32_t c = 0; c < cell_count; ++c) {
      const auto column =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, apart[a * cell_count + c]);
      for (Count i = 0; i < column.extent(0); ++i)
        wrong +=
            column(i) !=
            (i < gap ? Real{0} : host(expected[places.begin[c] + i - gap], static_cast<int>(a)));
    }
  CHECK(wrong == 0);
}

TEST_CASE("rows are moved to their cells in order, into common or separate columns") {
  for (const Count n : {1, 31, 4095, 4096, 4097, 13000})
    for_each_backend([&]<class Space>(Space space) {
      INFO(n << " rows on " << backend_name<Space>());
      check_places<Space, GlobalId>(space, n);
      check_places<Space, ThreeWords>(space, n);
    });
}

}  // namespace
}  // namespace copse::test
