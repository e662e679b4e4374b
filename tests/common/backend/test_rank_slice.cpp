// Oracle: floor(r n / P) in 128 bits; slices that meet and cover all rows.
#include <copse/backend/mpi/rank_slice.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>

using copse::Count;

TEST_CASE("Slices of all ranks cover all rows in order, and none is more than a row longer") {
  __extension__ using Wide = unsigned __int128;
  for (const Count rows :
       {Count{0}, Count{1}, Count{7}, Count{1000003}, std::numeric_limits<Count>::max()})
    for (const int ranks : {1, 2, 3, 7, 1000}) {
      INFO(rows << " rows, " << ranks << " ranks");
      const auto p = static_cast<Count>(ranks);
      Count end = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const auto slice = copse::rank_slice(rows, rank, ranks);
        REQUIRE(slice.first == end);
        end = static_cast<Count>(Wide{static_cast<Count>(rank) + 1} * rows / p);
        REQUIRE(slice.second == end);
        const Count length = slice.second - slice.first;
        REQUIRE(length >= rows / p);
        REQUIRE(length - rows / p <= 1);
      }
      REQUIRE(end == rows);
    }
}
