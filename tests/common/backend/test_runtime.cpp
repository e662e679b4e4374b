// Runtime owns MPI and Kokkos, so this program has its own main. Oracle: the state that MPI and
// Kokkos report before, during and after its lifetime. The command line contains an option of
// Kokkos, which Catch2 would reject if it were still there. For the CPUs of threads: what the
// system says about each thread, and which CPUs the process had before.
#include <copse/backend/runtime.hpp>
#include <copse/backend/thread_binding.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_macros.hpp>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

static_assert(!std::is_copy_constructible_v<copse::Runtime>);

namespace {

bool asked(int (*query)(int*)) {
  int answer = 0;
  query(&answer);
  return answer != 0;
}

int failures = 0;
copse::CpuSet before;  // the CPUs of the process before the Runtime

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
#if defined(KOKKOS_ENABLE_OPENMP)
  CHECK(Kokkos::num_threads() == 2);
#else
  SKIP("this build has no backend with threads");
#endif
}

TEST_CASE("a Runtime binds threads unless the user or another rank has a say") {
  if (before.empty()) SKIP("the system does not say which CPUs a thread may use");
  const auto cpus = copse::allowed_cpus_of_threads();
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool decided = std::getenv("OMP_PROC_BIND");
  const bool binds = !decided && ranks == 1 && cpus.size() <= before.size() && cpus.size() > 1;
  copse::CpuSet together;
  for (const copse::CpuSet& mine : cpus) {
    CHECK_FALSE(mine.empty());
    if (!binds) CHECK(mine == before);
    together.insert(together.end(), mine.begin(), mine.end());
  }
  if (!binds) return;
  std::sort(together.begin(), together.end());
  CHECK(together == before);
}

int main(int argc, char** argv) {
  int result = 0;
  {
    expect(!asked(MPI_Initialized), "MPI does not run before the Runtime");
    before = copse::allowed_cpus();
    const copse::Runtime runtime(argc, argv);
    result = Catch::Session().run(argc, argv);
  }
  expect(copse::allowed_cpus() == before, "the Runtime gives back the CPUs of the process");
  expect(Kokkos::is_finalized(), "Kokkos is finalized after the Runtime");
  expect(asked(MPI_Finalized), "MPI is finalized after the Runtime that started it");
  return result != 0 ? result : failures;
}
