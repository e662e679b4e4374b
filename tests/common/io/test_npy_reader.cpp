// Oracle: files built byte by byte.
#include "npy_bytes.hpp"
#include <copse/io/npy_reader.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("An [n][3] array is a snapshot of positions, recognised by its first bytes") {
  const auto bytes =
      npy_bytes(npy_dictionary(">f8", false, "(4, 3)"), halves<double>(12, std::endian::big));
  const auto reader = open_bytes(bytes);
  CHECK(reader->info().format == "npy");
  CHECK(reader->info().particles == 4);
  CHECK_FALSE(reader->info().columns.velocity);
  const auto slice = read_slice(*reader, 1, 2);
  for (int i = 0; i < 2; ++i)
    for (int a = 0; a < 3; ++a)
      CHECK(slice.position(i, a) == static_cast<Real>(3 * (i + 1) + a) + Real{0.5});
}

TEST_CASE("An array with another number of columns is not a snapshot") {
  const auto bytes =
      npy_bytes(npy_dictionary("<f4", false, "(3, 4)"), halves<float>(12, std::endian::little));
  CHECK_THAT(refusal(bytes), ContainsSubstring("4 columns, but particles need 3"));
}

TEST_CASE("A .npy file cut off at any byte is refused") {
  require_no_prefix_is_read(
      npy_bytes(npy_dictionary("<f4", false, "(3, 3)"), halves<float>(9, std::endian::little)));
  require_no_prefix_is_read(
      npy_bytes(npy_dictionary("<f4", true, "(3, 3)"), halves<float>(9, std::endian::little), 3));
}
