/// Solutions of the exercises on distributed algorithms. Ranks are entries of a list here: testing
/// a rule needs no messages.

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace copse::book {
namespace {

// [begin slices]
/// The first row of rank r of P: the sizes of slices differ by at most one row.
std::uint64_t first_row(std::uint64_t rank, std::uint64_t ranks, std::uint64_t rows) {
  return rank * rows / ranks;
}

/// The rank whose slice holds a row, without a search.
std::uint64_t rank_of(std::uint64_t row, std::uint64_t ranks, std::uint64_t rows) {
  return ((row + 1) * ranks - 1) / rows;
}
// [end slices]

// [begin ghosts]
/// True if rank `rank` gets the ghosts of rank `from`. For each pair exactly one must, and each
/// rank should get about half of the others.
bool gets_ghosts(int rank, int from) {
  return rank != from && ((rank + from) % 2 == 0) == (rank < from);
}
// [end ghosts]

// [begin sweep]
struct Token {
  bool is_end;
  int object;
  double x;
};
using Overlaps = std::set<std::pair<int, int>>;

std::pair<int, int> unordered(int a, int b) {
  return a < b ? std::pair{a, b} : std::pair{b, a};
}

/// Sorts interval ends that are almost sorted, and tracks which intervals overlap: [Li, Scott,
/// Twigg 2012] section 2.2.2 with the comparison reversed, and with objects in place of positions.
void sort_and_prune(std::vector<Token>& tokens, Overlaps& overlaps) {
  for (std::size_t k = 1; k < tokens.size(); ++k) {
    for (std::size_t m = k; m > 0 && tokens[m - 1].x > tokens[m].x; --m) {
      const Token &goes_right = tokens[m - 1], &goes_left = tokens[m];
      if (goes_right.is_end && !goes_left.is_end)
        overlaps.insert(unordered(goes_right.object, goes_left.object));
      if (!goes_right.is_end && goes_left.is_end)
        overlaps.erase(unordered(goes_right.object, goes_left.object));
      std::swap(tokens[m - 1], tokens[m]);
    }
  }
}
// [end sweep]

TEST_CASE("Distributed 1: every row is in the slice of its rank") {
  for (std::uint64_t ranks = 1; ranks < 20; ++ranks)
    for (std::uint64_t rows = 1; rows < 60; ++rows)
      for (std::uint64_t row = 0; row < rows; ++row) {
        const std::uint64_t rank = rank_of(row, ranks, rows);
        REQUIRE(rank < ranks);
        REQUIRE(first_row(rank, ranks, rows) <= row);
        REQUIRE(row < first_row(rank + 1, ranks, rows));
      }
}

TEST_CASE(
    "Distributed 2: of two ranks one receives ghosts, and no rank receives from many more than "
    "half of the ranks") {
  for (int ranks = 1; ranks < 40; ++ranks)
    for (int rank = 0; rank < ranks; ++rank) {
      int from_how_many = 0;
      for (int other = 0; other < ranks; ++other) {
        CHECK_FALSE((rank == other && gets_ghosts(rank, other)));
        if (rank != other) CHECK(gets_ghosts(rank, other) != gets_ghosts(other, rank));
        from_how_many += gets_ghosts(rank, other);
      }
      CHECK(std::abs(from_how_many - (ranks - 1) / 2) <= 1);
    }
}

TEST_CASE("Distributed 3: sweep and prune keeps the overlaps of intervals that move") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const int objects = 40;
  std::vector<double> low(objects);
  for (auto& x : low) x = uniform(random);
  std::vector<Token> tokens;
  for (int i = 0; i < objects; ++i) {
    tokens.push_back({false, i, 2.0 * i});  // separate and in order: nothing overlaps
    tokens.push_back({true, i, 2.0 * i + 1});
  }
  Overlaps overlaps;
  for (int step = 0; step < 30; ++step) {
    for (auto& x : low) x += 0.05 * (uniform(random) - 0.5);
    for (Token& token : tokens)
      token.x = low[static_cast<std::size_t>(token.object)] + (token.is_end ? 0.1 : 0.0);
    sort_and_prune(tokens, overlaps);
    Overlaps expected;
    for (int i = 0; i < objects; ++i)
      for (int j = i + 1; j < objects; ++j)
        if (std::abs(low[static_cast<std::size_t>(i)] - low[static_cast<std::size_t>(j)]) < 0.1)
          expected.emplace(i, j);
    CHECK(overlaps == expected);
  }
}

}  // namespace
}  // namespace copse::book
