// Oracle: the elements of the Views themselves, read through operator().
#include <copse/io/tables/host_table.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstring>
#include <vector>

using namespace copse;

namespace {

enum class Color : std::uint16_t { red, green };

template <class T>
std::vector<T> packed(const io::HostTable& table, Count first, Count count) {
  std::vector<T> out(count * table.columns);
  table.pack_rows(first, count, std::as_writable_bytes(std::span(out)));
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("Rows come out one after the other whatever the layout", "", Kokkos::LayoutLeft,
                   Kokkos::LayoutRight) {
  const Kokkos::View<double* [3], TestType, Kokkos::HostSpace> view("view", 5);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j) view(i, j) = 10 * i + j;
  const auto table = io::table_of(view);
  CHECK(table.rank == 2);
  CHECK(packed<double>(table, 1, 2) == std::vector<double>{10, 11, 12, 20, 21, 22});
  const auto column = Kokkos::subview(view, Kokkos::ALL, 1);
  CHECK(packed<double>(io::table_of(column), 3, 2) == std::vector<double>{31, 41});
}

TEST_CASE("Every number type keeps its size and signedness") {
  using io::NumberType;
  CHECK(io::number_type<signed char>() == NumberType::int8);
  CHECK(io::number_type<bool>() == NumberType::uint8);
  CHECK(io::number_type<std::int16_t>() == NumberType::int16);
  CHECK(io::number_type<std::uint32_t>() == NumberType::uint32);
  CHECK(io::number_type<long long>() == NumberType::int64);
  CHECK(io::number_type<unsigned long>() == NumberType::uint64);
  CHECK(io::number_type<float>() == NumberType::float32);
  CHECK(io::number_type<double>() == NumberType::float64);
  CHECK(io::number_type<Color>() == NumberType::uint16);
  CHECK(io::bytes_of(NumberType::uint16) == 2);
  CHECK(io::bytes_of(NumberType::int64) == 8);
  CHECK(io::bytes_of(NumberType::float64) == 8);
}

TEST_CASE("Lists and empty Views are tables too") {
  const std::array<std::int16_t, 3> list{4, 5, 6};
  CHECK(packed<std::int16_t>(io::table_of(std::span(list)), 0, 3) ==
        std::vector<std::int16_t>{4, 5, 6});
  const Kokkos::View<float* [3], Kokkos::LayoutLeft, Kokkos::HostSpace> empty("empty", 0);
  CHECK(io::table_of(empty).rows == 0);
  CHECK(packed<float>(io::table_of(empty), 0, 0).empty());
}
