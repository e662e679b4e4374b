// Oracles: files built record by record after the GADGET-2 user guide, and the known contents of
// public snapshots.
#include "byte_builder.hpp"
#include "data_file.hpp"
#include "scratch_folder.hpp"
#include <copse/io/gadget_reader.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <numeric>
#include <set>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Shape {
  std::endian order = std::endian::little;
  int format = 1;
  bool wide = false;  ///< doubles and 64-bit ids
  std::array<std::int32_t, 6> count{2, 1, 1, 0, 1, 1};
  std::array<double, 6> mass{0, 7.5, 0, 0, 0, 9.5};  ///< dark and type 5 have one mass each
  std::array<std::int32_t, 6> total{2, 1, 1, 0, 1, 1};
  std::int32_t files = 1;
  double box = 1000.0;
  int first_id = 0;
};

/// A GADGET file in which particle i has position (i, i+0.25, i+0.5), velocity minus that, id
/// 2^40 i (or i) and mass i + 0.125 in the MASS block; i counts from `first_id`.
class GadgetFile {
 public:
  explicit GadgetFile(const Shape& shape) : builder(shape.order), shape_(shape) {
    header();
    const int n = std::accumulate(shape.count.begin(), shape.count.end(), 0);
    block("POS ", n, 3, [&](int i, int a) { real(shape.first_id + i + 0.25 * a); });
    block("VEL ", n, 3, [&](int i, int a) { real(-(shape.first_id + i + 0.25 * a)); });
    block("ID  ", n, 1, [&](int i, int) {
      if (shape.wide)
        builder.put((std::uint64_t{1} << 40) * static_cast<std::uint64_t>(shape.first_id + i));
      else
        builder.put(static_cast<std::uint32_t>(shape.first_id + i));
    });
    std::vector<int> with_mass;
    for (int t = 0, i = 0; t < 6; ++t)
      for (int k = 0; k < shape.count[t]; ++k, ++i)
        if (shape.mass[t] == 0) with_mass.push_back(i);
    if (!with_mass.empty())
      block("MASS", static_cast<int>(with_mass.size()), 1,
            [&](int i, int) { real(shape.first_id + with_mass[i] + 0.125); });
  }

  ByteBuilder builder;
  std::vector<std::size_t> record_at;  ///< offset of each record's first count

  template <class F>
  void block(const std::string& name, int rows, int components, F&& value) {
    const int width = shape_.wide ? 8 : 4;
    const auto bytes = static_cast<std::uint32_t>(rows * components * width);
    put_name(name, bytes);
    record_at.push_back(builder.bytes.size());
    builder.put(bytes);
    for (int i = 0; i < rows; ++i)
      for (int a = 0; a < components; ++a) value(i, a);
    builder.put(bytes);
  }

  void real(double x) {
    if (shape_.wide)
      builder.put(x);
    else
      builder.put(static_cast<float>(x));
  }

 private:
  void put_name(const std::string& name, std::uint32_t bytes) {
    if (shape_.format == 2)
      builder.put<std::uint32_t>(8).put_text(name, 4).put(bytes + 8).put<std::uint32_t>(8);
  }

  void header() {
    put_name("HEAD", 256);
    record_at.push_back(builder.bytes.size());
    builder.put<std::uint32_t>(256);
    const std::size_t begin = builder.bytes.size();
    for (const auto n : shape_.count) builder.put(n);
    for (const auto m : shape_.mass) builder.put(m);
    builder.put(0.5).put(1.0).put<std::int32_t>(0).put<std::int32_t>(0);
    for (const auto n : shape_.total) builder.put(n);
    builder.put<std::int32_t>(0).put(shape_.files).put(shape_.box);
    builder.put_text("", 256 - (builder.bytes.size() - begin));
    builder.put<std::uint32_t>(256);
  }

  Shape shape_;
};

void check_rows(const Particles<Kokkos::HostSpace>& p, bool wide) {
  const Species species[] = {Species::gas,   Species::gas,  Species::dark,
                             Species::other, Species::star, Species::other};
  const double mass[] = {0.125, 1.125, 7.5, 3.125, 4.125, 9.5};
  REQUIRE(p.size() == 6);
  for (int i = 0; i < 6; ++i) {
    CHECK(p.species(i) == species[i]);
    CHECK(p.mass(i) == static_cast<Real>(mass[i]));
    CHECK(p.id(i) == static_cast<GlobalId>(i) * (wide ? GlobalId{1} << 40 : 1));
    for (int a = 0; a < 3; ++a) {
      CHECK(p.position(i, a) == static_cast<Real>(i + 0.25 * a));
      CHECK(p.velocity(i, a) == -static_cast<Real>(i + 0.25 * a));
    }
  }
}

double total_mass(const Particles<Kokkos::HostSpace>& p) {
  double sum = 0.0;
  for (Count i = 0; i < p.size(); ++i) sum += static_cast<double>(p.mass(i));
  return sum;
}

}  // namespace

TEST_CASE("A GADGET file is read the same in both formats, byte orders and precisions") {
  Shape shape;
  shape.order = GENERATE(std::endian::big, std::endian::little);
  shape.format = GENERATE(1, 2);
  shape.wide = GENERATE(false, true);
  const GadgetFile file(shape);
  const auto reader = open_bytes(file.builder.bytes);
  CHECK(reader->info().format == "gadget");
  CHECK(reader->info().by_species == std::array<Count, 4>{2, 1, 1, 2});
  CHECK(reader->info().time == 0.5);
  REQUIRE(reader->info().box.has_value());
  CHECK(reader->info().box->fully_periodic());
  CHECK(reader->info().box->lower[1] == Real{0});
  CHECK(reader->info().box->upper[2] == Real{1000});
  check_rows(read_all(*reader), shape.wide);
}

TEST_CASE("A GADGET box size of zero means no box") {
  Shape shape;
  shape.box = 0.0;
  CHECK_FALSE(open_bytes(GadgetFile(shape).builder.bytes)->info().box.has_value());
}

TEST_CASE("Any slice of a GADGET file holds the rows of the whole") {
  const GadgetFile file({});
  const auto reader = open_bytes(file.builder.bytes);
  const auto whole = read_all(*reader);
  for (Count first = 0; first <= 6; ++first)
    for (Count count = 0; first + count <= 6; ++count) {
      const auto slice = read_slice(*reader, first, count);
      for (Count i = 0; i < count; ++i) {
        CHECK(slice.id(i) == whole.id(first + i));
        CHECK(slice.mass(i) == whole.mass(first + i));
        CHECK(slice.species(i) == whole.species(first + i));
      }
    }
}

TEST_CASE("Blocks that are not requested are skipped") {
  Shape shape;
  shape.format = GENERATE(1, 2);
  GadgetFile file(shape);
  file.block("U   ", 2, 1, [&](int, int) { file.real(-1); });
  check_rows(read_all(*open_bytes(file.builder.bytes)), false);
}

TEST_CASE("Every proper prefix of a GADGET file is refused") {
  Shape shape;
  shape.format = GENERATE(1, 2);
  shape.order = GENERATE(std::endian::big, std::endian::little);
  require_no_prefix_is_read(GadgetFile(shape).builder.bytes);
}

TEST_CASE("Record counts that disagree are refused with their byte offset") {
  GadgetFile file({});
  const std::size_t at = file.record_at[2];
  SECTION("after the data") {
    file.builder.write<std::uint32_t>(at + 4 + 72, 73);
    CHECK_THAT(refusal(file.builder.bytes),
               ContainsSubstring("record at byte " + std::to_string(at)));
  }
  SECTION("before the data") {
    file.builder.write<std::uint32_t>(at, 71);
    CHECK_THAT(refusal(file.builder.bytes),
               ContainsSubstring("record at byte " + std::to_string(at)));
  }
  SECTION("an absurd size") {
    file.builder.write<std::uint32_t>(at, 0xFFFFFFFF);
    CHECK_THAT(refusal(file.builder.bytes), ContainsSubstring("beyond the end of the file"));
  }
}

TEST_CASE("A GADGET header that contradicts the blocks is refused") {
  GadgetFile file({});
  const std::size_t header = 4;
  SECTION("more particles than positions") {
    file.builder.write<std::int32_t>(header + 4, 1000000000);
    CHECK_THAT(refusal(file.builder.bytes), ContainsSubstring("POS "));
  }
  SECTION("a negative count") {
    file.builder.write<std::int32_t>(header + 4, -1);
    CHECK_THAT(refusal(file.builder.bytes), ContainsSubstring("-1 particles of type 1 at byte 8"));
  }
  SECTION("a mass that should be in the header") {
    file.builder.write<double>(header + 24 + 8, 0.0);
    CHECK_THAT(refusal(file.builder.bytes), ContainsSubstring("MASS"));
  }
  SECTION("an invalid box") {
    file.builder.write<double>(header + 128, -1.0);
    CHECK_THAT(refusal(file.builder.bytes), ContainsSubstring("box of size -1 at byte 132"));
  }
}

TEST_CASE("A missing block is named") {
  Shape shape;
  shape.format = 2;
  GadgetFile file(shape);
  // The name of the block before the record at index 2 (VEL) is 12 bytes before its first count.
  file.builder.write<std::uint32_t>(file.record_at[2] - 12, 0x20202020);
  CHECK_THAT(refusal(file.builder.bytes), ContainsSubstring("without a VEL  block"));
}

TEST_CASE("A snapshot in several files is found from the name of any of them") {
  const ScratchFolder folder;
  Shape shape;
  shape.format = GENERATE(1, 2);
  shape.files = 3;
  shape.total = {6, 3, 3, 0, 3, 3};
  for (int i = 0; i < 3; ++i) {
    shape.first_id = 6 * i;
    folder.write("snap_010." + std::to_string(i), GadgetFile(shape).builder.bytes);
  }
  const std::string name = GENERATE("snap_010.0", "snap_010.1", "snap_010.2");
  const auto path = folder.write("other", {}).parent_path() / name;
  const auto reader = io::open_snapshot(path);
  CHECK(reader->info().particles == 18);
  CHECK(reader->info().by_species == std::array<Count, 4>{6, 3, 3, 6});
  const auto whole = read_all(*reader);
  for (Count i = 0; i < 18; ++i) CHECK(whole.id(i) == i);
  const auto middle = read_slice(*reader, 4, 10);
  for (Count i = 0; i < 10; ++i) CHECK(middle.id(i) == 4 + i);

  SECTION("a missing file is named") {
    std::filesystem::remove(path.parent_path() / "snap_010.1");
    if (name != "snap_010.1")
      CHECK_THROWS_WITH(io::open_snapshot(path), ContainsSubstring("snap_010.1"));
  }
  SECTION("a file of another snapshot is named") {
    shape.total = {7, 3, 3, 0, 3, 3};
    folder.write("snap_010.1", GadgetFile(shape).builder.bytes);
    CHECK_THROWS_WITH(io::open_snapshot(path), ContainsSubstring("does not belong"));
  }
  SECTION("totals must be those of all files") {
    shape.total = {7, 3, 3, 0, 3, 3};
    for (int i = 0; i < 3; ++i)
      folder.write("snap_010." + std::to_string(i), GadgetFile(shape).builder.bytes);
    CHECK_THROWS_WITH(io::open_snapshot(path), ContainsSubstring("7 particles of type 0"));
  }
  SECTION("a name without a number is refused") {
    std::filesystem::copy_file(path, path.parent_path() / "renamed");
    CHECK_THROWS_WITH(io::open_snapshot(path.parent_path() / "renamed"),
                      ContainsSubstring("3 files"));
  }
}

TEST_CASE("The cosmological GADGET example has 32^3 gas and 32^3 dark particles in 50 Mpc/h") {
  const auto reader = io::open_snapshot(data_file("gadget2/lcdm_gas_littleendian.dat"));
  CHECK(reader->info().by_species == std::array<Count, 4>{32768, 32768, 0, 0});
  CHECK_FALSE(reader->info().box.has_value());
  const auto p = read_all(*reader);
  std::set<GlobalId> ids;
  for (Count i = 0; i < p.size(); ++i) {
    ids.insert(p.id(i));
    for (int a = 0; a < 3; ++a) REQUIRE((p.position(i, a) >= 0 && p.position(i, a) <= 50000));
  }
  CHECK(ids.size() == p.size());
}

TEST_CASE("The same GADGET snapshot in two byte orders reads equal") {
  const auto little = read_all(*io::open_snapshot(data_file("gadget2/gassphere_littleendian.dat")));
  const auto big = read_all(*io::open_snapshot(data_file("gadget2/gassphere_bigendian.dat")));
  REQUIRE(little.size() == 1472);
  REQUIRE(big.size() == 1472);
  for (Count i = 0; i < 1472; ++i) {
    REQUIRE(little.id(i) == big.id(i));
    REQUIRE(little.mass(i) == big.mass(i));
    REQUIRE(little.species(i) == Species::gas);
    for (int a = 0; a < 3; ++a) {
      REQUIRE(little.position(i, a) == big.position(i, a));
      REQUIRE(little.velocity(i, a) == big.velocity(i, a));
    }
  }
}

TEST_CASE("The public snapshot in two files has its known counts, ids and mass") {
  const std::string name = GENERATE("gadgetreader/test_g2_snap.0", "gadgetreader/test_g2_snap.1");
  const auto reader = io::open_snapshot(data_file(name));
  CHECK(reader->info().by_species == std::array<Count, 4>{4039, 4096, 57, 0});
  REQUIRE(reader->info().box.has_value());
  CHECK(reader->info().box->upper[0] == Real{3000});
  const auto p = read_all(*reader);
  CHECK_THAT(total_mass(p), Catch::Matchers::WithinAbs(200.011, 5e-4));
  std::set<GlobalId> ids;
  for (Count i = 0; i < p.size(); ++i) ids.insert(p.id(i));
  CHECK(ids.size() == 8192);
  CHECK(*ids.begin() == 1);
  CHECK(*ids.rbegin() == 8192);
}
