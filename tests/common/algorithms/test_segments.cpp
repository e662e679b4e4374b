#include "on_each_backend.hpp"
#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/segments.hpp>

#include <catch2/catch_test_macros.hpp>

#include <random>

namespace copse::test {
namespace {

struct EvenSegments {
  KOKKOS_FUNCTION bool operator()(Count s) const { return s % 2 == 0; }
};

/// Fetches the tiles of a table, in order, without the surplus at the end.
template <class Space>
std::vector<Tile> fetch(const TileTable<typename Space::memory_space>& table) {
  TileTable<Kokkos::HostSpace> host;
  host.segments = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, table.segments);
  host.first_tile = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, table.first_tile);
  host.segment_of = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, table.segment_of);
  std::vector<Tile> tiles;
  for (Count t = 0; t < table.bound; ++t)
    if (host.tile(t).segment != Tile::none) tiles.push_back(host.tile(t));
  return tiles;
}

TEST_CASE("Tiles cover every wanted segment's rows once, in order, and no tile crosses segments") {
  for_each_backend([]<class Space>(Space space) {
    const std::vector<Count> sizes{0, 1, tile_size, tile_size + 1, 0, 0, 5 * tile_size - 1, 3, 0};
    std::vector<Segment> segments;
    Count rows = 10;
    for (Count size : sizes) {
      segments.push_back({rows, rows + size});
      rows += size;
    }
    Workspace<typename Space::memory_space> workspace;
    for (bool only_even : {false, true}) {
      const auto view = to_backend<Space>(segments);
      const auto table =
          only_even ? make_tiles(space, view, rows, segments.size(), workspace, "t", EvenSegments{})
                    : make_tiles(space, view, rows, segments.size(), workspace, "t");
      std::vector<Tile> expected;  // oracle: walk the segments
      for (std::uint32_t s = 0; s < segments.size(); s += only_even ? 2 : 1)
        for (Count begin = segments[s].begin; begin < segments[s].end; begin += tile_size)
          expected.push_back({s, begin, std::min(begin + tile_size, segments[s].end)});
      const auto found = fetch<Space>(table);
      REQUIRE(found.size() == expected.size());
      for (std::size_t t = 0; t < found.size(); ++t) {
        CHECK(found[t].segment == expected[t].segment);
        CHECK(found[t].begin == expected[t].begin);
        CHECK(found[t].end == expected[t].end);
      }
    }
  });
}

TEST_CASE("An exclusive scan turns counts into offsets, also in place and for none") {
  for_each_backend([]<class Space>(Space space) {
    for (std::size_t n : {0, 1, 1000, 100003}) {
      std::mt19937 random(1);
      std::vector<Count> counts(n + 1);
      for (auto& c : counts) c = random() % 5;
      std::vector<Count> expected{0};
      for (std::size_t i = 0; i < n; ++i) expected.push_back(expected.back() + counts[i]);
      const auto view = to_backend<Space>(counts);
      exclusive_scan(space, Kokkos::subview(view, std::make_pair(std::size_t{0}, n)), view);
      CHECK(to_host(view) == expected);
    }
  });
}

TEST_CASE("A workspace keeps an array until a larger one of that name is requested") {
  Workspace<Kokkos::HostSpace> workspace;
  const auto small = workspace.get<int>("a", 10);
  small(3) = 42;
  CHECK(workspace.get<int>("a", 10).data() == small.data());
  CHECK(workspace.get<int>("a", 5)(3) == 42);
  CHECK(workspace.get<int>("b", 10).data() != small.data());
  CHECK(workspace.bytes() == 80);
  CHECK(workspace.get<double>("a", 100).extent(0) == 100);
  CHECK(workspace.bytes() == 840);
}

}  // namespace
}  // namespace copse::test
