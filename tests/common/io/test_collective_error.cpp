// Runs on 1 to 4 ranks. Oracle: the sentence of the lowest rank that failed, known beforehand.
#include <copse/io/collective_error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

#include <stdexcept>

using namespace copse;

TEST_CASE("An error of some ranks is thrown on all with the sentence of the lowest") {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int lowest = 0; lowest < ranks; ++lowest) {
    const std::string expected = "file: rank " + std::to_string(lowest) + " failed";
    CHECK_THROWS_WITH(
        io::run_on_all_ranks(MPI_COMM_WORLD, "file",
                             [&] {
                               if (rank >= lowest)
                                 throw InputError("file: rank " + std::to_string(rank) + " failed");
                             }),
        expected);
  }
}

TEST_CASE("Any other exception becomes a sentence that names the file") {
  CHECK_THROWS_WITH(
      io::run_on_all_ranks(MPI_COMM_WORLD, "file", [] { throw std::runtime_error("odd"); }),
      "file: odd");
  CHECK_THROWS_WITH(io::run_on_all_ranks(MPI_COMM_WORLD, "file", [] { throw std::bad_alloc(); }),
                    "file: not enough memory");
}

TEST_CASE("Nothing is thrown when every rank succeeds") {
  CHECK_NOTHROW(io::run_on_all_ranks(MPI_COMM_WORLD, "file", [] {}));
}
