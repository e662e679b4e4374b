#include "parsing_app.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <CLI/CLI.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>
#include <stdexcept>

using namespace copse::app;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using copse::InputError;
using Words = std::vector<std::string>;

namespace {

std::string value_of(const CommandLine& line, const std::string& name) {
  for (const Parameter& p : line.parameters)
    if (p.name == name) return p.value;
  return "(absent)";
}

}  // namespace

TEST_CASE("without options the documented defaults apply") {
  const CommonOptions o = parse(Words{}).options;
  CHECK(o.generate == "uniform");
  CHECK(o.particles == 1'000'000);
  CHECK(o.seed == 42);
  CHECK(o.backend == copse::default_backend_name());
  CHECK(o.repeat == 3);
  CHECK_FALSE((o.verify || o.dry_run || o.quiet || o.kernel_times));
  CHECK_FALSE((o.input || o.box || o.json || o.output));
}

TEST_CASE("every shared option reaches its value") {
  const CommonOptions o =
      parse(Words{"--generate", "uniform", "--particles=2^20", "--seed", "18446744073709551615",
                  "--backend", "serial", "--repeat", "7", "--json", "a b.json", "--output",
                  "out.h5", "--verify", "--dry-run", "--quiet", "--kernel-times"})
          .options;
  CHECK(o.particles == 1u << 20);
  CHECK(o.seed == 18446744073709551615u);
  CHECK(o.backend == "serial");
  CHECK(o.repeat == 7);
  CHECK(o.json == "a b.json");
  CHECK(o.output == "out.h5");
  CHECK((o.verify && o.dry_run && o.quiet && o.kernel_times));
  const CommonOptions from_file = parse(Words{"--input", "a.tipsy", "--box", "2"}).options;
  CHECK(from_file.input == "a.tipsy");
  CHECK(from_file.box->upper[2] == copse::Real(2));
}

TEST_CASE("invalid options give one sentence that names the option") {
  const auto [words, sentence] = GENERATE(table<Words, std::string>({
      {{"--leafs", "3"}, "unknown option '--leafs'"},
      {{"-x"}, "unknown option '-x'"},
      {{"stray"}, "unexpected argument 'stray'"},
      {{"--particles"}, "--particles"},
      {{"--particles", "0"}, "--particles '0' must be at least 1"},
      {{"--particles", "-5"}, "--particles '-5' is negative"},
      {{"--particles", "1.5"}, "--particles '1.5' is not a whole number"},
      {{"--particles", "1e20"}, "--particles '1e20' does not fit"},
      {{"--particles", "1", "--particles", "2"}, "--particles"},
      {{"--seed", "-1"}, "--seed '-1' is not a whole number"},
      {{"--seed", "1e3"}, "--seed '1e3' is not a whole number"},
      {{"--repeat", "0"}, "--repeat '0' is not a whole number from 1"},
      {{"--repeat", "1.0"}, "--repeat '1.0'"},
      {{"--backend", "hip"}, "--backend 'hip' is not in this build"},
      {{"--generate", "donut"}, "--generate 'donut' is not one of uniform"},
      {{"--generate", "uniform", "--input", "f"}, "--generate and --input exclude each other"},
      {{"--particles", "5", "--input", "f"}, "--particles belongs to --generate"},
      {{"--subsample", "0"}, "--subsample '0' must be at least 1"},
      {{"--subsample", "0.1"}, "--subsample '0.1' is not a whole number"},
      {{"--particles", "9", "--subsample", "10"}, "--subsample 10 is more than the 9 particles"},
      {{"--box", "1"}, "--box belongs to --input"},
      {{"--box", "x", "--input", "f"}, "--box 'x' is not a box"},
      {{"--halo-fraction", "0.6"}, "--halo-fraction belongs to --generate nfw"},
      {{"--halo-fraction", "0.6", "--input", "f"}, "--halo-fraction belongs to --generate nfw"},
      {{"--generate", "nfw", "--halo-fraction", "1.1"}, "--halo-fraction"},
      {{"--generate", "nfw", "--halo-fraction", "-0.1"}, "--halo-fraction"},
      {{"--generate", "nfw", "--halo-fraction", "nan"},
       "--halo-fraction: 'nan' is not a number in the range 0 to 1"},
      {{"--generate", "nfw", "--halo-fraction", "most"}, "--halo-fraction"},
      {{"--json", ""}, "--json needs the name of a file"},
      {{"--verify=maybe"}, "--verify"},
      {{"--leaves", "0"}, "--leaves '0' must be at least 1"},
      {{"--leaves", "many"}, "--leaves 'many' is not a count"},
      {{"--algorithm", "magic"}, "--algorithm 'magic' is not one of histogram, sort"},
      {{"--angle", "wide"}, "--angle"},
      {{"--angle", "nan"}, "--angle: 'nan' is not a number in the range 0 to 2"},
      {{"--angle", "2.1"}, "--angle: '2.1' is not a number in the range 0 to 2"},
      {{"--width", "0"}, "--width: '0' is not a number in the range POSITIVE"},
      {{"--width", "inf"}, "--width: 'inf' is not a number in the range POSITIVE"},
      {{"--height", "nan"}, "--height: 'nan' is not a number"},
  }));
  CAPTURE(words, sentence);
  CHECK_THROWS_MATCHES(parse(words), InputError,
                       MessageMatches(ContainsSubstring(sentence) && !ContainsSubstring("\n")));
}

TEST_CASE(
    "a range without numbers, such as one with a NaN for a bound, is an error of the program") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const NumberRange range =
      GENERATE(NumberRange{nan, 1.0, "x"}, NumberRange{0.0, nan, "x"}, NumberRange{2.0, 1.0, "x"});
  CLI::App cli;
  double value = 0.0;
  CHECK_THROWS_AS(add_number_option(cli, "--value", value, "a number", range), std::logic_error);
  CHECK_NOTHROW(add_number_option(cli, "--other", value, "a number", {1.0, 1.0, "1"}));
}

TEST_CASE("Kokkos' own options are set aside in their order and not parsed") {
  const CommandLine line = parse(Words{"--kokkos-num-threads=2", "--seed", "3", "--kokkos-foo"});
  CHECK(line.options.seed == 3);
  CHECK(line.kokkos_arguments == Words{"--kokkos-num-threads=2", "--kokkos-foo"});
}

TEST_CASE("help, version and list give information, whatever else is given") {
  CHECK_THAT(parse(Words{"--help"}).information, ContainsSubstring("--particles") &&
                                                     ContainsSubstring("--leaves") &&
                                                     !ContainsSubstring("--sabotage"));
  CHECK_THAT(parse(Words{"--version"}).information,
             ContainsSubstring("parsing ") && ContainsSubstring(", commit "));
  CHECK(parse(Words{"--list"}).information == "histogram\nsort\n");
  CHECK(parse(Words{}).information.empty());
}

TEST_CASE("the parameters are all options in effect, counts in digits, hidden ones only if given") {
  const CommandLine line = parse(Words{"--leaves", "2^3", "--verify"});
  CHECK(value_of(line, "leaves") == "8");
  CHECK(value_of(line, "algorithm") == "histogram");
  CHECK(value_of(line, "particles") == "1000000");
  CHECK(value_of(line, "verify") == "true");
  CHECK(value_of(line, "quiet") == "false");
  CHECK(value_of(line, "angle") == "0.5");
  CHECK(value_of(line, "sabotage") == "(absent)");
  CHECK(value_of(line, "halo-fraction") == "0.5");
  CHECK(value_of(parse(Words{"--generate", "nfw", "--halo-fraction", "0.6"}), "halo-fraction") ==
        "0.6");
  CHECK(value_of(line, "subsample").empty());
  CHECK(value_of(parse(Words{"--subsample", "1e3"}), "subsample") == "1000");
  CHECK(value_of(line, "help") == "(absent)");
  CHECK(value_of(parse(Words{"--sabotage", "cut"}), "sabotage") == "cut");
}

TEST_CASE("the mini-app's own variables receive their options") {
  ParsingApp app;
  parse(app, {"--leaves", "1e3", "--algorithm", "sort", "--angle", "0.25"});
  CHECK(app.leaves == 1000);
  CHECK(app.algorithm == "sort");
  CHECK(app.angle == 0.25);
}

TEST_CASE("a mini-app's numbers, files, flags and parsed texts reach their variables") {
  ParsingApp app;
  const CommandLine line =
      parse(app, {"--width", "2.5", "--lengths", "0.3,0.2", "--picture", "a.png"});
  CHECK(app.width == 2.5);
  CHECK(app.width_given);
  CHECK(app.lengths == "0.3,0.2");
  CHECK(app.picture == "a.png");
  CHECK_FALSE(app.flat);
  CHECK(value_of(line, "lengths") == "0.3,0.2");

  ParsingApp other;
  parse(other, {"--width", "--height=-inf"});
  CHECK_FALSE(other.width);
  CHECK(other.width_given);
  CHECK(other.height == -std::numeric_limits<double>::infinity());

  ParsingApp flat;
  parse(flat, {"--flat"});
  CHECK(flat.flat);
  CHECK_FALSE(flat.width_given);
}

TEST_CASE("a list of one number is reported as a number, a longer one as text") {
  const auto kind_of = [](const Words& words) {
    for (const Parameter& p : parse(words).parameters)
      if (p.name == "lengths") return p.kind;
    return Parameter::Kind::flag;
  };
  CHECK(kind_of({"--lengths", "0.3"}) == Parameter::Kind::number);
  CHECK(kind_of({}) == Parameter::Kind::number);
  CHECK(kind_of({"--lengths", "0.3,0.2"}) == Parameter::Kind::text);
}

TEST_CASE("numbers out of an option's range and options that exclude each other are refused") {
  for (const Words& words : {Words{"--angle", "2.1"}, Words{"--angle", "-0.1"}})
    CHECK_THROWS_WITH(parse(words), ContainsSubstring("--angle"));
  for (const Words& words : {Words{"--width", "0"}, Words{"--width", "-1"}, Words{"--width", "x"}})
    CHECK_THROWS_WITH(parse(words), ContainsSubstring("--width"));
  for (const Words& words : {Words{"--flat", "--width", "1"}, Words{"--flat", "--picture", "p"}})
    CHECK_THROWS_WITH(parse(words), ContainsSubstring("--flat") && ContainsSubstring("excludes"));
}
