// Kernels whose threads wait for each other, against the same passes on one thread.
#include <copse/backend/backends.hpp>
#include <copse/backend/persistent_kernel.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace copse::test {
namespace {

/// Pass p writes numbers(p + 1, i) = numbers(p, n - 1 - i) + i: what another thread wrote before.
template <class ExecutionSpace>
struct Passes {
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space> numbers;

  KOKKOS_FUNCTION void operator()(const PersistentThread<ExecutionSpace>& thread) const {
    const Count n = numbers.extent(1);
    for (Count pass = 0; pass + 1 < numbers.extent(0); ++pass) {
      thread.for_each(n,
                      [&](LocalIndex i) { numbers(pass + 1, i) = numbers(pass, n - 1 - i) + i; });
      thread.wait_for_all();
    }
  }
};

/// Counts how often each item is visited.
template <class ExecutionSpace>
struct Visits {
  Kokkos::View<int*, typename ExecutionSpace::memory_space> visits;

  KOKKOS_FUNCTION void operator()(const PersistentThread<ExecutionSpace>& thread) const {
    thread.for_each(visits.extent(0), [&](LocalIndex i) { Kokkos::atomic_inc(&visits(i)); });
  }
};

}  // namespace

TEST_CASE("after a wait, threads see what all threads wrote before it", "[persistent_kernel]") {
  constexpr Count passes = 20;
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    for (const Count n : {1, 5, 1000, 200'000}) {
      CAPTURE(n);
      Passes<Space> kernel;
      kernel.numbers = decltype(kernel.numbers)("numbers", passes + 1, n);
      run_persistent("copse::test::passes", space, n, kernel);
      space.fence("copse::test::passes");
      const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, kernel.numbers);
      std::vector<std::uint64_t> expected(n), before(n);
      Count wrong = 0;
      for (Count pass = 1; pass <= passes; ++pass) {
        before = expected;
        for (Count i = 0; i < n; ++i) {
          expected[i] = before[n - 1 - i] + i;
          wrong += found(pass, i) == expected[i] ? 0 : 1;
        }
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("every item belongs to one thread", "[persistent_kernel]") {
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    for (const Count n : {0, 1, 2, 3, 7, 1000, 1'000'000}) {
      CAPTURE(n);
      Visits<Space> kernel;
      kernel.visits = decltype(kernel.visits)("visits", n);
      run_persistent("copse::test::visits", space, n, kernel);
      space.fence("copse::test::visits");
      const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, kernel.visits);
      Count wrong = 0;
      for (Count i = 0; i < n; ++i) wrong += found(i) == 1 ? 0 : 1;
      CHECK(wrong == 0);
    }
  });
}

}  // namespace copse::test
