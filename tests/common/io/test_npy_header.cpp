// Oracle: headers typed in by hand after the documentation of numpy.lib.format.
#include "npy_bytes.hpp"
#include <copse/io/tables/npy_header.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

io::NpyHeader parse(const std::string& dictionary, int major = 1) {
  const auto bytes = npy_bytes(dictionary, {}, major);
  io::MemorySource source("memory", bytes);
  return io::read_npy_header(source);
}

std::string refusal_of(const std::string& dictionary) {
  try {
    parse(dictionary);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("The header of every version gives type, order, shape and start of the data") {
  for (const int major : {1, 2, 3}) {
    const auto header = parse("{'descr': '<f4', 'fortran_order': True, 'shape': (12, 3), }", major);
    CHECK(header.descr == "<f4");
    CHECK(header.fortran_order);
    CHECK(header.shape == std::vector<Count>{12, 3});
    CHECK(header.data_begin == (major == 1 ? 10u : 12u) + 60u);
  }
}

TEST_CASE("Keys may come in any order, with either quote, with and without the last comma") {
  const auto header = parse("{\"shape\":(7L,),'fortran_order':False,'descr':'>f8'}");
  CHECK(header.descr == ">f8");
  CHECK(header.shape == std::vector<Count>{7});
  CHECK(parse("{'descr': '<f8', 'fortran_order': False, 'shape': ()}").shape.empty());
}

TEST_CASE("A header error is reported with its byte") {
  CHECK_THAT(refusal_of("{'descr': '<f4', 'fortran_order': True}"), ContainsSubstring("lacks one"));
  CHECK_THAT(refusal_of("{'descr': [('x', '<f4')], 'fortran_order': True, 'shape': (1,)}"),
             ContainsSubstring("records of several fields"));
  CHECK_THAT(refusal_of("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}"),
             ContainsSubstring("True or False (byte 44)"));
  CHECK_THAT(refusal_of("{'descr': '<f4', 'fortran_order': True, 'shape': (-1, 3)}"),
             ContainsSubstring("shape"));
  CHECK_THAT(
      refusal_of("{'descr': '<f4', 'fortran_order': True, 'shape': (99999999999999999999,)}"),
      ContainsSubstring("shape"));
  CHECK_THAT(refusal_of("{'descr': '<f4', 'descr': '<f4'}"), ContainsSubstring("unexpected key"));
  CHECK_THAT(refusal_of("{'descr': '<f4"), ContainsSubstring("string without end"));
  CHECK_THAT(refusal_of(""), ContainsSubstring("lacks a '{'"));
  CHECK_THAT(refusal_of("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)} more"),
             ContainsSubstring("does not end"));
}

TEST_CASE("A wrong version, an absurd header length and a foreign file are refused") {
  auto bytes = npy_bytes(npy_dictionary("<f4", false, "(1, 3)"), {});
  const auto sentence = [&] {
    io::MemorySource source("memory", bytes);
    try {
      io::read_npy_header(source);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  bytes[6] = std::byte{4};
  CHECK_THAT(sentence(), ContainsSubstring("version 4.0"));
  bytes[6] = std::byte{2};
  bytes[10] = std::byte{0xff};
  CHECK_THAT(sentence(), ContainsSubstring("claims") && ContainsSubstring("byte 8"));
  bytes[0] = std::byte{'X'};
  CHECK_THAT(sentence(), ContainsSubstring("not those of a .npy file"));
}
