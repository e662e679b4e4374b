#include "generated_on_host.hpp"
#include <copse/particles/subsample.hpp>

#include <catch2/catch_test_macros.hpp>
#include <mpi.h>

using copse::Count;
using copse::GlobalId;

// Oracle: the sample that one process takes of the whole set.
TEST_CASE("An exact count over ranks keeps the particles that one process keeps") {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto r = static_cast<Count>(rank);
  const auto n_ranks = static_cast<Count>(ranks);
  const auto sum = [](Count n) {
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return n;
  };

  auto options = copse_test::options_of("uniform", 10007);
  for (const bool with_ids : {true, false}) {
    options.columns.id = with_ids;
    const Count first = r * options.particles / n_ranks;
    const Count end = (r + 1) * options.particles / n_ranks;
    const auto part = copse::generate(Kokkos::Serial{}, options, first, end - first);
    const auto kept = copse::subsample_count(Kokkos::Serial{}, part, 2000, 3, sum, first);
    CHECK(sum(kept.size()) == 2000);

    const auto whole = copse_test::generate_on_host(options);
    const auto expected = copse::subsample_count(Kokkos::Serial{}, whole, 2000, 3);
    Count offset = 0;
    const Count mine = kept.size();
    MPI_Exscan(&mine, &offset, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) offset = 0;  // Exscan leaves it undefined
    Count different = 0;
    for (Count k = 0; k < mine; ++k)
      for (int a = 0; a < 3; ++a)
        different += kept.position(k, a) != expected.position(offset + k, a);
    CHECK(different == 0);
  }
}
