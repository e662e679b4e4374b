// Oracles: files built after the published layout, with checksums from a bitwise CRC written here,
// and a public snapshot.
#include "byte_builder.hpp"
#include "data_file.hpp"
#include <copse/io/genericio_reader.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// CRC-64/XZ one bit at a time.
std::uint64_t bitwise_crc(const std::byte* begin, const std::byte* end) {
  std::uint64_t r = ~std::uint64_t{0};
  for (; begin != end; ++begin) {
    r ^= static_cast<std::uint64_t>(*begin);
    for (int bit = 0; bit < 8; ++bit) r = (r & 1) != 0 ? (r >> 1) ^ 0xC96C5795D7870F42 : r >> 1;
  }
  return ~r;
}

constexpr std::size_t variable_table = 168;
constexpr std::size_t variable_bytes = 272;
constexpr std::size_t block_bytes = 48;

/// Three blocks of 2, 0 and 3 particles. Particle i has position (i, i+0.25, i+0.5), velocity minus
/// that, and id 1000 + i; x is a double, and a variable that is not read lies between.
class GenericIoFile {
 public:
  explicit GenericIoFile(std::endian order) : builder(order) {
    builder.put_text(order == std::endian::little ? "HACC01L" : "HACC01B", 8);
    header_bytes = block_table() + 3 * block_bytes;
    for (const std::uint64_t v :
         {std::uint64_t{header_bytes}, std::uint64_t{5}, std::uint64_t{3}, std::uint64_t{1},
          std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{variable_bytes},
          std::uint64_t{variable_table}, std::uint64_t{3}, std::uint64_t{block_bytes},
          std::uint64_t{block_table()}, std::uint64_t{168}})
      builder.put(v);
    for (const double v : {-1.0, -1.0, -1.0, 8.0, 8.0, 8.0}) builder.put(v);
    builder.put<std::uint64_t>(0).put<std::uint64_t>(0);
    const char* names[] = {"x", "y", "mask", "z", "vx", "vy", "vz", "id"};
    const std::uint64_t flags[] = {7, 11, 0, 19, 1, 1, 1, 2};
    const std::uint64_t widths[] = {8, 4, 2, 4, 4, 4, 4, 8};
    for (int v = 0; v < 8; ++v) builder.put_text(names[v], 256).put(flags[v]).put(widths[v]);
    const int rows[] = {2, 0, 3};
    std::uint64_t start = header_bytes + 8;
    for (std::uint64_t b = 0; b < 3; ++b) {
      builder.put(b).put<std::uint64_t>(0).put<std::uint64_t>(0);
      builder.put(static_cast<std::uint64_t>(rows[b])).put(start).put(b);
      start += static_cast<std::uint64_t>(rows[b]) * 38 + 8 * 8;
    }
    put_checksum(0);
    int first = 0;
    for (const int n : rows) {
      put_block(first, n);
      first += n;
    }
  }

  /// Recomputes the header's checksum after a change.
  void repair() {
    builder.write(header_bytes,
                  ~bitwise_crc(builder.bytes.data(), builder.bytes.data() + header_bytes));
  }

  static constexpr std::size_t block_table() { return variable_table + 8 * variable_bytes; }

  ByteBuilder builder;
  std::size_t header_bytes = 0;

 private:
  void put_checksum(std::size_t from) {
    builder.put(
        ~bitwise_crc(builder.bytes.data() + from, builder.bytes.data() + builder.bytes.size()));
  }

  template <class F>
  void put_array(int n, F&& value) {
    const std::size_t from = builder.bytes.size();
    for (int i = 0; i < n; ++i) value(i);
    put_checksum(from);
  }

  void put_block(int first, int n) {
    const auto real = [&](double shift, double sign) {
      return [this, first, shift, sign](int i) {
        builder.put(static_cast<float>(sign * (first + i + shift)));
      };
    };
    put_array(n, [&](int i) { builder.put(static_cast<double>(first + i)); });
    put_array(n, real(0.25, 1));
    put_array(n, [&](int) { builder.put<std::uint16_t>(0xABCD); });
    put_array(n, real(0.5, 1));
    for (const double shift : {0.0, 0.25, 0.5}) put_array(n, real(shift, -1));
    put_array(n, [&](int i) { builder.put<std::int64_t>(1000 + first + i); });
  }
};

}  // namespace

TEST_CASE("A GenericIO file is read the same in both byte orders") {
  const GenericIoFile file(GENERATE(std::endian::little, std::endian::big));
  const auto reader = open_bytes(file.builder.bytes);
  CHECK(reader->info().format == "genericio");
  CHECK(reader->info().particles == 5);
  CHECK(reader->info().by_species == std::array<Count, 4>{0, 5, 0, 0});
  CHECK_FALSE(reader->info().columns.mass);
  REQUIRE(reader->info().box.has_value());
  CHECK(reader->info().box->lower[0] == Real{-1});
  CHECK(reader->info().box->upper[2] == Real{7});
  const auto p = read_all(*reader);
  for (int i = 0; i < 5; ++i) {
    CHECK(p.id(i) == static_cast<GlobalId>(1000 + i));
    CHECK(p.species(i) == Species::dark);
    for (int a = 0; a < 3; ++a) {
      CHECK(p.position(i, a) == static_cast<Real>(i + 0.25 * a));
      CHECK(p.velocity(i, a) == -static_cast<Real>(i + 0.25 * a));
    }
  }
}

TEST_CASE("Any slice of a GenericIO file holds the rows of the whole") {
  const GenericIoFile file(std::endian::little);
  const auto reader = open_bytes(file.builder.bytes);
  for (Count first = 0; first <= 5; ++first)
    for (Count count = 0; first + count <= 5; ++count) {
      const auto slice = read_slice(*reader, first, count);
      for (Count i = 0; i < count; ++i) {
        CHECK(slice.id(i) == 1000 + first + i);
        CHECK(slice.position(i, 0) == static_cast<Real>(first + i));
      }
    }
}

TEST_CASE("Every proper prefix of a GenericIO file is refused") {
  require_no_prefix_is_read(GenericIoFile(std::endian::little).builder.bytes);
}

TEST_CASE("A changed byte of a GenericIO file is found by a checksum") {
  const GenericIoFile file(std::endian::little);
  const std::size_t in_header = 200;
  const std::size_t in_x = file.header_bytes + 8 + 3;
  for (const std::size_t at : {in_header, in_x}) {
    auto bytes = file.builder.bytes;
    bytes[at] ^= std::byte{1};
    CHECK_THAT(refusal(bytes), ContainsSubstring("checksum"));
  }
}

TEST_CASE("A GenericIO header that contradicts itself or the file is refused") {
  GenericIoFile file(std::endian::little);
  const std::size_t block0 = GenericIoFile::block_table();
  const auto sentence = [&](std::size_t offset, std::uint64_t value) {
    file.builder.write(offset, value);
    file.repair();
    return refusal(file.builder.bytes);
  };
  const std::uint64_t huge = std::uint64_t{1} << 61;
  SECTION("particles") {
    CHECK_THAT(sentence(16, 6), ContainsSubstring("6 particles at byte 16"));
  }
  SECTION("number of variables") {
    CHECK_THAT(sentence(48, huge), ContainsSubstring("variables of 272 bytes"));
  }
  SECTION("size of a variable header") {
    CHECK_THAT(sentence(56, 0), ContainsSubstring("0 bytes for a variable"));
  }
  SECTION("number of blocks") {
    CHECK_THAT(sentence(72, huge), ContainsSubstring("blocks of 48 bytes"));
  }
  SECTION("particles of a block") {
    CHECK_THAT(sentence(block0 + 24, huge), ContainsSubstring("block 0"));
  }
  SECTION("start of a block") {
    CHECK_THAT(sentence(block0 + 32, huge), ContainsSubstring("block 0"));
  }
  SECTION("width of a value") {
    CHECK_THAT(sentence(variable_table + 264, huge), ContainsSubstring("'x'"));
  }
  SECTION("a coordinate that is not a float") {
    CHECK_THAT(sentence(variable_table + 256, 0), ContainsSubstring("variable 'x'"));
  }
  SECTION("a name that is not text") {
    CHECK_THAT(sentence(variable_table, 0x0A78),
               ContainsSubstring("variable 0 at byte 168 is not text"));
  }
  SECTION("compressed blocks") {
    CHECK_THAT(sentence(152, 64), ContainsSubstring("compressed"));
  }
}

TEST_CASE("The public HACC snapshot has 32^3 particles in 256 Mpc/h and 32 blocks") {
  const auto reader = io::open_snapshot(data_file("hacc/m000.full.mpicosmo.50"));
  CHECK(reader->info().particles == 32768);
  CHECK_THAT(reader->info().detail, ContainsSubstring("32 blocks"));
  REQUIRE(reader->info().box.has_value());
  CHECK(reader->info().box->upper[0] == Real{256});
  const auto p = read_all(*reader);
  std::set<GlobalId> ids;
  for (Count i = 0; i < p.size(); ++i) {
    ids.insert(p.id(i));
    for (int a = 0; a < 3; ++a) REQUIRE((p.position(i, a) >= 0 && p.position(i, a) <= 256));
  }
  CHECK(ids.size() == 32768);
}
