// Oracle: the format of each public file, known from its source.
#include "byte_builder.hpp"
#include "data_file.hpp"
#include <copse/io/snapshot_reader.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("The format is detected from the content, whatever the name") {
  struct Known {
    const char* name;
    const char* format;
  };
  const auto known = GENERATE(Known{"lambs/lambs.00200_subsamp_30K", "tipsy"},
                              Known{"nvidia/galaxy_20K.bin", "tipsy"},
                              Known{"gadget2/gassphere_bigendian.dat", "gadget"},
                              Known{"gadgetreader/test_g2_snap.0", "gadget"},
                              Known{"hacc/m000.full.mpicosmo.50", "genericio"});
  const auto path = data_file(known.name);  // outside of CHECK, which would not let it skip
  CHECK(io::open_snapshot(path)->info().format == known.format);
}

TEST_CASE("Exactly one format claims a public file by its magic or header") {
  const std::string name = GENERATE("lambs/lambs.00200_subsamp_30K", "nvidia/galaxy_20K.bin",
                                    "changa/onestar.tbin", "gadget2/lcdm_gas_littleendian.dat",
                                    "gadgetreader/test_g2_snap.1", "hacc/m000.full.mpicosmo.50");
  io::FileSource source(data_file(name));
  int claims = 0;
  for (const auto& format : io::formats()) claims += format.probe(source);
  CHECK(claims == 1);
}

TEST_CASE("Names of formats are unique") {
  std::set<std::string_view> names;
  for (const auto& format : io::formats()) names.insert(format.name);
  CHECK(names.size() == io::formats().size());
}

TEST_CASE("An empty file and one of unknown format are refused by name") {
  CHECK_THROWS_WITH(open_bytes({}), ContainsSubstring("memory: the file is empty"));
  CHECK_THROWS_AS(open_bytes(std::vector<std::byte>(1000, std::byte{0xEE})), InputError);
}
