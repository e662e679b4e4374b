// Oracle: byte sequences written out by hand.
#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace copse;

TEST_CASE("Numbers are loaded and stored in the requested byte order, at any address") {
  const std::array<std::byte, 5> bytes{std::byte{0}, std::byte{1}, std::byte{2}, std::byte{3},
                                       std::byte{4}};
  CHECK(io::load<std::uint32_t>(bytes.data() + 1, std::endian::big) == 0x01020304);
  CHECK(io::load<std::uint32_t>(bytes.data() + 1, std::endian::little) == 0x04030201);
  std::array<std::byte, 4> out{};
  io::store<std::uint32_t>(0x01020304, out.data(), std::endian::big);
  CHECK(out[0] == std::byte{1});
  CHECK(out[3] == std::byte{4});
  io::store(1.0F, out.data(), std::endian::little);
  CHECK(out[3] == std::byte{0x3F});
  CHECK(out[2] == std::byte{0x80});
}

TEST_CASE("A number that does not fit before the end of the source is refused") {
  const std::array<std::byte, 6> bytes{};
  io::MemorySource source("memory", bytes);
  CHECK(io::read_number<std::uint32_t>(source, 2, std::endian::big) == 0);
  CHECK_THROWS_AS(io::read_number<std::uint32_t>(source, 3, std::endian::big), InputError);
}
