#include <copse/app/table.hpp>

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>

using namespace copse::app;

// Oracle: the layout, typed by hand.
TEST_CASE("text columns align left and columns of numbers right") {
  Table table({"backend", "seconds"});
  table.add_row({"serial", "1.25"});
  table.add_row({"cuda", "-10.5"});
  CHECK(table.to_string() ==
        "backend  seconds\n"
        "serial      1.25\n"
        "cuda       -10.5\n");
}

TEST_CASE("a row with another number of cells is an error") {
  Table table({"a", "b"});
  CHECK_THROWS_AS(table.add_row({"1"}), std::invalid_argument);
  CHECK(table.to_string() == "a  b\n");
}

TEST_CASE("quantities are printed with a suitable unit") {
  CHECK(format_seconds(2.0) == "2.000 s");
  CHECK(format_seconds(0.0125) == "12.500 ms");
  CHECK(format_seconds(3e-6) == "3.0 us");
  CHECK(format_bytes(1000) == "1000 B");
  CHECK(format_bytes(1.5 * 1024 * 1024 * 1024) == "1.50 GiB");
  CHECK(format_rate(12'345'678.0) == "12.3 M");
  CHECK(format_rate(999.0) == "999");
  CHECK(format_rate(999'900.0) == "1 M");
}
