/// \file
/// The HDF5 file of `--output`, read back with the C library. Oracle: the tree that was written.

#include "orb_inputs.hpp"
#include "reference_orb.hpp"
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <hdf5.h>

#include <filesystem>
#include <orb/output.hpp>
#include <string>
#include <unistd.h>
#include <vector>

using namespace copse;
using namespace copse::orb;
using namespace copse::test;

namespace {

/// A temporary folder, removed at the end of the test.
struct Scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("copse_orb_output_" + std::to_string(::getpid()));
  Scratch() { std::filesystem::create_directories(path); }
  ~Scratch() { std::filesystem::remove_all(path); }
};

struct File {
  hid_t id;
  explicit File(const std::filesystem::path& path)
      : id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    REQUIRE(id >= 0);
  }
  ~File() { H5Fclose(id); }

  bool has(const char* name) const { return H5Lexists(id, name, H5P_DEFAULT) > 0; }

  std::vector<hsize_t> shape(const char* name) const {
    const hid_t set = H5Dopen2(id, name, H5P_DEFAULT);
    REQUIRE(set >= 0);
    const hid_t space = H5Dget_space(set);
    std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    H5Sclose(space);
    H5Dclose(set);
    return extents;
  }

  /// Everything in the file fits a double exactly.
  std::vector<double> values(const char* name) const {
    std::size_t count = 1;
    for (hsize_t extent : shape(name)) count *= extent;
    std::vector<double> result(count);
    const hid_t set = H5Dopen2(id, name, H5P_DEFAULT);
    REQUIRE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()) >= 0);
    H5Dclose(set);
    return result;
  }

  double number(const char* object, const char* name) const {
    double value = -1;
    const hid_t attribute = H5Aopen_by_name(id, object, name, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(attribute >= 0);
    H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(attribute);
    return value;
  }
};

}  // namespace

TEST_CASE("tree, permutation and positions come back from the file as they were") {
  Scratch scratch;
  const auto input = named_input("clustered", 300);
  for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
    const auto orb = reference_orb(input.position, input.box, 5, rule);
    write_orb(scratch.path / "tree.h5", orb.tree, input.box, orb.permutation, orb.position);
    const File file(scratch.path / "tree.h5");
    // Halves of 5 leaves: 3 and 2, then 2, 1, 1, 1, then 1, 1 in slots 8 and 9: no gap at the end.
    REQUIRE(file.shape("/tree/lower") == std::vector<hsize_t>{9, 3});
    REQUIRE(file.shape("/position") == std::vector<hsize_t>{300, 3});
    const auto lower = file.values("/tree/lower");
    const auto upper = file.values("/tree/upper");
    const auto begin = file.values("/tree/begin");
    const auto end = file.values("/tree/end");
    const auto leaves = file.values("/tree/leaves");
    const auto axis = file.values("/tree/cut_axis");
    const auto cut = file.values("/tree/cut");
    for (std::size_t row = 0; row < 9; ++row) {
      const OrbCell& cell = orb.tree.cells(row + 1);
      for (int a = 0; a < 3; ++a) {
        CHECK(lower[3 * row + a] == cell.lower[a]);
        CHECK(upper[3 * row + a] == cell.upper[a]);
      }
      CHECK(begin[row] == static_cast<double>(cell.begin));
      CHECK(end[row] == static_cast<double>(cell.end));
      CHECK(leaves[row] == cell.leaves);
      CHECK(axis[row] == cell.cut_axis);
      CHECK(cut[row] == cell.cut);
    }
    const auto permutation = file.values("/permutation");
    const auto position = file.values("/position");
    REQUIRE(permutation.size() == 300);
    bool same = true;
    for (std::size_t i = 0; i < 300; ++i) {
      same = same && permutation[i] == orb.permutation(i);
      for (int a = 0; a < 3; ++a) same = same && position[3 * i + a] == orb.position(i, a);
    }
    CHECK(same);
    CHECK(file.number("/tree", "first_cell") == 1);
    CHECK(file.number("/tree", "leaves") == 5);
    CHECK(file.number("/", "particles") == 300);
  }
}

TEST_CASE("positions are omitted on request, and a tree without particles can be written") {
  Scratch scratch;
  const auto input = named_input("random", 0);
  const auto orb = reference_orb(input.position, input.box, 1);
  write_orb(scratch.path / "empty.h5", orb.tree, input.box, orb.permutation);
  const File file(scratch.path / "empty.h5");
  CHECK_FALSE(file.has("/position"));
  CHECK(file.shape("/permutation") == std::vector<hsize_t>{0});
  CHECK(file.shape("/tree/cut") == std::vector<hsize_t>{1});
}

TEST_CASE("the permutation is omitted if it is not known") {
  Scratch scratch;
  const auto input = named_input("clustered", 40);
  const auto orb = reference_orb(input.position, input.box, 3);
  write_orb(scratch.path / "positions.h5", orb.tree, input.box, {}, orb.position);
  const File file(scratch.path / "positions.h5");
  CHECK_FALSE(file.has("/permutation"));
  CHECK(file.shape("/position") == std::vector<hsize_t>{40, 3});
  CHECK(file.number("/", "particles") == 40);
}

TEST_CASE("a folder that does not exist is refused and nothing is left behind") {
  Scratch scratch;
  const auto input = named_input("random", 10);
  const auto orb = reference_orb(input.position, input.box, 2);
  CHECK_THROWS_AS(
      write_orb(scratch.path / "none" / "tree.h5", orb.tree, input.box, orb.permutation),
      InputError);
  CHECK(std::filesystem::is_empty(scratch.path));
}
