#include <copse/app/coordinate_checksum.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <vector>

using copse::Points;
using copse::Real;
using copse::app::coordinate_checksum;
using Rows = std::vector<std::array<Real, 3>>;

namespace {

template <class Space>
std::uint64_t checksum(const Space& space, const Rows& rows) {
  const Points<3, typename Space::memory_space> points("copse::test::points", rows.size());
  const auto host = Kokkos::create_mirror_view(points);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a) host(i, a) = rows[i][a];
  Kokkos::deep_copy(points, host);
  return coordinate_checksum(space, points);
}

const Rows rows{{0.5f, 0.25f, -3}, {1, 2, 3}, {3, 2, 1}, {0, 0, 0}};

}  // namespace

TEST_CASE("the order of points does not matter and the checksums of parts add up") {
  copse::for_each_backend([](auto space) {
    const Rows shuffled{rows[2], rows[0], rows[3], rows[1]};
    CHECK(checksum(space, rows) == checksum(space, shuffled));
    CHECK(checksum(space, rows) ==
          checksum(space, {rows[0]}) + checksum(space, {rows[1], rows[2], rows[3]}));
    CHECK(checksum(space, {}) == 0);
  });
}

TEST_CASE("losing, duplicating, changing or mirroring a point changes the checksum") {
  copse::for_each_backend([](auto space) {
    const auto whole = checksum(space, rows);
    CHECK(whole != checksum(space, {rows[0], rows[1], rows[2]}));
    CHECK(whole != checksum(space, {rows[0], rows[1], rows[2], rows[3], rows[3]}));
    CHECK(whole != checksum(space, {rows[0], rows[1], rows[2], {0, 0, 1e-30f}}));
    CHECK(checksum(space, {{1, 2, 3}}) != checksum(space, {{3, 2, 1}}));
  });
}

TEST_CASE("minus zero is zero, and every backend gives the same number") {
  const auto expected = checksum(Kokkos::Serial(), rows);
  copse::for_each_backend([&](auto space) {
    CHECK(checksum(space, rows) == expected);
    CHECK(checksum(space, {rows[0], rows[1], rows[2], {Real(-0.0), 0, 0}}) == expected);
  });
}
