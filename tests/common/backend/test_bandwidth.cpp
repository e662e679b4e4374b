/// \file
/// The measured ceilings. The rates depend on the machine; `measure_bandwidth` checks each kernel's
/// result against a plain loop and throws if they differ.

#include <copse/backend/backends.hpp>
#include <copse/backend/bandwidth.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace copse;

TEST_CASE("every backend has finite, positive rates, and a link only if it has its own memory") {
  for_each_backend([](auto space) {
    using Space = decltype(space);
    INFO(backend_name<Space>());
    const Bandwidth b = measure_bandwidth(space, 100'000);
    for (double rate : {b.read, b.copy, b.count, b.count_in_cache}) {
      CHECK(std::isfinite(rate));
      CHECK(rate > 0);
    }
    CHECK((b.from_host > 0) == !runs_on_host<Space>);
  });
}

TEST_CASE("the array is at least as large as requested and a whole number of tiles") {
  for (Count bytes : {Count{0}, Count{1}, Count{32768}, Count{32769}}) {
    const Bandwidth b = measure_bandwidth(Kokkos::DefaultHostExecutionSpace{}, bytes);
    CHECK(b.bytes >= bytes);
    CHECK(b.bytes > 0);
    CHECK(b.bytes % 32768 == 0);
  }
}
