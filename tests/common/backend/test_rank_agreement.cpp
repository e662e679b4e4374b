// Runs on 1 to 4 ranks. Oracle: the errors thrown here, and the lowest rank that threw.
#include <copse/backend/mpi/rank_agreement.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <mpi.h>

#include <new>
#include <stdexcept>
#include <string>

using namespace copse;

namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

TEST_CASE("work that succeeds on all ranks returns normally") {
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

TEST_CASE("An error on some ranks is thrown on all with the message of the lowest") {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int lowest = 0; lowest < ranks; ++lowest) {
    const auto fail_from_lowest = [&] {
      if (rank_of_world() >= lowest)
        throw InputError("file: rank " + std::to_string(rank_of_world()) + " failed");
    };
    CHECK_THROWS_WITH(run_on_all_ranks(MPI_COMM_WORLD, "file", fail_from_lowest),
                      "file: rank " + std::to_string(lowest) + " failed");
  }
}

TEST_CASE("Any other exception becomes a sentence that names the file") {
  CHECK_THROWS_WITH(
      run_on_all_ranks(MPI_COMM_WORLD, "file", [] { throw std::runtime_error("odd"); }),
      "file: odd");
  CHECK_THROWS_WITH(run_on_all_ranks(MPI_COMM_WORLD, "file", [] { throw std::bad_alloc(); }),
                    "file: not enough memory");
}

TEST_CASE("Nothing is thrown when every rank succeeds") {
  CHECK_NOTHROW(run_on_all_ranks(MPI_COMM_WORLD, "file", [] {}));
}

TEST_CASE("all ranks end with the largest code") {
  Ending ending(MPI_COMM_WORLD);
  CHECK(ending.arrive(rank_of_world() == 0 ? 2 : 0, "") == 2);
}

TEST_CASE("all ranks succeed together") {
  Ending ending(MPI_COMM_WORLD);
  CHECK(ending.arrive(0, "") == 0);
}
