// Oracle: offsets and ranges worked out by hand.
#include <copse/backend/mpi/exchange_plan.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace copse;
using Ranges = std::vector<ElementRange>;

TEST_CASE("consecutive pieces start where the one before ends") {
  const auto side = consecutive_pieces({3, 0, 5});
  CHECK(side.counts == std::vector<Count>{3, 0, 5});
  CHECK(side.offsets == std::vector<Count>{0, 3, 3});
  CHECK(side.total() == 8);
}

TEST_CASE("offsets and totals beyond 32 bits are exact") {
  const Count large = (Count{1} << 33) + 1;
  const auto side = consecutive_pieces({large, large, 1});
  CHECK(side.offsets == std::vector<Count>{0, large, 2 * large});
  CHECK(side.total() == 2 * large + 1);
}

TEST_CASE("the shared ranges omit the rank's own piece and merge neighbours") {
  const auto side = consecutive_pieces({2, 3, 4, 1});
  CHECK(shared_with_others(side, 0) == Ranges{{2, 10}});
  CHECK(shared_with_others(side, 1) == Ranges{{0, 2}, {5, 10}});
  CHECK(shared_with_others(side, 3) == Ranges{{0, 9}});
}

TEST_CASE("the same elements sent to everybody are one range") {
  const ExchangePlan::Side side{{7, 7, 7}, {0, 0, 0}};
  CHECK(shared_with_others(side, 1) == Ranges{{0, 7}});
}

TEST_CASE("nothing is shared by a single rank or when all other pieces are empty") {
  CHECK(shared_with_others(consecutive_pieces({9}), 0).empty());
  CHECK(shared_with_others(consecutive_pieces({0, 9, 0}), 1).empty());
}
