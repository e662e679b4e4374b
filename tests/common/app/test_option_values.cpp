#include <copse/app/option_values.hpp>
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>
#include <string>
#include <utility>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using copse::Count;
using copse::InputError;
using copse::app::parse_box;
using copse::app::parse_count;

// Oracle: the numbers in full.
TEST_CASE("every way to write a count gives the exact number") {
  const auto [text, value] = GENERATE(
      std::pair<std::string, Count>{"0", 0u}, std::pair<std::string, Count>{"1000", 1000u},
      std::pair<std::string, Count>{"1e7", 10'000'000u},
      std::pair<std::string, Count>{"1E+3", 1000u},
      std::pair<std::string, Count>{"2.5e6", 2'500'000u},
      std::pair<std::string, Count>{"1.50e1", 15u}, std::pair<std::string, Count>{"3.0", 3u},
      std::pair<std::string, Count>{"120e-1", 12u},
      std::pair<std::string, Count>{"2^20", 1'048'576u},
      std::pair<std::string, Count>{"10k", 10'000u},
      std::pair<std::string, Count>{"1.5M", 1'500'000u},
      std::pair<std::string, Count>{"4G", 4'000'000'000u}, std::pair<std::string, Count>{"0e9", 0u},
      std::pair<std::string, Count>{"007", 7u},
      std::pair<std::string, Count>{"2^63", 9'223'372'036'854'775'808u},
      std::pair<std::string, Count>{"18446744073709551615", std::numeric_limits<Count>::max()});
  CAPTURE(text);
  CHECK(parse_count("--particles", text) == value);
}

// Oracle: 2^53 + 1 and 10^19 are not representable in double, so a conversion through it would
// show.
TEST_CASE("counts beyond the exact range of double stay exact") {
  CHECK(parse_count("--n", "9007199254740993") == 9'007'199'254'740'993u);
  CHECK(parse_count("--n", "1e19") == 10'000'000'000'000'000'000u);
}

TEST_CASE("a text that is not a count is refused with the option and the reason") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"-5", "is negative"},
      {"-1e7", "is negative"},
      {"1.5", "is not a whole number"},
      {"1e-1", "is not a whole number"},
      {"2.5k1", "is not a count"},
      {"18446744073709551616", "does not fit in 64 bits"},
      {"1e20", "does not fit in 64 bits"},
      {"1e999999999", "does not fit in 64 bits"},
      {"2^64", "does not fit in 64 bits"},
      {"20G000", "is not a count"},
      {"99999999999G", "does not fit in 64 bits"},
      {"", "is not a count"},
      {"e7", "is not a count"},
      {".", "is not a count"},
      {"1e", "is not a count"},
      {"1e99999999999999999999", "is not a count"},
      {"2^", "is not a count"},
      {"^3", "is not a count"},
      {"2^-1", "is not a count"},
      {"0x10", "is not a count"},
      {"10 ", "is not a count"},
      {" 10", "is not a count"},
      {"+10", "is not a count"},
      {"ten", "is not a count"},
      {"nan", "is not a count"},
      {"inf", "is not a count"},
      {"10K", "is not a count"},
  }));
  CAPTURE(text);
  CHECK_THROWS_MATCHES(
      parse_count("--particles", text), InputError,
      MessageMatches(ContainsSubstring("--particles '" + text + "'") && ContainsSubstring(reason)));
}

TEST_CASE("zero is not a positive count") {
  CHECK(copse::app::parse_positive_count("--particles", "1") == 1);
  CHECK_THROWS_AS(copse::app::parse_positive_count("--particles", "0"), InputError);
}

TEST_CASE("one number is a cube and six are corners, in any order of signs") {
  const auto cube = parse_box("--box", "2.5");
  const auto corners = parse_box("--box", "-1,-2,-3,1,2e0,3:periodic");
  for (int a = 0; a < 3; ++a) {
    CHECK(cube.lower[a] == 0);
    CHECK(cube.upper[a] == copse::Real(2.5));
    CHECK_FALSE(cube.periodic[a]);
    CHECK(corners.lower[a] == copse::Real(-1 - a));
    CHECK(corners.upper[a] == copse::Real(1 + a));
    CHECK(corners.periodic[a]);
  }
}

TEST_CASE("a text that is not a box is refused with the option") {
  const std::string text = GENERATE("", "a", "1,2", "0,0,0,1,1", "0,0,0,1,1,1,1", "0", "-1",
                                    "1,0,0,0,1,1", "0,0,0,1,1,inf", "nan", "1:open", "1,", "1e999");
  CAPTURE(text);
  CHECK_THROWS_MATCHES(parse_box("--box", text), InputError,
                       MessageMatches(ContainsSubstring("--box '" + text + "'")));
}
