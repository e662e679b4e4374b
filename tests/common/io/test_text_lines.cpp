// Oracle: lines and fields counted by hand.
#include "file_checks.hpp"
#include <copse/io/bytes/text_lines.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

#include <span>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Line {
  std::string content, comment;
  Count offset, number;
  bool operator==(const Line&) const = default;
};

std::vector<Line> lines_of(const std::string& text, io::LinePosition start = {}) {
  io::MemorySource source("memory", std::as_bytes(std::span(text)));
  io::TextLines lines(source, start);
  std::vector<Line> result;
  while (lines.next())
    result.push_back({std::string(lines.content()), std::string(lines.comment()),
                      lines.position().offset, lines.position().number});
  return result;
}

std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  io::split_fields(line, separator, fields);
  return {fields.begin(), fields.end()};
}

}  // namespace

TEST_CASE("Lines come without their ends, blanks and comments, with offset and number") {
  CHECK(lines_of("a b\r\n\n  c # d # e\n#f\nlast\n#end") == std::vector<Line>{{"a b", "", 0, 1},
                                                                              {"", "", 5, 2},
                                                                              {"c", " d # e", 6, 3},
                                                                              {"", "f", 18, 4},
                                                                              {"last", "", 21, 5},
                                                                              {"", "end", 26, 6}});
  CHECK(lines_of("").empty());
  CHECK(lines_of("\xEF\xBB\xBFx\n") == std::vector<Line>{{"x", "", 3, 1}});
}

TEST_CASE("A last line with content must have a line end: its last number may be cut off") {
  CHECK_THAT(sentence_of([] { lines_of("1.5\n2.5"); }),
             ContainsSubstring("memory: line 2 does not end with a line break"));
  CHECK(lines_of("1.5\n  ").size() == 2);
}

TEST_CASE("Reading can start at any line") {
  CHECK(lines_of("one\ntwo\nthree\n", {4, 2}) ==
        std::vector<Line>{{"two", "", 4, 2}, {"three", "", 8, 3}});
}

TEST_CASE("Text longer than the buffer is read whole, line by line") {
  std::string text;
  for (int i = 0; i < 400000; ++i) text += std::to_string(i) + " some words\n";
  const auto lines = lines_of(text);
  REQUIRE(lines.size() == 400000);
  bool equal = true;
  for (std::size_t i = 0; i < lines.size(); ++i)
    equal =
        equal && lines[i].content == std::to_string(i) + " some words" && lines[i].number == i + 1;
  CHECK(equal);
}

TEST_CASE("A line longer than 1 MiB is refused with its number") {
  const std::string fits(io::max_line_bytes, 'x');
  CHECK(lines_of("\n" + fits + "\n").size() == 2);
  for (const std::string& end : {std::string("\n"), std::string(), std::string(3 << 20, 'x')})
    CHECK_THAT(sentence_of([&] { lines_of("\n" + fits + "x" + end); }),
               ContainsSubstring("line 2 is longer"));
}

TEST_CASE("Fields are separated by single commas or runs of blanks") {
  using Fields = std::vector<std::string>;
  CHECK(fields_of("a, b ,,c", ',') == Fields{"a", "b", "", "c"});
  CHECK(fields_of("a;b;", ';') == Fields{"a", "b", ""});
  CHECK(fields_of(" a \t b,c  ", ' ') == Fields{"a", "b,c"});
  CHECK(fields_of("", ' ').empty());
}
