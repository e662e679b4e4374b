// Oracle: files built byte by byte.
#include "idx_bytes.hpp"
#include "table_checks.hpp"
#include <copse/io/tables/idx_table.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const OpenTable open_idx = [](std::unique_ptr<io::ByteSource> source) {
  return std::make_unique<io::IdxTable>(std::move(source));
};

template <class T>
void check_counting(int type) {
  INFO("type " << type);
  const auto rows = rows_of(counting_idx<T>(type, {4, 2, 3}), open_idx, 1, 2);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == std::vector<Real>{6, 7, 8, 9, 10, 11});
  CHECK(rows[1] == std::vector<Real>{12, 13, 14, 15, 16, 17});
}

}  // namespace

TEST_CASE("All number types of IDX are read, rows laid out flat") {
  check_counting<std::uint8_t>(0x08);
  check_counting<std::int8_t>(0x09);
  check_counting<std::int16_t>(0x0B);
  check_counting<std::int32_t>(0x0C);
  check_counting<float>(0x0D);
  check_counting<double>(0x0E);
}

TEST_CASE("Unsigned bytes go to 255, signed numbers below zero") {
  CHECK(rows_of(idx_header(0x08, {1, 1}).put(std::uint8_t{255}).bytes, open_idx) ==
        std::vector<std::vector<Real>>{{255}});
  CHECK(rows_of(idx_header(0x09, {1}).put(std::int8_t{-1}).bytes, open_idx) ==
        std::vector<std::vector<Real>>{{-1}});
  CHECK(rows_of(idx_header(0x0B, {1}).put(std::int16_t{-300}).bytes, open_idx) ==
        std::vector<std::vector<Real>>{{-300}});
}

TEST_CASE("A list is one column, and a size of zero gives no rows") {
  CHECK(rows_of(counting_idx<std::uint8_t>(0x08, {3}), open_idx) ==
        std::vector<std::vector<Real>>{{0}, {1}, {2}});
  for (const std::vector<std::uint32_t>& sizes :
       {std::vector<std::uint32_t>{0, 28, 28}, {28, 0}, {0}})
    CHECK(rows_of(idx_header(0x08, sizes).bytes, open_idx).empty());
}

TEST_CASE("An IDX file cut off at any byte is refused in one line that names the file") {
  const auto bytes = counting_idx<std::int16_t>(0x0B, {3, 2, 2});
  REQUIRE(refusal_of_table(bytes, open_idx).empty());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<std::byte> prefix(bytes.begin(),
                                        bytes.begin() + static_cast<std::ptrdiff_t>(length));
    const std::string sentence = refusal_of_table(prefix, open_idx);
    INFO(length << ": " << sentence);
    CHECK(sentence.starts_with("memory: "));
    CHECK(sentence.find('\n') == std::string::npos);
  }
}

TEST_CASE("Headers that are damaged or do not fit the file are refused") {
  const auto sentence = [](ByteBuilder file) { return refusal_of_table(file.bytes, open_idx); };
  CHECK_THAT(sentence(idx_header(0x0A, {1}).put(std::uint8_t{0})),
             ContainsSubstring("type 0x0A (byte 2) is unknown"));
  CHECK_THAT(sentence(idx_header(0x08, {})), ContainsSubstring("no dimensions"));
  CHECK_THAT(sentence(idx_header(0x08, {2, 2}).put(std::uint8_t{0})),
             ContainsSubstring("2 rows of 2 numbers takes 4 bytes, but 1 follow its header"));
  CHECK_THAT(sentence(idx_header(0x08, {1}).put(std::uint16_t{0})),
             ContainsSubstring("takes 1 bytes, but 2 follow"));
  CHECK_THAT(sentence(idx_header(0x0E, {~0U, ~0U, ~0U})),
             ContainsSubstring("larger than any file"));
  CHECK(sentence(idx_header(0x0E, {0, ~0U, ~0U, ~0U})).empty());
  ByteBuilder other(std::endian::big);
  CHECK_THAT(sentence(other.put(std::uint32_t{0x01000801}).put(std::uint32_t{0})),
             ContainsSubstring("first two bytes"));
}

TEST_CASE("Other formats are not detected as IDX, nor IDX as one of them") {
  const auto probed = [](const std::vector<std::byte>& bytes) {
    io::MemorySource source("memory", bytes);
    return io::probe_idx(source);
  };
  const auto images = counting_idx<std::uint8_t>(0x08, {2, 28, 28});
  CHECK(probed(images));
  CHECK_FALSE(probed(bytes_of_text("1,2,3\n")));
  CHECK_FALSE(probed(bytes_of_text("\x93NUMPY")));
  CHECK_FALSE(probed({}));
  CHECK_FALSE(probed(std::vector<std::byte>(64)));
  // GADGET's record marker of 256 bytes, in both byte orders.
  for (const std::endian order : {std::endian::little, std::endian::big})
    CHECK_FALSE(probed(ByteBuilder(order).put(std::uint32_t{256}).put(std::uint32_t{1}).bytes));
  io::MemorySource source("memory", images);
  for (const io::SnapshotFormat& format : io::formats()) {
    INFO(format.name);
    CHECK_FALSE(format.probe(source));
  }
}
