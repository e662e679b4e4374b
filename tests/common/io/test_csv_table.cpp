// Oracles: texts typed in by hand, and text written by NumPy.
#include "python_oracle.hpp"
#include "table_checks.hpp"
#include <copse/io/tables/column_choice.hpp>
#include <copse/io/tables/csv_table.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Rows = std::vector<std::vector<Real>>;

namespace {

OpenTable choosing(const std::string& choice) {
  return [choice](std::unique_ptr<io::ByteSource> source) {
    return std::make_unique<io::CsvTable>(std::move(source), choice);
  };
}

Rows read(const std::string& text, const std::string& choice) {
  return rows_of(bytes_of_text(text), choosing(choice));
}

std::string refused(const std::string& text, const std::string& choice) {
  return refusal_of_table(bytes_of_text(text), choosing(choice));
}

}  // namespace

TEST_CASE("Columns are chosen by number, range and name, in the order of the choice") {
  const std::string text =
      "Name,Lat,\"Lon\",people\r\nParis,48.5,2.25,2e6\r\nOslo,59.75,10.5,7e5\r\n";
  CHECK(read(text, "lat,LON") == Rows{{48.5, 2.25}, {59.75, 10.5}});
  CHECK(read(text, "3,2") == Rows{{2.25, 48.5}, {10.5, 59.75}});
  CHECK(read(text, " 2 - 3 , people") == Rows{{48.5, 2.25, 2e6}, {59.75, 10.5, 7e5}});
  CHECK(read("1;2;3\n4;5;6\n", "2-3") == Rows{{2, 3}, {5, 6}});
  CHECK(read("1 2\t 3\n", "") == Rows{{1, 2, 3}});
}

TEST_CASE("A first line without a number in the chosen columns is a header, others are not") {
  CHECK(read("1,b,c\n4,5,6\n", "2-3") == Rows{{5, 6}});
  CHECK(read("a,b\n1,2\n", "") == Rows{{1, 2}});
  CHECK_THAT(refused("1,b,c\n4,5,6\n", "1-2"),
             EndsWith("line 1 has 'b' in column 2, which is not a finite number in range"));
  CHECK(read("a,b\n", "a").empty());
}

TEST_CASE("Names may be in the last comment before the numbers") {
  CHECK(read("# made by hand\n# u v w\n1 2 3\n", "w,u") == Rows{{3, 1}});
  CHECK(read("# u v\n1 2 3 # end\n\n# 4 5 6\n7 8 9\n", "2") == Rows{{2}, {8}});
  CHECK_THAT(refused("# u v\n1 2 3\n", "u"), EndsWith("line 2 has no column named 'u'"));
}

TEST_CASE("A choice that cannot be parsed is refused and quoted") {
  for (const std::string choice : {"1,,2", ",", "0", "0-3", "7-1", "1,"})
    CHECK_THAT(refused("1,2,3,4,5,6,7,8\n", choice), ContainsSubstring("'" + choice + "'"));
  CHECK_THAT(refused("1,2,3\n", "1-2,2"), EndsWith("'1-2,2' has a column twice"));
  CHECK_THAT(refused("1,2,3\n", "2-9"), EndsWith("line 1 has 3 columns, but column 9 is wanted"));
  CHECK_THAT(refused("1,2,3\n", "1-99999999999999999999"), ContainsSubstring("no column named"));
  CHECK_THAT(refused("1,2,3\n", "1-9999999999999999999"), ContainsSubstring("is wanted"));
  CHECK_THAT(refused("lat,lon\n1,2\n", "lat,long"), EndsWith("line 1 has no column named 'long'"));
}

TEST_CASE("Damage is reported with its line, and only in chosen columns") {
  CHECK_THAT(refused("1,2\n3,4\n\n5,six\n", ""),
             EndsWith("line 4 has 'six' in column 2, which is not a finite number in range"));
  CHECK(refused("1,2\n3,4\n\n5,six\n", "1").empty());
  CHECK_THAT(refused("1,2\n3\n", "1"), EndsWith("line 2 has 1 columns, but the first has 2"));
  CHECK_THAT(refused("1,2\n3,4,5\n", "1"), ContainsSubstring("line 2 has 3 columns"));
  for (const char* number : {"nan", "inf", "-inf", "1e999", "", "1x", "0x10"})
    CHECK_THAT(refused("1,2\n" + std::string(number) + ",4\n", "1"),
               ContainsSubstring("line 2 has '"));
  CHECK_THAT(refused("# nothing\n\n", "1"), ContainsSubstring("no line with numbers"));
  CHECK_THAT(refused("", "1"), ContainsSubstring("no line with numbers"));
}

TEST_CASE("A table cut off within a line is refused with the number of that line") {
  const std::string text = "x,y,z\n1.25,2,3.75\n4,5,6.125\n";
  for (std::size_t length = 1; length < text.size(); ++length) {
    const std::string sentence = refused(text.substr(0, length), "1-3");
    const std::string by_name = refused(text.substr(0, length), "z,x");
    for (const std::string& s : {sentence, by_name}) {
      INFO(length << ": " << s);
      const bool whole = text[length - 1] == '\n';
      CHECK(s.empty() == whole);
      CHECK((whole || s.starts_with("memory: line ")));
    }
  }
}

TEST_CASE("Any slice of a long table equals the same rows of the whole table") {
  std::string text = "a b\n";
  constexpr Count rows = 140000;
  for (Count i = 0; i < rows; ++i) {
    if (i % 1000 == 0) text += "# comment\n\n";
    text += std::to_string(i) + " word\n";
  }
  const auto bytes = bytes_of_text(text);
  for (const Count first : {0, 65535, 65536, 65537, 131072, 139999}) {
    const Count count = std::min<Count>(rows - first, 70000);
    const Rows slice = rows_of(bytes, choosing("a"), first, count);
    bool equal = true;
    for (Count i = 0; i < count; ++i)
      equal = equal && slice[i] == std::vector<Real>{static_cast<Real>(first + i)};
    CHECK(equal);
  }
}

TEST_CASE("Columns that numpy.savetxt wrote give back the exact numbers") {
  const ScratchFolder folder;
  run_python(folder.path(), R"(
x = np.random.default_rng(1).normal(size=(1000, 9))
np.savetxt('x.csv', x, delimiter=',')
x.tofile('x.raw')
)");
  io::CsvTable table(std::make_unique<io::FileSource>(folder / "x.csv"), "2-8");
  REQUIRE(table.rows() == 1000);
  REQUIRE(table.columns() == 7);
  std::vector<Real> read(7000);
  table.read_rows(0, 1000, read.data(), 1000, {});
  const auto raw = bytes_of_file(folder / "x.raw");
  std::vector<double> expected(9000);
  std::memcpy(expected.data(), raw.data(), raw.size());
  Count different = 0;
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t j = 0; j < 7; ++j)
      different += read[i + 1000 * j] != static_cast<Real>(expected[9 * i + 1 + j]);
  CHECK(different == 0);
}
