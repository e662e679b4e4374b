/// Numbers that one thread writes and another reads, without tearing.

#include <copse/backend/relaxed_access.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <thread>

namespace copse::test {

TEST_CASE("a stored value is loaded back") {
  std::uint32_t small = 3;
  double real = 0.5;
  CHECK(relaxed_load(&small) == 3);
  relaxed_store(&small, 7);
  relaxed_store(&real, -2);
  CHECK(small == 7);
  CHECK(relaxed_load(&real) == -2.0);
}

TEST_CASE("a reader never sees a torn value, and eventually sees the last one") {
  constexpr std::uint64_t low = 0x00000000ffffffffu, high = ~low;
  std::uint64_t number = low;
  std::thread writer([&] {
    for (int k = 0; k < 100000; ++k) relaxed_store(&number, k % 2 == 0 ? high : low);
    relaxed_store(&number, std::uint64_t{0});
  });
  std::uint64_t seen = low;
  int torn = 0;
  while (seen != 0) {
    seen = relaxed_load(&number);
    if (seen != low && seen != high && seen != 0) ++torn;
  }
  writer.join();
  CHECK(torn == 0);
}

}  // namespace copse::test
