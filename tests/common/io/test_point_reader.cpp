// Oracles: files built byte by byte or by NumPy, and the projection of their rows by hand.
#include "file_checks.hpp"
#include "idx_bytes.hpp"
#include "npy_bytes.hpp"
#include "table_checks.hpp"
#include <copse/io/point_reader.hpp>
#include <copse/particles/random_projection.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include <limits>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Calls `f(dim)` for every dimension of this build with a fresh folder.
template <class F>
void in_every_dimension(F&& f) {
  for_each_dimension([&](auto dim) {
    const ScratchFolder folder;
    INFO(dim() << "-D");
    f(dim, folder);
  });
}

template <int Dim>
bool equal_points(const Points<Dim, Kokkos::HostSpace>& a,
                  const Points<Dim, Kokkos::HostSpace>& b) {
  if (a.extent(0) != b.extent(0)) return false;
  for (Count i = 0; i < a.extent(0); ++i)
    for (int j = 0; j < Dim; ++j)
      if (a(i, j) != b(i, j)) return false;
  return true;
}

/// `rows` lines of the numbers 0, 1, 2, ..., `columns` per line.
std::string counting_text(int rows, int columns) {
  std::string text;
  for (int k = 0; k < rows * columns; ++k)
    text += fmt::format("{}{}", k, k % columns == columns - 1 ? "\n" : ",");
  return text;
}

/// True if coordinate (i, a) is i * Dim + a.
template <int Dim>
bool counts(const Points<Dim, Kokkos::HostSpace>& points, Count rows) {
  if (points.extent(0) != rows) return false;
  for (Count i = 0; i < rows; ++i)
    for (int a = 0; a < Dim; ++a)
      if (points(i, a) != static_cast<Real>(static_cast<int>(i) * Dim + a)) return false;
  return true;
}

}  // namespace

TEST_CASE("The same points are read from .npy, IDX and text, detected by their content") {
  in_every_dimension([]<int Dim>(std::integral_constant<int, Dim>, const ScratchFolder& folder) {
    ByteBuilder numbers(std::endian::little);
    for (int k = 0; k < 4 * Dim; ++k) numbers.put(static_cast<float>(k));
    const std::string shape = fmt::format("(4, {})", Dim);
    const auto npy =
        folder.write("a", npy_bytes(npy_dictionary("<f4", false, shape), numbers.bytes));
    CHECK(counts<Dim>(io::read_points<Dim>(npy, {}), 4));
    const auto idx = folder.write("b", counting_idx<std::int16_t>(0x0B, {4, Dim}));
    CHECK(counts<Dim>(io::read_points<Dim>(idx, {}), 4));
    const auto text = folder.write("c", bytes_of_text(counting_text(4, Dim)));
    CHECK(counts<Dim>(io::read_points<Dim>(text, {}), 4));
    io::PointFileOptions chosen;
    chosen.columns = fmt::format("1-{}", Dim);
    CHECK(counts<Dim>(io::read_points<Dim>(text, chosen), 4));
  });
}

TEST_CASE("A projection of IDX, .npy and text rows is the sum of the rows' numbers times weights") {
  in_every_dimension([]<int Dim>(std::integral_constant<int, Dim>, const ScratchFolder& folder) {
    const auto idx = folder.write("images", counting_idx<std::uint8_t>(0x08, {5, 3, 4}));
    const auto text = folder.write("text", bytes_of_text(counting_text(5, 12)));
    ByteBuilder numbers(std::endian::little);
    for (int k = 0; k < 60; ++k) numbers.put(static_cast<double>(k));
    const auto npy =
        folder.write("array", npy_bytes(npy_dictionary("<f8", false, "(5, 12)"), numbers.bytes));
    constexpr std::uint64_t seed = 17;
    // Row k of the unit matrix projects to the weights of column k.
    std::vector<Real> unit(12 * 12, Real{0});
    for (std::size_t k = 0; k < 12; ++k) unit[13 * k] = 1;
    Points<Dim, Kokkos::HostSpace> rows("copse::test::weights", 12);
    RandomProjection<Dim>(12, seed).project(unit.data(), 12, 12, rows, 0);
    io::PointFileOptions options;
    options.projection = seed;
    const auto points = io::read_points<Dim>(idx, options);
    REQUIRE(points.extent(0) == 5);
    for (int i = 0; i < 5; ++i)
      for (int a = 0; a < Dim; ++a) {
        double sum = 0.0;
        for (int k = 0; k < 12; ++k) sum += (12 * i + k) * static_cast<double>(rows(k, a));
        CHECK(std::abs(points(i, a) - sum) < 1e-3);
      }
    for (const auto& path : {text, npy})
      CHECK(equal_points<Dim>(points, io::read_points<Dim>(path, options)));
  });
}

TEST_CASE("Rows longer and shorter than a chunk are all projected") {
  in_every_dimension([]<int Dim>(std::integral_constant<int, Dim>, const ScratchFolder& folder) {
    // 70,000 rows of one number are one chunk or two, 3 rows of 600,000 one chunk each.
    for (const std::vector<std::uint32_t>& sizes :
         {std::vector<std::uint32_t>{270000}, {3, 600, 1000}}) {
      ByteBuilder file = idx_header(0x08, sizes);
      const std::size_t header = file.bytes.size();
      const std::size_t row = sizes.size() == 1 ? 1 : 600000;
      file.bytes.resize(header + sizes[0] * row, std::byte{0});
      for (std::size_t i = 0; i < sizes[0]; ++i)
        file.bytes[header + i * row] = static_cast<std::byte>(1 + i % 2);
      io::PointFileOptions options;
      options.projection = 42;
      const auto points = io::read_points<Dim>(folder.write("rows", file.bytes), options);
      REQUIRE(points.extent(0) == sizes[0]);
      Count wrong = 0;
      for (Count i = 0; i < points.extent(0); ++i)
        wrong += points(i, 0) != points(i % 2, 0) || points(0, 0) == points(1, 0);
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE(
    "Text may have more columns than the chosen ones, and in 3-D x, y and z are found by name") {
  in_every_dimension([]<int Dim>(std::integral_constant<int, Dim>, const ScratchFolder& folder) {
    std::string text = "name";
    std::string choice;
    for (int a = 0; a < Dim; ++a) {
      text += fmt::format(",c{}", a);
      choice += fmt::format("{}c{}", a == 0 ? "" : ",", a);
    }
    text += "\n";
    for (int i = 0; i < 3; ++i) {
      text += "a";
      for (int a = 0; a < Dim; ++a) text += fmt::format(",{}", i * Dim + a);
      text += "\n";
    }
    const auto path = folder.write("text", bytes_of_text(text));
    io::PointFileOptions options;
    options.columns = choice;
    CHECK(counts<Dim>(io::read_points<Dim>(path, options), 3));
    options.columns = fmt::format("2-{}", Dim + 1);
    CHECK(counts<Dim>(io::read_points<Dim>(path, options), 3));
    if constexpr (Dim == 3) {
      const auto named = folder.write("named", bytes_of_text("mass,z,x,y\n9,2,0,1\n9,5,3,4\n"));
      CHECK(counts<3>(io::read_points<3>(named, {}), 2));
    }
  });
}

TEST_CASE("A file without points of this dimension is refused in one sentence that names it") {
  in_every_dimension([]<int Dim>(std::integral_constant<int, Dim>, const ScratchFolder& folder) {
    const auto refused = [&](const std::vector<std::byte>& bytes,
                             const io::PointFileOptions& options, const std::string& text) {
      const auto path = folder.write("bad", bytes);
      const std::string sentence = sentence_of([&] { io::read_points<Dim>(path, options); });
      INFO(sentence);
      CHECK(sentence.starts_with(path.string()));
      CHECK(sentence.find('\n') == std::string::npos);
      CHECK_THAT(sentence, ContainsSubstring(text));
    };
    const std::string wanted = fmt::format("but points in {}-D are wanted", Dim);
    refused({}, {}, "the file is empty");
    refused(std::vector<std::byte>(5, std::byte{1}), {}, "neither .npy nor IDX nor text");
    refused(counting_idx<std::uint8_t>(0x08, {2, 9}), {}, "9 columns, " + wanted);
    refused(idx_header(0x08, {2, Dim}).put(std::uint8_t{0}).bytes, {}, "bytes, but 1 follow");
    io::PointFileOptions chosen;
    chosen.columns = "1-9";
    refused(counting_idx<std::uint8_t>(0x08, {2, 9}), chosen, "not in IDX");
    refused(bytes_of_text(counting_text(2, 9)), chosen, "9 columns, " + wanted);
    refused(bytes_of_text(counting_text(2, 8)), chosen, "line 1 has 8 columns");
    if (Dim != 3) refused(bytes_of_text(counting_text(2, 9)), {}, "9 columns, " + wanted);

    ByteBuilder numbers = idx_header(0x0E, {2, Dim});
    for (int k = 0; k < 2 * Dim; ++k)
      numbers.put(k == Dim ? std::numeric_limits<double>::quiet_NaN() : 1.0);
    refused(numbers.bytes, {}, "row 1, column 0 (counted from 0) is not a finite number");
    io::PointFileOptions projected;
    projected.projection = 42;
    refused(numbers.bytes, projected, "row 1, column 0 (counted from 0) is not a finite number");
    ByteBuilder large = idx_header(0x0D, {1, 100});
    for (int k = 0; k < 100; ++k) large.put(std::numeric_limits<float>::max());
    if (sizeof(Real) == 4 && Dim > 1) refused(large.bytes, projected, "(projected): row 0");
  });
}

TEST_CASE("A snapshot is read in 3-D and refused in other dimensions") {
  in_every_dimension([]<int Dim>(std::integral_constant<int, Dim>, const ScratchFolder& folder) {
    // Tipsy, standard: time, particles, dimensions, gas, dark, stars, padding; mass, position,
    // velocity, softening, potential of two dark particles.
    ByteBuilder file(std::endian::big);
    file.put(0.5);
    for (const int n : {2, 3, 0, 2, 0, 0}) file.put(n);
    for (int i = 0; i < 2; ++i)
      for (const int k : {9, 3 * i, 3 * i + 1, 3 * i + 2, 0, 0, 0, 0, 0})
        file.put(static_cast<float>(k));
    const auto path = folder.write("snapshot", file.bytes);
    io::PointFileOptions chosen;
    chosen.columns = "1-3";
    CHECK_THAT(sentence_of([&] { io::read_points<Dim>(path, chosen); }),
               ContainsSubstring("not in tipsy"));
    io::PointFileOptions projected;
    projected.projection = 42;
    CHECK_THAT(sentence_of([&] { io::read_points<Dim>(path, projected); }),
               ContainsSubstring("without a projection"));
    if constexpr (Dim == 3)
      CHECK(counts<3>(io::read_points<3>(path, {}), 2));
    else
      CHECK_THAT(sentence_of([&] { io::read_points<Dim>(path, {}); }),
                 ContainsSubstring("snapshot of format tipsy can be read only as 3-D points"));
  });
}
