// Oracles: texts typed in by hand, text written by NumPy, and a public file of known size.
#include "byte_builder.hpp"
#include "data_file.hpp"
#include "file_checks.hpp"
#include "python_oracle.hpp"
#include "table_checks.hpp"
#include <copse/io/csv_reader.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

std::string refusal_of_text(const std::string& text) {
  return refusal(bytes_of_text(text));
}

}  // namespace

TEST_CASE("Without names the columns are x y z, velocity, mass and id") {
  const char separator = GENERATE(',', ';', ' ', '\t');
  std::string text = "1,2,3,4,5,6,7,8\n-1,.5,+2e0,1e-3,5,6,7,18446744073709551615\n";
  std::replace(text.begin(), text.end(), ',', separator);
  const auto bytes = bytes_of_text(text);
  const auto reader = open_bytes(bytes);
  CHECK(reader->info().format == "csv");
  REQUIRE(reader->info().particles == 2);
  const auto p = read_all(*reader);
  CHECK(p.position(0, 2) == Real{3});
  CHECK(p.position(1, 0) == Real{-1});
  CHECK(p.position(1, 1) == Real{0.5});
  CHECK(p.position(1, 2) == Real{2});
  CHECK(p.velocity(1, 0) == static_cast<Real>(1e-3));
  CHECK(p.velocity(0, 2) == Real{6});
  CHECK(p.mass(0) == Real{7});
  CHECK(p.id(0) == 8);
  CHECK(p.id(1) == ~GlobalId{0});
}

TEST_CASE("A header chooses columns by name, in any order and case") {
  const auto bytes = bytes_of_text("\xEF\xBB\xBF\"ID\", Z ,colour,x,Y\r\n7,3,red,1,2\r\n");
  const auto reader = open_bytes(bytes);
  CHECK_FALSE(reader->info().columns.velocity);
  const auto p = read_all(*reader);
  REQUIRE(p.size() == 1);
  CHECK(p.position(0, 0) == Real{1});
  CHECK(p.position(0, 1) == Real{2});
  CHECK(p.position(0, 2) == Real{3});
  CHECK(p.id(0) == 7);
}

TEST_CASE("A comment before the numbers is a header if it names x, y and z, else it is a comment") {
  const auto named = bytes_of_text("# made by hand\n# z y x\n1 2 3\n");
  CHECK(read_all(*open_bytes(named)).position(0, 0) == Real{3});
  const auto plain = bytes_of_text("# three more words\n# x x x\n1 2 3 # end\n\n# 4 5 6\n7 8 9\n");
  const auto p = read_all(*open_bytes(plain));
  REQUIRE(p.size() == 2);
  CHECK(p.position(0, 0) == Real{1});
  CHECK(p.position(1, 2) == Real{9});
}

TEST_CASE("Files of three, four or five columns hold positions; further columns are ignored") {
  for (const char* text : {"1,2,3\n", "1,2,3,4\n", "1,2,3,4,5\n"}) {
    const auto bytes = bytes_of_text(text);
    const ColumnSet columns = open_bytes(bytes)->info().columns;
    CHECK_FALSE((columns.velocity || columns.mass || columns.id || columns.weight));
  }
}

TEST_CASE("Ids may be written as floating point, and numbers too small for the type are zero") {
  const auto bytes = bytes_of_text("x y z id\n1e-300 -1e-400 0 1.2e1\n");
  const auto p = read_all(*open_bytes(bytes));
  CHECK(p.id(0) == 12);
  CHECK(p.position(0, 1) == Real{0});
}

TEST_CASE("A bad line is named") {
  CHECK_THAT(refusal_of_text("x,y,z\n1,2,3\n\n1,2,three\n"),
             EndsWith("line 4 has z = 'three', which is not a finite number in range"));
  CHECK_THAT(refusal_of_text("1,2,3\n1,2\n"),
             EndsWith("line 2 has 2 columns, but the first has 3"));
  CHECK_THAT(refusal_of_text("1 2 3\n1 nan 3\n"), ContainsSubstring("line 2 has y = 'nan'"));
  CHECK_THAT(refusal_of_text("1 2 3\n1 2 1e999\n"), ContainsSubstring("line 2 has z = '1e999'"));
  CHECK_THAT(refusal_of_text("1 2 3\n1 2 3x\n"), ContainsSubstring("line 2"));
  CHECK_THAT(refusal_of_text("1,2,3\n1,,3\n"), ContainsSubstring("line 2 has y = ''"));
  CHECK_THAT(refusal_of_text("x,y,z,id\n1,2,3,-4\n"), ContainsSubstring("line 2 has id = '-4'"));
  CHECK_THAT(refusal_of_text("x,y,z,id\n1,2,3,1.5\n"), ContainsSubstring("line 2 has id = '1.5'"));
  CHECK_THAT(refusal_of_text("1 2 \x01\n"), ContainsSubstring("memory: "));
}

TEST_CASE("A text without usable columns is refused") {
  CHECK_THAT(refusal_of_text("1,2\n"), ContainsSubstring("line 1 has 2 columns"));
  CHECK_THAT(refusal_of_text("a,b,z\n1,2,3\n"),
             ContainsSubstring("line 1 is a header without a column named x"));
  CHECK_THAT(refusal_of_text("x,y,z,X\n"), ContainsSubstring("line 1 names two columns x"));
  CHECK_THAT(refusal_of_text("# nothing\n\n"), ContainsSubstring("no line with numbers"));
}

TEST_CASE("A header without rows is a snapshot of no particles") {
  const auto bytes = bytes_of_text("x,y,z\n");
  CHECK(read_all(*open_bytes(bytes)).size() == 0);
}

TEST_CASE("Any slice of a long file equals the same rows of the whole file") {
  std::string text = "x y z id\n";
  constexpr int rows = 150000;
  for (int i = 0; i < rows; ++i) {
    if (i % 1000 == 0) text += "# comment\n\n";
    text += std::to_string(i) + " 1 2 " + std::to_string(i) + "\n";
  }
  const auto bytes = bytes_of_text(text);
  const auto reader = open_bytes(bytes);
  REQUIRE(reader->info().particles == rows);
  for (const Count first : {0, 1, 65535, 65536, 65537, 131072, 149999}) {
    const auto slice = read_slice(*reader, first, std::min<Count>(rows - first, 70000));
    bool equal = true;
    for (Count i = 0; i < slice.size(); ++i)
      equal =
          equal && slice.id(i) == first + i && slice.position(i, 0) == static_cast<Real>(first + i);
    CHECK(equal);
  }
}

// A prefix that ends with a whole line is valid: the text does not show that lines are missing.
TEST_CASE(
    "A text cut off within a line is refused with the number of that line, whatever is left of its "
    "values") {
  const std::string text = "x,y,z\n1.25,2,3.75\n4,5,6.125\n";
  for (std::size_t length = 1; length < text.size(); ++length) {
    const std::string sentence = refusal_of_text(text.substr(0, length));
    INFO(length << ": " << sentence);
    const bool whole = text[length - 1] == '\n';
    CHECK(sentence.empty() == whole);
    CHECK((whole || sentence.starts_with("memory: line ")));
  }
}

TEST_CASE("Text that numpy.savetxt wrote gives back the exact numbers") {
  const ScratchFolder folder;
  run_python(folder.path(), R"(
rng = np.random.default_rng(1)
x = rng.normal(size=(1000, 7))
np.savetxt('x.txt', x, header='vx vy vz x y z mass')
x.astype(np.float64).tofile('x.raw')
)");
  const auto reader = io::open_snapshot(folder / "x.txt");
  const auto p = read_all(*reader);
  REQUIRE(p.size() == 1000);
  const auto raw = bytes_of_file(folder / "x.raw");
  std::vector<double> expected(7000);
  std::memcpy(expected.data(), raw.data(), raw.size());
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t a = 0; a < 3; ++a) {
      REQUIRE(p.velocity(i, a) == static_cast<Real>(expected[7 * i + a]));
      REQUIRE(p.position(i, a) == static_cast<Real>(expected[7 * i + 3 + a]));
    }
    REQUIRE(p.mass(i) == static_cast<Real>(expected[7 * i + 6]));
  }
}

TEST_CASE("The public list of 1000 points is read") {
  const auto reader = io::open_snapshot(data_file("arborx/mst_golden_test_points.csv"));
  const auto p = read_all(*reader);
  REQUIRE(p.size() == 1000);
  CHECK(p.position(0, 0) == static_cast<Real>(0.339406815));
  CHECK(p.position(2, 2) == static_cast<Real>(0.623370668));
}
