// Oracle: the published check value of CRC-64/XZ.
#include <copse/io/bytes/crc64.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string_view>

TEST_CASE("The checksum of 123456789 is the published check value, in one piece or many") {
  constexpr std::string_view digits = "123456789";
  const auto bytes = std::as_bytes(std::span(digits));
  copse::io::Crc64 whole;
  whole.add(bytes);
  CHECK(whole.value() == 0x995DC9BBDF1939FA);
  copse::io::Crc64 pieces;
  for (std::size_t i = 0; i < bytes.size(); ++i) pieces.add(bytes.subspan(i, 1));
  CHECK(pieces.value() == whole.value());
  CHECK(copse::io::Crc64().value() == 0);
}
