#include <copse/algorithms/interleaved_rows.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace copse::test {
namespace {

TEST_CASE("Interleaved rows visit every row once") {
  for (const Count size : {0, 1, 31, 32, 255, 256, 1000, 4096, 100000})
    for (const Count parts : {0, 1, 2, 3, 7, 64, 1000, 1 << 17}) {
      INFO(size << " rows in " << parts << " parts");
      const InterleavedRows rows(size, parts);
      std::vector<int> visits(size, 0);
      for (Count i = 0; i < size; ++i) {
        REQUIRE(rows(i) < size);
        ++visits[rows(i)];
      }
      CHECK(visits == std::vector<int>(size, 1));
    }
}

TEST_CASE("One part is visited in order; several parts take turns by chunks") {
  const InterleavedRows plain(70000, 1);
  for (Count i = 0; i < 70000; ++i) REQUIRE(plain(i) == i);
  const InterleavedRows rows(3 * 1000 + 2, 3);
  CHECK(rows(0) == 0);
  CHECK(rows(255) == 255);
  CHECK(rows(256) == 1000);
  CHECK(rows(3 * 256) == 256);
  CHECK(rows(9 * 256) == 768);  // remainder of the first part
  CHECK(rows(9 * 256 + 232) == 1768);
  CHECK(rows(3001) == 3001);
}

TEST_CASE("The last of 2^32 rows are visited") {
  const Count size = Count{1} << 32;
  const InterleavedRows rows(size, 4096);
  CHECK(rows(size - 1) == size - 1);
  CHECK(rows(4095 * 256) == 4095 * (size / 4096));
  CHECK(rows(size - 256) == size - 256);
}

}  // namespace
}  // namespace copse::test
