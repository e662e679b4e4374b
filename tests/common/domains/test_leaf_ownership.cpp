#include <copse/domains/leaf_ownership.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse {
namespace {

TEST_CASE("Owners are blocks in rank order that differ by at most one leaf") {
  for (std::uint32_t d = 1; d < 40; ++d)
    for (int p = 1; p < 40; ++p) {
      const LeafOwnership o{d, p};
      std::vector<std::uint32_t> owned(p, 0);
      for (std::uint32_t leaf = 0; leaf < d; ++leaf) {
        REQUIRE(o.owner(leaf) < p);
        if (leaf > 0) CHECK(o.owner(leaf) >= o.owner(leaf - 1));
        ++owned[o.owner(leaf)];
      }
      const auto [least, most] = std::minmax_element(owned.begin(), owned.end());
      CHECK(*most - *least <= 1);
    }
}

TEST_CASE("A rank's first leaf is the first of its own or of a later rank's") {
  for (std::uint32_t d = 1; d < 30; ++d)
    for (int p = 1; p < 30; ++p)
      for (int r = 0; r <= p; ++r) {
        const LeafOwnership o{d, p};
        std::uint32_t expected = 0;
        while (expected < d && o.owner(expected) < r) ++expected;
        CHECK(o.first_leaf(r) == expected);
      }
}

TEST_CASE("Chunks share a cell in proportion to the leaves its ranks own in it") {
  const LeafOwnership o{10, 4};  // ranks own leaves 0-2, 3-4, 5-7, 8-9
  const LeafRange cell{2, 5};    // one leaf of rank 0, two of rank 1, two of rank 2
  CHECK(o.ranks_of(cell) == RankRange{0, 2});
  CHECK(o.chunk_begin(cell, 100, 0) == 0);
  CHECK(o.chunk_begin(cell, 100, 1) == 20);
  CHECK(o.chunk_begin(cell, 100, 2) == 60);
  CHECK(o.chunk_begin(cell, 100, 3) == 100);
  const Count huge = Count{1} << 62;
  CHECK(o.chunk_begin({0, 10}, huge, 2) == huge / 2);
}

}  // namespace
}  // namespace copse
