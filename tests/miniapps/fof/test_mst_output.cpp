// Oracle: the written edges, read back with the HDF5 C library and as text.
#include "scratch_folder.hpp"
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <hdf5.h>

#include <cmath>
#include <fof/mst/output.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace copse::fof::test {
namespace {

using copse::test::ScratchFolder;

/// More edges than one conversion chunk.
std::vector<TreeEdge> many_edges() {
  std::vector<TreeEdge> edges;
  for (LocalIndex i = 0; i < 70000; ++i)
    edges.push_back({static_cast<Real>(i) / 3, i, i + 1 + i % 7});
  return edges;
}

std::vector<double> numbers(hid_t file, const char* name, std::vector<hsize_t> shape) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  REQUIRE(set >= 0);
  const hid_t space = H5Dget_space(set);
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  REQUIRE(extents == shape);
  std::size_t count = 1;
  for (const hsize_t extent : shape) count *= extent;
  std::vector<double> values(count);
  REQUIRE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  return values;
}

TEST_CASE("A tree comes back from its HDF5 file") {
  const ScratchFolder folder;
  const auto edges = many_edges();
  write_mst_hdf5(folder / "tree.h5", edges, 80000, Real(0.25));
  const hid_t file = H5Fopen((folder / "tree.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(file >= 0);
  const auto ends = numbers(file, "/edges", {edges.size(), 2});
  const auto length = numbers(file, "/length", {edges.size()});
  const auto distance2 = numbers(file, "/distance2", {edges.size()});
  int wrong = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    wrong += ends[2 * e] != edges[e].a || ends[2 * e + 1] != edges[e].b;
    wrong += distance2[e] != static_cast<double>(edges[e].distance2);
    wrong += length[e] != static_cast<double>(std::sqrt(edges[e].distance2));
  }
  CHECK(wrong == 0);
  H5Fclose(file);
}

TEST_CASE("A tree comes back from its text file") {
  const ScratchFolder folder;
  const auto edges = many_edges();
  write_mst_csv(folder / "tree.csv", edges);
  std::istringstream text(copse::test::text_of(folder / "tree.csv"));
  std::string line;
  std::getline(text, line);
  CHECK(line == "a,b,length");
  int wrong = 0;
  for (const TreeEdge& edge : edges) {
    LocalIndex a = 0, b = 0;
    Real length = -1;
    char comma = 0, other = 0;
    text >> a >> comma >> b >> other >> length;
    wrong += a != edge.a || b != edge.b || comma != ',' || other != ',' ||
             length != std::sqrt(edge.distance2);
  }
  CHECK(wrong == 0);
  CHECK_FALSE(text >> line);
}

TEST_CASE("A tree without edges can be written, and a missing folder is refused") {
  const ScratchFolder folder;
  write_mst_hdf5(folder / "tree.h5", {}, 1, Real(0));
  write_mst_csv(folder / "tree.csv", {});
  CHECK(copse::test::text_of(folder / "tree.csv") == "a,b,length\n");
  CHECK_THROWS_AS(write_mst_hdf5(folder / "none/tree.h5", {}, 1, Real(0)), InputError);
  CHECK_THROWS_AS(write_mst_csv(folder / "none/tree.csv", {}), InputError);
  CHECK(folder.files() == std::vector<std::string>{"tree.csv", "tree.h5"});
}

}  // namespace
}  // namespace copse::fof::test
