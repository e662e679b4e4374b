// Oracle: std::count_if on the host, cell by cell.
#include "count_left.hpp"

#include "common/algorithms/on_each_backend.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <vector>

namespace copse::labs {
namespace {

/// Keys in cells of the given sizes, and a cut for each. Every fourth key is a tie at 1/2.
struct Level {
  std::vector<Real> keys, cut;
  std::vector<Count> begin{0};

  explicit Level(const std::vector<Count>& sizes) {
    std::mt19937 random(1);
    for (const Count size : sizes) {
      begin.push_back(begin.back() + size);
      cut.push_back(static_cast<Real>(cut.size() % 5) / 4);  // 0, 1/4, 1/2, 3/4, 1
    }
    for (Count i = 0; i < begin.back(); ++i)
      keys.push_back(i % 4 == 0 ? Real(0.5) : static_cast<Real>(random() % 4096) / 4096);
  }

  std::vector<Count> counted() const {
    std::vector<Count> left;
    for (std::size_t c = 0; c < cut.size(); ++c)
      left.push_back(
          static_cast<Count>(std::count_if(keys.data() + begin[c], keys.data() + begin[c + 1],
                                           [&](Real key) { return key <= cut[c]; })));
    return left;
  }
};

template <class Space>
std::vector<Count> counted_on(const Space& space, const Level& level) {
  const Array<Space, Count> left("copse::labs::left", level.cut.size());
  Kokkos::deep_copy(left, Count{99});  // of an earlier level
  count_left<Space>(space, test::to_backend<Space>(level.keys),
                    test::to_backend<Space>(level.begin), test::to_backend<Space>(level.cut), left);
  return test::to_host(left);
}

/// Half of the keys in the first cell, half of the rest in the next, and so on.
std::vector<Count> halving(Count keys, Count cells) {
  std::vector<Count> sizes;
  for (Count c = 1; c < cells; ++c) {
    sizes.push_back(keys / 2);
    keys -= keys / 2;
  }
  sizes.push_back(keys);
  return sizes;
}

TEST_CASE("Cells are counted as std::count_if counts them, whatever their sizes") {
  const std::vector<std::vector<Count>> levels{{1},
                                               {0},
                                               {4095},
                                               {4096},
                                               {4097},
                                               {0, 0, 5, 0},
                                               {3, 100000},
                                               {100000, 3},
                                               halving(30000, 40),
                                               std::vector<Count>(5000, 7)};
  for_each_backend([&](auto space) {
    for (const auto& sizes : levels) {
      const Level level(sizes);
      INFO(backend_name<decltype(space)>()
           << ", " << sizes.size() << " cells, " << level.keys.size() << " keys");
      CHECK(counted_on(space, level) == level.counted());
    }
  });
}

TEST_CASE("copy passes of a count", "[.measure]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const Level level(std::vector<Count>(4096, 16384));
  const Array<Space, const Real> keys = test::to_backend<Space>(level.keys);
  const Array<Space, const Count> begin = test::to_backend<Space>(level.begin);
  const Array<Space, const Real> cut = test::to_backend<Space>(level.cut);
  const Array<Space, Count> left("copse::labs::left", level.cut.size());
  const double seconds = fastest([&] { count_left<Space>(space, keys, begin, cut, left); });
  REQUIRE(test::to_host(left) == level.counted());
  report("copy_passes", seconds / copy_pass(space, keys.extent(0)), "passes");
}

}  // namespace
}  // namespace copse::labs
