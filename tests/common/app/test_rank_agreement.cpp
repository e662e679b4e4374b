#include <copse/app/rank_agreement.hpp>
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <mpi.h>

using namespace copse::app;
using copse::InputError;

namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

TEST_CASE("work that succeeds on all ranks just returns") {
  int calls = 0;
  CHECK_NOTHROW(together(MPI_COMM_WORLD, [&] { ++calls; }));
  CHECK(calls == 1);
}

TEST_CASE("a rank that fails throws its own error and every other rank leaves with it") {
  const auto fail_on_first = [] {
    if (rank_of_world() == 0) throw InputError("bad");
  };
  if (rank_of_world() == 0)
    CHECK_THROWS_AS(together(MPI_COMM_WORLD, fail_on_first), InputError);
  else
    CHECK_THROWS_AS(together(MPI_COMM_WORLD, fail_on_first), OtherRankFailed);
}

TEST_CASE("all ranks end with the largest code") {
  Ending ending(MPI_COMM_WORLD);
  CHECK(ending.arrive(rank_of_world() == 0 ? 2 : 0, "") == 2);
}

TEST_CASE("all ranks succeed together") {
  Ending ending(MPI_COMM_WORLD);
  CHECK(ending.arrive(0, "") == 0);
}
