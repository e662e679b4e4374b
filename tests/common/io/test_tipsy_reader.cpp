// Oracles: buffers built number by number from the published layout, and the known contents of
// public snapshots.
#include "byte_builder.hpp"
#include "data_file.hpp"
#include <copse/io/tipsy_reader.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>
#include <numeric>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// One gas, two dark and one star particle; the k-th number of particle i is 100 i + k + 1.
ByteBuilder small_file(std::endian order, int header_bytes) {
  ByteBuilder b(order);
  b.put(0.25).put<std::int32_t>(4).put<std::int32_t>(3);
  b.put<std::int32_t>(1).put<std::int32_t>(2).put<std::int32_t>(1);
  if (header_bytes == 32) b.put<std::int32_t>(-77777);
  const int floats[] = {12, 9, 9, 11};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < floats[i]; ++k) b.put(static_cast<float>(100 * i + k + 1));
  return b;
}

double total_mass(const Particles<Kokkos::HostSpace>& p) {
  double sum = 0.0;
  for (Count i = 0; i < p.size(); ++i) sum += static_cast<double>(p.mass(i));
  return sum;
}

}  // namespace

TEST_CASE("A Tipsy file is read the same in both byte orders and with both header sizes") {
  const auto order = GENERATE(std::endian::big, std::endian::little);
  const int header = GENERATE(28, 32);
  const auto file = small_file(order, header);
  const auto reader = open_bytes(file.bytes);
  CHECK(reader->info().format == "tipsy");
  CHECK(reader->info().particles == 4);
  CHECK(reader->info().by_species == std::array<Count, 4>{1, 2, 1, 0});
  CHECK(reader->info().time == 0.25);
  CHECK_FALSE(reader->info().box.has_value());
  const auto p = read_all(*reader);
  const Species expected[] = {Species::gas, Species::dark, Species::dark, Species::star};
  for (int i = 0; i < 4; ++i) {
    const Real first = static_cast<Real>(100 * i + 1);
    CHECK(p.mass(i) == first);
    CHECK(p.species(i) == expected[i]);
    CHECK(p.softening(i) == first + static_cast<Real>(i == 1 || i == 2 ? 7 : 9));
    for (int a = 0; a < 3; ++a) {
      CHECK(p.position(i, a) == first + static_cast<Real>(1 + a));
      CHECK(p.velocity(i, a) == first + static_cast<Real>(4 + a));
    }
  }
}

TEST_CASE("Any slice of a Tipsy file holds the rows of the whole") {
  const auto file = small_file(std::endian::big, 32);
  const auto reader = open_bytes(file.bytes);
  for (Count first = 0; first <= 4; ++first)
    for (Count count = 0; first + count <= 4; ++count) {
      const auto slice = read_slice(*reader, first, count);
      for (Count i = 0; i < count; ++i)
        CHECK(slice.mass(i) == static_cast<Real>(100 * (first + i) + 1));
    }
}

TEST_CASE("Every proper prefix of a Tipsy file is refused") {
  require_no_prefix_is_read(small_file(std::endian::big, 32).bytes);
  require_no_prefix_is_read(small_file(std::endian::little, 28).bytes);
}

TEST_CASE("A Tipsy header that contradicts itself or the file is refused by name") {
  auto file = small_file(std::endian::big, 32);
  SECTION("particle count") {
    file.write<std::int32_t>(8, 5);
    CHECK_THAT(refusal(file.bytes), ContainsSubstring("5 particles at byte 8"));
  }
  SECTION("dimensions") {
    const std::int32_t ndim = GENERATE(0, -1, 4, std::numeric_limits<std::int32_t>::max());
    file.write(12, ndim);
    CHECK_THAT(refusal(file.bytes),
               ContainsSubstring(std::to_string(ndim) + " dimensions at byte 12"));
  }
  SECTION("absurd counts that add up") {
    file.write<std::int32_t>(8, 2000000003);
    file.write<std::int32_t>(20, 2000000001);
    CHECK_THAT(refusal(file.bytes), ContainsSubstring("make a Tipsy file of"));
  }
  SECTION("bytes left over") {
    file.put<float>(0);
    CHECK_THAT(refusal(file.bytes), ContainsSubstring("but it has"));
  }
  SECTION("negative count") {
    file.write<std::int32_t>(20, -2);
    CHECK_FALSE(refusal(file.bytes).empty());
  }
}

TEST_CASE("A Tipsy file without particles has no rows") {
  ByteBuilder b(std::endian::big);
  b.put(0.0).put<std::int32_t>(0).put<std::int32_t>(3);
  for (int i = 0; i < 4; ++i) b.put<std::int32_t>(0);
  const auto reader = open_bytes(b.bytes);
  CHECK(reader->info().particles == 0);
  CHECK(read_all(*reader).size() == 0);
}

TEST_CASE("Public Tipsy snapshots have their known counts and masses") {
  struct Known {
    const char* name;
    Count gas, dark, star;
    double mass;  ///< negative: unknown
  };
  const auto known = GENERATE(Known{"lambs/lambs.00200_subsamp_30K", 0, 30000, 0, 0.299793},
                              Known{"abacus/mini_n64_l32_z0.std", 0, 64 * 64 * 64, 0, -1},
                              Known{"tangos/test_tipsy/tiny.000640", 171, 3078, 49, -1},
                              Known{"tangos/test_tipsy/tiny.000832", 161, 3079, 104, -1},
                              Known{"nvidia/galaxy_20K.bin", 0, 2500, 17500, -1},
                              Known{"changa/king_soft.bin", 0, 36000, 0, 25.054},
                              Known{"changa/onestar.tbin", 1088, 0, 1, -1});
  const auto reader = io::open_snapshot(data_file(known.name));
  INFO(known.name);
  CHECK(reader->info().format == "tipsy");
  CHECK(reader->info().by_species == std::array<Count, 4>{known.gas, known.dark, known.star, 0});
  const auto p = read_all(*reader);
  if (known.mass > 0) CHECK_THAT(total_mass(p), Catch::Matchers::WithinRel(known.mass, 2e-5));
}

TEST_CASE("The masses of tiny.000640 span the documented range") {
  const auto p = read_all(*io::open_snapshot(data_file("tangos/test_tipsy/tiny.000640")));
  Real least = p.mass(0), most = p.mass(0);
  for (Count i = 0; i < p.size(); ++i) {
    least = std::min(least, p.mass(i));
    most = std::max(most, p.mass(i));
  }
  CHECK_THAT(least, Catch::Matchers::WithinRel(2.6e-12, 0.3));
  CHECK_THAT(most, Catch::Matchers::WithinRel(1.9e-8, 0.3));
}
