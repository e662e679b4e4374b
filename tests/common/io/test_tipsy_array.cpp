// Oracles: arrays built by hand, and the known contents of public files.
#include "byte_builder.hpp"
#include <copse/io/tipsy_array.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <map>
#include <set>
#include <string_view>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

io::MemorySource text_source(std::string_view text) {
  return {"memory", std::as_bytes(std::span(text))};
}

std::string refusal_of_text(std::string_view text) {
  auto source = text_source(text);
  try {
    io::read_tipsy_integers(source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("An ASCII array holds one value per line") {
  auto source = text_source("3\n 7\n-2\r\n0\n\n");
  const auto array = io::read_tipsy_integers(source);
  CHECK(array.particles == 3);
  CHECK(array.components == 1);
  CHECK(array.values == std::vector<std::int64_t>{7, -2, 0});
}

TEST_CASE("An ASCII vector array holds all x, then all y, then all z") {
  auto source = text_source("2\n0.5\n1e-3\n2\n3\n-4\n5.25\n");
  const auto array = io::read_tipsy_reals(source);
  CHECK(array.particles == 2);
  CHECK(array.components == 3);
  CHECK(array(0, 0) == 0.5);
  CHECK(array(1, 0) == 1e-3);
  CHECK(array(0, 1) == 2.0);
  CHECK(array(0, 2) == -4.0);
  CHECK(array(1, 2) == 5.25);
}

TEST_CASE("A binary array is read in both byte orders, scalar or vector") {
  const auto order = GENERATE(std::endian::big, std::endian::little);
  ByteBuilder scalar(order);
  scalar.put<std::int32_t>(2).put<std::int32_t>(11).put<std::int32_t>(-12);
  io::MemorySource scalar_source("memory", scalar.bytes);
  CHECK(io::read_tipsy_integers(scalar_source).values == std::vector<std::int64_t>{11, -12});

  ByteBuilder vector(order);
  vector.put<std::int32_t>(2);
  for (int i = 0; i < 6; ++i) vector.put(0.5F * static_cast<float>(i));
  io::MemorySource vector_source("memory", vector.bytes);
  const auto array = io::read_tipsy_reals(vector_source);
  CHECK(array.components == 3);
  CHECK(array(1, 2) == 2.5);
}

TEST_CASE("A damaged array is refused with the line") {
  CHECK_THAT(refusal_of_text("2\n1\nx\n"), ContainsSubstring("line 3 is not an integer"));
  CHECK_THAT(refusal_of_text("2\n1\n1.5\n"), ContainsSubstring("line 3 is not an integer"));
  CHECK_THAT(refusal_of_text("2\n1\n"), ContainsSubstring("2 particles, but 1 values"));
  CHECK_THAT(refusal_of_text("2\n1\n2\n3\n"), ContainsSubstring("2 particles, but 3 values"));
  CHECK_THAT(refusal_of_text("99999999999999\n1\n"), ContainsSubstring("more than"));
  CHECK_THAT(refusal_of_text("-1\n1\n"), ContainsSubstring("line 1"));
  CHECK_FALSE(refusal_of_text("").empty());
}

TEST_CASE("Every proper prefix of an array is refused") {
  const std::string_view text = "3\n17\n28\n39\n";
  REQUIRE(refusal_of_text(text).empty());
  for (std::size_t n = 0; n < text.size(); ++n)
    CHECK_FALSE(refusal_of_text(text.substr(0, n)).empty());

  ByteBuilder binary(std::endian::big);
  binary.put<std::int32_t>(3).put<std::int32_t>(1).put<std::int32_t>(2).put<std::int32_t>(3);
  for (std::size_t n = 0; n < binary.bytes.size(); ++n) {
    io::MemorySource source("memory", std::span(binary.bytes).first(n));
    CHECK_THROWS_AS(io::read_tipsy_integers(source), InputError);
  }
}

TEST_CASE("The group file of the 30000-particle cube has its 332 groups of at least 8 members") {
  io::FileSource source(data_file("lambs/fof_b0.2_periodic_m8.grp"));
  const auto groups = io::read_tipsy_integers(source);
  REQUIRE(groups.particles == 30000);
  std::map<std::int64_t, int> members;
  for (const std::int64_t g : groups.values)
    if (g != 0) ++members[g];
  CHECK(members.size() == 332);
  for (const auto& [group, count] : members) CHECK(count >= 8);
}

TEST_CASE("The acceleration file of the 30000-particle cube is a vector array") {
  io::FileSource source(data_file("lambs/direct_isolated.acc"));
  const auto acc = io::read_tipsy_reals(source);
  CHECK(acc.particles == 30000);
  CHECK(acc.components == 3);
  CHECK(acc(0, 0) == -8.0969999916022193);  // the second line of the file
}

TEST_CASE("The particle numbers of tiny.000640 are a binary array of distinct integers") {
  io::FileSource source(data_file("tangos/test_tipsy/tiny.000640.iord"));
  const auto iord = io::read_tipsy_integers(source);
  REQUIRE(iord.particles == 171 + 3078 + 49);
  CHECK(std::set<std::int64_t>(iord.values.begin(), iord.values.end()).size() == iord.particles);
}
