// Runs on 1 to 4 ranks. Oracles: a file built here with known rows, and the rows that one rank
// reads.
#include "byte_builder.hpp"
#include "data_file.hpp"
#include "scratch_folder.hpp"
#include <copse/io/snapshot.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <mpi.h>

#include <limits>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks_of_world() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/// A Tipsy file of n dark particles on the diagonal: particle i lies at (i, 2i, -i) and has mass i.
/// Rank 0 writes it; all ranks know its path.
class SharedFile {
 public:
  explicit SharedFile(int n) : file_(std::endian::big) {
    file_.put(0.0).put<std::int32_t>(n).put<std::int32_t>(3).put<std::int32_t>(0);
    file_.put<std::int32_t>(n).put<std::int32_t>(0).put<std::int32_t>(0);
    for (int i = 0; i < n; ++i) {
      file_.put(static_cast<float>(i)).put(static_cast<float>(i));
      file_.put(static_cast<float>(2 * i)).put(static_cast<float>(-i));
      for (int k = 0; k < 5; ++k) file_.put(0.5F);
    }
  }

  void set_coordinate(int row, int axis, float value) {
    file_.write(static_cast<std::size_t>(32 + 36 * row + 4 + 4 * axis), value);
  }

  std::filesystem::path publish() {
    std::array<char, 512> name{};
    if (rank_of_world() == 0) {
      folder_ = std::make_unique<ScratchFolder>();
      const std::string path = folder_->write("shared.std", file_.bytes).string();
      std::copy(path.begin(), path.end(), name.begin());
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    return name.data();
  }

  ~SharedFile() { MPI_Barrier(MPI_COMM_WORLD); }

 private:
  ByteBuilder file_;
  std::unique_ptr<ScratchFolder> folder_;
};

io::ReadOptions world() {
  io::ReadOptions options;
  options.comm = MPI_COMM_WORLD;
  return options;
}

}  // namespace

TEST_CASE("The slices of all ranks, one after another, are the snapshot") {
  const int n = GENERATE(0, 1, 2, 3, 7, 1000);
  SharedFile file(n);
  auto options = world();
  options.columns.mass = options.columns.id = options.columns.species = true;
  const auto snapshot = io::read_snapshot(file.publish(), options);
  const Count ranks = static_cast<Count>(ranks_of_world());
  const Count rank = static_cast<Count>(rank_of_world());
  CHECK(snapshot.first == rank * static_cast<Count>(n) / ranks);
  CHECK(snapshot.particles.size() == (rank + 1) * static_cast<Count>(n) / ranks - snapshot.first);
  for (Count i = 0; i < snapshot.particles.size(); ++i) {
    const Count row = snapshot.first + i;
    REQUIRE(snapshot.particles.mass(i) == static_cast<Real>(row));
    REQUIRE(snapshot.particles.id(i) == row);
    REQUIRE(snapshot.particles.position(i, 2) == -static_cast<Real>(row));
    REQUIRE(snapshot.particles.species(i) == Species::dark);
  }
  CHECK(snapshot.particles.velocity.extent(0) == 0);
}

TEST_CASE("Without a declared box the box is the bounding box over all ranks") {
  SharedFile file(11);
  const auto box = io::read_snapshot(file.publish(), world()).particles.box;
  CHECK(box.lower[0] == Real{0});
  CHECK(box.upper[1] == Real{20});
  CHECK(box.lower[2] == Real{-10});
  CHECK(box.upper[2] == Real{0});
  CHECK_FALSE(box.periodic[0]);
}

TEST_CASE("A requested box replaces the file's") {
  SharedFile file(11);
  auto options = world();
  options.box = unit_box<3>(true);
  options.box->upper = {Real{10}, Real{20}, Real{0}};
  options.box->lower = {Real{0}, Real{0}, Real{-10}};
  const auto box = io::read_snapshot(file.publish(), options).particles.box;
  CHECK(box.upper[1] == Real{20});
  CHECK(box.fully_periodic());
}

TEST_CASE("A particle outside the declared box is refused on every rank with its record") {
  SharedFile file(11);
  auto options = world();
  options.box = unit_box<3>();
  options.box->upper = {Real{9}, Real{20}, Real{0}};
  options.box->lower = {Real{0}, Real{0}, Real{-10}};
  CHECK_THROWS_WITH(
      io::read_snapshot(file.publish(), options),
      ContainsSubstring("particle 10 (counted from 0) has x = 10, outside the box [0, 9]"));
}

TEST_CASE("A NaN coordinate is refused on every rank with its record") {
  const float value =
      GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
               -std::numeric_limits<float>::infinity());
  const int row = GENERATE(0, 5, 10);
  SharedFile file(11);
  file.set_coordinate(row, 1, value);
  CHECK_THROWS_WITH(
      io::read_snapshot(file.publish(), world()),
      ContainsSubstring("particle " + std::to_string(row) + " (counted from 0) has y = "));
}

TEST_CASE("An invalid box is refused on every rank") {
  SharedFile file(3);
  auto options = world();
  options.box = unit_box<3>();
  options.box->lower[1] = Real{2};
  CHECK_THROWS_WITH(io::read_snapshot(file.publish(), options), ContainsSubstring("are invalid"));
}

TEST_CASE("A missing file is refused on every rank") {
  CHECK_THROWS_WITH(io::read_snapshot("/nonexistent/snapshot", world()),
                    ContainsSubstring("/nonexistent/snapshot: no such file"));
}

TEST_CASE("Progress ends at the number of rows") {
  SharedFile file(1000);
  Count done = 0;
  Count in_all = 0;
  auto options = world();
  options.progress = [&](Count rows, Count all) {
    CHECK(rows >= done);
    done = rows;
    in_all = all;
  };
  const auto snapshot = io::read_snapshot(file.publish(), options);
  CHECK(done == snapshot.particles.size());
  CHECK(in_all == snapshot.particles.size());
}

TEST_CASE("Public snapshots read by slices equal the whole") {
  const std::string name =
      GENERATE("tangos/test_tipsy/tiny.000640", "gadgetreader/test_g2_snap.1",
               "gadget2/gassphere_bigendian.dat", "hacc/m000.full.mpicosmo.50");
  const auto path = data_file(name);
  auto options = world();
  options.columns = {true, true, true, false, true};
  const auto slice = io::read_snapshot(path, options);
  options.comm = MPI_COMM_SELF;
  const auto whole = io::read_snapshot(path, options);
  REQUIRE(whole.particles.size() == slice.info.particles);
  for (int a = 0; a < 3; ++a) {
    CHECK(slice.particles.box.lower[a] == whole.particles.box.lower[a]);
    CHECK(slice.particles.box.upper[a] == whole.particles.box.upper[a]);
  }
  for (Count i = 0; i < slice.particles.size(); ++i) {
    const Count row = slice.first + i;
    REQUIRE(slice.particles.id(i) == whole.particles.id(row));
    REQUIRE(slice.particles.species(i) == whole.particles.species(row));
    if (slice.info.columns.mass) REQUIRE(slice.particles.mass(i) == whole.particles.mass(row));
    for (int a = 0; a < 3; ++a) {
      REQUIRE(slice.particles.position(i, a) == whole.particles.position(row, a));
      REQUIRE(slice.particles.velocity(i, a) == whole.particles.velocity(row, a));
    }
  }
}
