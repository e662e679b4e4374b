// Oracles: files built byte by byte, and files written by NumPy.
#include "file_checks.hpp"
#include "npy_bytes.hpp"
#include "python_oracle.hpp"
#include <copse/io/tables/npy_table.hpp>
#include <copse/io/tables/table_points.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

io::NpyTable table_of_bytes(const std::vector<std::byte>& bytes) {
  return io::NpyTable(std::make_unique<io::MemorySource>("memory", bytes));
}

template <int Dim>
Points<Dim, Kokkos::HostSpace> points_of_file(const std::filesystem::path& path) {
  io::NpyTable table(std::make_unique<io::FileSource>(path));
  return io::points_of_table<Dim>(table, {});
}

}  // namespace

TEST_CASE("Both types, byte orders and storage orders give the same numbers") {
  const bool fortran = GENERATE(false, true);
  const bool wide = GENERATE(false, true);
  const std::endian order = GENERATE(std::endian::little, std::endian::big);
  const std::string descr =
      std::string(order == std::endian::little ? "<" : ">") + (wide ? "f8" : "f4");
  const auto bytes = npy_bytes(npy_dictionary(descr, fortran, "(4, 5)"),
                               wide ? halves<double>(20, order) : halves<float>(20, order));
  auto table = table_of_bytes(bytes);
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

TEST_CASE("A one-dimensional array is one column") {
  const auto bytes =
      npy_bytes(npy_dictionary("<f8", false, "(3,)"), halves<double>(3, std::endian::little));
  auto table = table_of_bytes(bytes);
  CHECK(table.rows() == 3);
  CHECK(table.columns() == 1);
}

TEST_CASE("Arrays that are not tables of floats, or do not fill the file exactly, are refused") {
  const auto sentence = [](const std::string& descr, const std::string& shape,
                           std::size_t numbers) {
    const auto bytes =
        npy_bytes(npy_dictionary(descr, false, shape), halves<float>(numbers, std::endian::little));
    return sentence_of([&] { table_of_bytes(bytes); });
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
    io::NpyTable table(std::make_unique<io::FileSource>(folder / name));
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
