// Runtime owns MPI and Kokkos, so this program has its own main. Oracle: the state that MPI and
// Kokkos report before, during and after its lifetime. The command line contains an option of
// Kokkos, which Catch2 would reject if it were still there.
#include <copse/backend/runtime.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_macros.hpp>
#include <mpi.h>

#include <cstdio>
#include <type_traits>

static_assert(!std::is_copy_constructible_v<copse::Runtime>);

namespace {

bool asked(int (*query)(int*)) {
  int answer = 0;
  query(&answer);
  return answer != 0;
}

int failures = 0;

void expect(bool condition, const char* statement) {
  if (condition) return;
  std::fprintf(stderr, "not true: %s\n", statement);
  ++failures;
}

}  // namespace

TEST_CASE("while a Runtime lives, MPI and Kokkos run") {
  CHECK(asked(MPI_Initialized));
  CHECK_FALSE(asked(MPI_Finalized));
  CHECK(Kokkos::is_initialized());
  CHECK_FALSE(Kokkos::is_finalized());
}

TEST_CASE("a Runtime gives at least the funneled thread level") {
  int level = 0;
  MPI_Query_thread(&level);
  CHECK(level >= MPI_THREAD_FUNNELED);
}

TEST_CASE("an option of Kokkos on the command line takes effect") {
  CHECK(Kokkos::num_threads() == 2);
}

int main(int argc, char** argv) {
  int result = 0;
  {
    expect(!asked(MPI_Initialized), "MPI does not run before the Runtime");
    const copse::Runtime runtime(argc, argv);
    result = Catch::Session().run(argc, argv);
  }
  expect(Kokkos::is_finalized(), "Kokkos is finalized after the Runtime");
  expect(asked(MPI_Finalized), "MPI is finalized after the Runtime that started it");
  return result != 0 ? result : failures;
}
