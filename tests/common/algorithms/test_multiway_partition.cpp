// Oracle: a stable sort of each segment's rows by their part, on the host.
#include <copse/algorithms/multiway_partition.hpp>
#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace copse::test {
namespace {

/// Rows of 12 bytes, which a device moves as three words.
struct Triple {
  std::uint32_t a, b, c;
};

template <class T, class MemorySpace>
Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace> to_device(const std::vector<T>& host) {
  Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace> view("copse::test::view", host.size());
  const Kokkos::View<const T*, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>
      unmanaged(host.data(), host.size());
  Kokkos::deep_copy(view, unmanaged);
  return view;
}

template <class View>
std::vector<typename View::non_const_value_type> host_copy(const View& view) {
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  return {mirror.data(), mirror.data() + mirror.extent(0)};
}

/// Segments that follow each other, and the part of every row.
struct Problem {
  std::vector<Segment> segments;
  std::vector<std::uint8_t> part;
  std::uint32_t parts;

  Problem(const std::vector<Count>& sizes, std::uint32_t parts_) : parts(parts_) {
    std::mt19937 bits(static_cast<unsigned>(parts));
    for (const Count size : sizes) {
      segments.push_back({part.size(), part.size() + size});
      // The third segment has rows in one part alone.
      for (Count i = 0; i < size; ++i)
        part.push_back(segments.size() == 3 ? parts - 1
                                            : static_cast<std::uint8_t>(bits() % parts));
    }
  }

  /// The row at each position of the result.
  std::vector<LocalIndex> order() const {
    std::vector<LocalIndex> rows(part.size());
    std::iota(rows.begin(), rows.end(), LocalIndex{0});
    for (const Segment& s : segments)
      std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(s.begin),
                       rows.begin() + static_cast<std::ptrdiff_t>(s.end),
                       [&](LocalIndex a, LocalIndex b) { return part[a] < part[b]; });
    return rows;
  }
};

template <class Space>
MultiwayPlaces<typename Space::memory_space> places_of(
    const Space& space, const Problem& problem,
    Workspace<typename Space::memory_space>& workspace) {
  using Memory = typename Space::memory_space;
  MultiwayPlaces<Memory> places;
  const Count n = problem.part.size();
  const Count segments = problem.segments.size();
  const Segments<Memory> view = to_device<Segment, Memory>(problem.segments);
  places.tiles = make_tiles(space, view, n, segments, workspace, "test");
  places.size = problem.parts;
  places.part = to_device<std::uint8_t, Memory>(problem.part);
  TileTable<Kokkos::HostSpace> tiles;
  tiles.segments = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, places.tiles.segments);
  tiles.first_tile =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, places.tiles.first_tile);
  tiles.segment_of =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, places.tiles.segment_of);
  MultiwayPlaces<Kokkos::HostSpace> host;
  host.tiles = tiles;
  host.size = places.size;
  const Count bins = places.tiles.bound * places.size;
  std::vector<LocalIndex> count(bins + 1);
  for (Count t = 0; t < places.tiles.bound; ++t) {
    const Tile tile = tiles.tile(t);
    if (tile.segment == Tile::none) continue;
    for (Count row = tile.begin; row < tile.end; ++row)
      ++count[host.index(t, tile.segment, problem.part[row])];
  }
  places.count = to_device<LocalIndex, Memory>(count);
  exclusive_scan(space, Kokkos::subview(places.count, std::make_pair(Count{0}, bins)),
                 places.count);
  return places;
}

const std::vector<std::vector<Count>> sizes_of_segments{
    {0}, {1}, {5000}, {4096, 8192}, {100, 0, 9000, 20000}};

TEST_CASE("Points and their columns reach their parts in the order of a stable sort") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    for (const auto& sizes : sizes_of_segments)
      for (const std::uint32_t parts : {1u, 2u, 16u, 64u}) {
        const Problem problem(sizes, parts);
        INFO(backend_name<Space>() << ", " << problem.part.size() << " rows, " << parts);
        const Count n = problem.part.size();
        if (n == 0) continue;
        Workspace<Memory> workspace;
        MultiwayColumns<Memory, Triple> columns;
        columns.places = places_of(space, problem, workspace);
        std::vector<Real> x(3 * n);
        std::iota(x.begin(), x.end(), Real(1));
        std::vector<Triple> belongs(n);
        for (std::uint32_t i = 0; i < n; ++i) belongs[i] = {i, 2 * i, ~i};
        const auto from = to_device<Real, Memory>(x);
        const Kokkos::View<Real*, Kokkos::LayoutLeft, Memory> to("copse::test::to", 3 * n);
        const auto row_from = to_device<Triple, Memory>(belongs);
        const Kokkos::View<Triple*, Kokkos::LayoutLeft, Memory> row_to("copse::test::row_to", n);
        for (int a = 0; a < 3; ++a) {
          columns.from[a] = from.data() + a * n;
          columns.to[a] = to.data() + a * n;
        }
        columns.row_from = row_from.data();
        columns.row_to = row_to.data();
        multiway_partition("copse::test::move", space, columns);
        const std::vector<LocalIndex> order = problem.order();
        const std::vector<Real> moved = host_copy(to);
        const std::vector<Triple> rows = host_copy(row_to);
        int wrong = 0;
        for (Count i = 0; i < n; ++i) {
          for (Count a = 0; a < 3; ++a) wrong += moved[a * n + i] != x[a * n + order[i]];
          const Triple& b = belongs[order[i]];
          wrong += rows[i].a != b.a || rows[i].b != b.b || rows[i].c != b.c;
        }
        CHECK(wrong == 0);
      }
  });
}

TEST_CASE("Without a column of row indices a row is identified by its position") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const Problem problem({100, 0, 9000, 20000}, 32);
    Workspace<Memory> workspace;
    MultiwayColumns<Memory> columns;
    columns.places = places_of(space, problem, workspace);
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Memory> order("copse::test::order",
                                                                      problem.part.size());
    columns.row_to = order.data();
    multiway_partition("copse::test::move", space, columns);
    CHECK(host_copy(order) == problem.order());
  });
}

TEST_CASE("Parts may have separate columns, with the rows at the same positions") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    constexpr Count n = 10000;
    constexpr Count parts = 4;
    const Problem problem({n}, parts);
    Workspace<Memory> workspace;
    MultiwayColumns<Memory> columns;
    columns.places = places_of(space, problem, workspace);
    std::vector<Real> x(3 * n);
    std::iota(x.begin(), x.end(), Real(1));
    const auto from = to_device<Real, Memory>(x);
    const Kokkos::View<Real*, Kokkos::LayoutLeft, Memory> to("copse::test::to", 3 * parts * n);
    std::vector<ColumnPointer> pointers;
    for (Count k = 0; k < 3 * parts; ++k) pointers.push_back({to.data() + k * n});
    const auto pointer_view = to_device<ColumnPointer, Memory>(pointers);
    for (int a = 0; a < 3; ++a) columns.from[a] = from.data() + a * n;
    columns.to_of_part = pointer_view.data();
    multiway_partition<true>("copse::test::move", space, columns);
    const std::vector<Real> moved = host_copy(to);
    const std::vector<LocalIndex> order = problem.order();
    int wrong = 0;
    for (Count i = 0; i < n; ++i)
      for (Count a = 0; a < 3; ++a)
        wrong += moved[(a * parts + problem.part[order[i]]) * n + i] != x[a * n + order[i]];
    CHECK(wrong == 0);
  });
}

}  // namespace
}  // namespace copse::test
