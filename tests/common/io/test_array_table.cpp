// Oracles: files built byte by byte, and .npy files written by NumPy.
#include "file_checks.hpp"
#include "idx_bytes.hpp"
#include "npy_bytes.hpp"
#include "python_oracle.hpp"
#include "table_checks.hpp"
#include <copse/io/tables/array_table.hpp>
#include <copse/io/tables/table_points.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

io::ArrayTable npy_table(const std::vector<std::byte>& bytes) {
  return io::open_npy_table(std::make_unique<io::MemorySource>("memory", bytes));
}

template <int Dim>
Points<Dim, Kokkos::HostSpace> points_of_file(const std::filesystem::path& path) {
  auto table = io::open_npy_table(std::make_unique<io::FileSource>(path));
  return io::points_of_table<Dim>(table, {});
}

const OpenTable open_idx = [](std::unique_ptr<io::ByteSource> source) {
  return std::make_unique<io::ArrayTable>(io::open_idx_table(std::move(source)));
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

TEST_CASE("Both types, byte orders and storage orders of .npy give the same numbers") {
  const bool fortran = GENERATE(false, true);
  const bool wide = GENERATE(false, true);
  const std::endian order = GENERATE(std::endian::little, std::endian::big);
  const std::string descr =
      std::string(order == std::endian::little ? "<" : ">") + (wide ? "f8" : "f4");
  const auto bytes = npy_bytes(npy_dictionary(descr, fortran, "(4, 5)"),
                               wide ? halves<double>(20, order) : halves<float>(20, order));
  auto table = npy_table(bytes);
  REQUIRE(table.rows() == 4);
  REQUIRE(table.columns() == 5);
  std::vector<Real> out(10, Real{-1});
  table.read_rows(1, 2, out.data(), 2, {});
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      const std::size_t k = fortran ? j * 4 + (i + 1) : (i + 1) * 5 + j;
      CHECK(out[i + 2 * j] == static_cast<Real>(k) + Real{0.5});
    }
}

TEST_CASE("A one-dimensional .npy array is one column") {
  const auto bytes =
      npy_bytes(npy_dictionary("<f8", false, "(3,)"), halves<double>(3, std::endian::little));
  auto table = npy_table(bytes);
  CHECK(table.rows() == 3);
  CHECK(table.columns() == 1);
}

TEST_CASE(
    ".npy arrays that are not tables of floats, or do not fill the file exactly, are refused") {
  const auto sentence = [](const std::string& descr, const std::string& shape,
                           std::size_t numbers) {
    const auto bytes =
        npy_bytes(npy_dictionary(descr, false, shape), halves<float>(numbers, std::endian::little));
    return sentence_of([&] { npy_table(bytes); });
  };
  CHECK(sentence("<f4", "(2, 3)", 6).empty());
  CHECK_THAT(sentence("<i4", "(2, 3)", 6), ContainsSubstring("'<i4'"));
  CHECK_THAT(sentence("<f2", "(2, 3)", 3), ContainsSubstring("'<f2'"));
  CHECK_THAT(sentence("<f4", "(2, 3, 1)", 6), ContainsSubstring("3 dimensions"));
  CHECK_THAT(sentence("<f4", "()", 1), ContainsSubstring("0 dimensions"));
  CHECK_THAT(sentence("<f4", "(2, 3)", 5), ContainsSubstring("takes 24 bytes, but 20 follow"));
  CHECK_THAT(sentence("<f4", "(2, 3)", 7), ContainsSubstring("takes 24 bytes, but 28 follow"));
  CHECK_THAT(sentence("<f4", "(9223372036854775807, 3)", 6),
             ContainsSubstring("larger than any file"));
  CHECK_THAT(sentence("<f4", "(1000000000000, 3)", 6),
             ContainsSubstring("takes 12000000000000 bytes"));
  CHECK(sentence("<f4", "(18446744073709551615, 0)", 0).empty());
}

TEST_CASE("Points of any dimension written by NumPy are read as they are") {
  const ScratchFolder folder;
  run_python(folder.path(), R"(
x = np.arange(700000, dtype=np.float64).reshape(100000, 7) / 4
np.save('c.npy', x.astype('<f4'))
np.save('big.npy', x.astype('>f8'))
np.save('fortran.npy', np.asfortranarray(x))
with open('v3.npy', 'wb') as f: np.lib.format.write_array(f, x[:10], version=(3, 0))
with open('v2.npy', 'wb') as f: np.lib.format.write_array(f, x[:10], version=(2, 0))
x[77, 3] = np.nan
np.save('nan.npy', x)
)");
  for (const char* name : {"c.npy", "big.npy", "fortran.npy", "v2.npy", "v3.npy"}) {
    INFO(name);
    const auto points = points_of_file<7>(folder / name);
    REQUIRE(points.extent(0) == (name[0] == 'v' ? 10 : 100000));
    bool equal = true;
    for (std::size_t i = 0; i < points.extent(0); ++i)
      for (std::size_t j = 0; j < 7; ++j)
        equal = equal && points(i, j) == static_cast<Real>(static_cast<double>(7 * i + j) / 4);
    CHECK(equal);
  }
  for (const char* name : {"c.npy", "fortran.npy"}) {
    INFO("progress of " << name);
    auto table = io::open_npy_table(std::make_unique<io::FileSource>(folder / name));
    std::vector<Real> numbers(7 * table.rows());
    Count last = 0;
    bool grows = true;
    table.read_rows(0, table.rows(), numbers.data(), table.rows(), [&](Count done, Count rows) {
      grows = grows && done >= last && rows == 100000;
      last = done;
    });
    CHECK(grows);
    CHECK(last == 100000);
  }
  CHECK_THAT(sentence_of([&] { points_of_file<3>(folder / "c.npy"); }),
             ContainsSubstring("7 columns, but points in 3-D"));
  CHECK_THAT(sentence_of([&] { points_of_file<7>(folder / "nan.npy"); }),
             ContainsSubstring("row 77, column 3"));
}

TEST_CASE("All number types of IDX are read, rows laid out flat") {
  check_counting<std::uint8_t>(0x08);
  check_counting<std::int8_t>(0x09);
  check_counting<std::int16_t>(0x0B);
  check_counting<std::int32_t>(0x0C);
  check_counting<float>(0x0D);
  check_counting<double>(0x0E);
}

TEST_CASE("Unsigned bytes of IDX go to 255, signed numbers below zero") {
  CHECK(rows_of(idx_header(0x08, {1, 1}).put(std::uint8_t{255}).bytes, open_idx) ==
        std::vector<std::vector<Real>>{{255}});
  CHECK(rows_of(idx_header(0x09, {1}).put(std::int8_t{-1}).bytes, open_idx) ==
        std::vector<std::vector<Real>>{{-1}});
  CHECK(rows_of(idx_header(0x0B, {1}).put(std::int16_t{-300}).bytes, open_idx) ==
        std::vector<std::vector<Real>>{{-300}});
}

TEST_CASE("An IDX list is one column, and a size of zero gives no rows") {
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

TEST_CASE("IDX headers that are damaged or do not fit the file are refused") {
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
