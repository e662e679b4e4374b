// Oracle: the file system, and the states that were written. check_collide.py compares files of
// runs.
#include "../../common/io/file_checks.hpp"
#include "collide/output.hpp"
#include "collide/restart.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace copse::collide {
namespace {

using namespace copse::test;

Request settled(double spread = 1.0) {
  Request request;
  request.radius_spread = spread;
  app::CommonOptions common;
  common.generate = "gas";
  common.backend = "serial";
  request.settle(common);
  return request;
}

Start<2> start_of(const Request& request, Count n) {
  Start<2> start = gas_start<2>(request, n, 1);
  add_sizes(request, 1, start.state);
  return start;
}

/// Writes two frames and a restart file.
void write(const std::filesystem::path& path, const Request& request, const Start<2>& start,
           Count slab = Output::default_slab) {
  Output output(MPI_COMM_WORLD, path, request, slab);
  output.begin(start);
  output.add(1, start.state);
  output.add(11, start.state);
  output.finish(20, start.state, start);
  output.commit();
}

std::map<std::string, std::string> contents(const ScratchFolder& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& name : folder.files()) files[name] = text_of(folder / name);
  return files;
}

TEST_CASE("Frames are those after steps 1, 1 + K, 1 + 2 K, or the last state alone") {
  Request request;
  CHECK_FALSE(request.is_frame(1, 100));
  CHECK(request.is_frame(100, 100));
  request.save_every = 10;
  std::vector<Count> frames;
  for (Count step = 1; step <= 30; ++step)
    if (request.is_frame(step, 30)) frames.push_back(step);
  CHECK(frames == std::vector<Count>{1, 11, 21});
}

TEST_CASE("A run stops for its frames, for its end, and twenty times to report progress") {
  const auto stops = [](Count steps, Count save_every, Count before) {
    Request request;
    request.steps = steps;
    request.save_every = save_every;
    std::vector<Count> all;
    for (Count done = 0; done < steps; all.push_back(done)) {
      const Count next = request.next_stop(before, done);
      REQUIRE(next > done);
      done = next;
    }
    return all;
  };
  std::vector<Count> twenty;
  for (Count k = 1; k <= 20; ++k) twenty.push_back(50'000 * k);
  CHECK(stops(1'000'000, 0, 0) == twenty);
  CHECK(stops(41, 0, 7) == std::vector<Count>{2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22,
                                              24, 26, 28, 30, 32, 34, 36, 38, 40, 41});
  CHECK(stops(3, 0, 0) == std::vector<Count>{1, 2, 3});
  CHECK(stops(100, 50, 0) == std::vector<Count>{1,  5,  10, 15, 20, 25, 30, 35, 40, 45, 50,
                                                51, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100});
  // After 26 or 24 steps of earlier runs, frames are still those after steps 51 and 101 of all.
  CHECK(stops(100, 50, 26) == std::vector<Count>{5,  10, 15, 20, 25, 30, 35, 40, 45, 50,
                                                 55, 60, 65, 70, 75, 80, 85, 90, 95, 100});
  CHECK(stops(100, 50, 24) == std::vector<Count>{5,  10, 15, 20, 25, 27, 30, 35, 40, 45, 50,
                                                 55, 60, 65, 70, 75, 77, 80, 85, 90, 95, 100});
}

TEST_CASE("Frames and restart files appear under their names and nothing else does") {
  const ScratchFolder folder;
  const Request request = settled();
  const Start<2> start = start_of(request, 3);
  for (const char* name : {"a.h5", "b.hdf5", "c.txt", "d.out"})
    write(folder / name, request, start);
  CHECK(folder.files() ==
        std::vector<std::string>{"a.h5", "a.h5.restart.hdf5", "b.hdf5", "b.hdf5.restart.hdf5",
                                 "c.txt", "c.txt.restart.hdf5", "d.out", "d.out.restart.hdf5"});
  // Files that are not committed leave nothing.
  {
    Output output(MPI_COMM_WORLD, folder / "e.out", request);
    output.begin(start);
    output.add(1, start.state);
  }
  CHECK(folder.files().size() == 8);
}

TEST_CASE("Text frames have the numbers that streams print") {
  const ScratchFolder folder;
  const Request request = settled();
  Start<2> start = start_of(request, 3);
  start.region.side = {0.7071067811865476, 0.7071067811865476};
  const double positions[3][2] = {{0.0433521234, 0.3}, {1e-7, 0.0}, {0.70710678, 0.123456501}};
  for (Count i = 0; i < 3; ++i)
    for (int a = 0; a < 2; ++a) start.state.position(i, a) = positions[i][a];
  write(folder / "x.out", request, start);
  const std::string frame = "0.0433521 0.3\n1e-07 0\n0.707107 0.123457\n\n";
  CHECK(text_of(folder / "x.out") == "3 0.707107\n" + frame + frame);
  start.region.side[1] = 2.5;
  write(folder / "x.out", request, start);
  CHECK(text_of(folder / "x.out").starts_with("3 0.707107 2.5\n"));
}

TEST_CASE("A restart file gives back all bits, sizes and the region") {
  const ScratchFolder folder;
  const Request request = settled(3.0);
  const Start<2> start = start_of(request, 50);
  write(folder / "x.out", request, start);
  const Start<2> back = read_restart<2>(folder / "x.out.restart.hdf5", request);
  REQUIRE(back.state.rows() == 50);
  CHECK(back.step == 20);
  CHECK(back.state.largest_size == 3.0);
  for (Count i = 0; i < 50; ++i) {
    CHECK(back.state.tag(i) == i);
    CHECK(back.state.size(i) == start.state.size(i));
    for (int a = 0; a < 2; ++a) {
      CHECK(back.state.position(i, a) == start.state.position(i, a));
      CHECK(back.state.velocity(i, a) == start.state.velocity(i, a));
      CHECK(back.region.side[a] == start.region.side[a]);
    }
  }
}

TEST_CASE("A restart with other options or impossible numbers is refused with one sentence") {
  const ScratchFolder folder;
  const Request request = settled(3.0);
  const auto path = folder / "x.out.restart.hdf5";
  const auto refusal = [&](const Request& asked) {
    return sentence_of([&] { read_restart<2>(path, asked); });
  };
  write(folder / "x.out", request, start_of(request, 50));
  CHECK(refusal(request).empty());
  Request other = request;
  other.dt = 0.001;
  CHECK(refusal(other).find("'dt 0.0005', but this one has 'dt 0.001'") != std::string::npos);
  other = request;
  other.periodic = true;
  CHECK(refusal(other).find("'periodic false'") != std::string::npos);
  other = settled(2.0);
  CHECK(refusal(other).find("'radius-spread 3'") != std::string::npos);
  other = request;
  other.summation = "any";
  CHECK(refusal(other).find("'summation ordered'") != std::string::npos);

  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto damaged = [&](const auto& change) {
    Start<2> start = start_of(request, 50);
    change(start);
    write(folder / "x.out", request, start);
    const std::string sentence = refusal(request);
    INFO(sentence);
    CHECK(sentence.starts_with(path.string() + ": "));
    CHECK(sentence.find('\n') == std::string::npos);
  };
  damaged([&](Start<2>& s) { s.state.position(7, 1) = nan; });
  damaged([&](Start<2>& s) { s.state.position(7, 1) = -1e-9; });
  damaged([&](Start<2>& s) { s.state.position(7, 0) = 1.001 * s.region.side[0]; });
  damaged([&](Start<2>& s) { s.state.velocity(7, 1) = HUGE_VAL; });
  damaged([&](Start<2>& s) { s.state.size(7) = 0.5; });
  damaged([&](Start<2>& s) { s.state.size(7) = 3.5; });
  damaged([&](Start<2>& s) { s.region.side[1] = nan; });
  damaged([&](Start<2>& s) { s.region.side[1] = 0.0; });
  damaged([&](Start<2>& s) { s.origin[0] = nan; });
}

TEST_CASE("A restart file whose lists differ in length is refused") {
  const ScratchFolder folder;
  const Request request = settled(3.0);
  write(folder / "x.out", request, start_of(request, 50));
  const auto path = folder / "x.out.restart.hdf5";
  for (const char* name : {"velocity", "size"}) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t shape[] = {49, 2};
    const hid_t space = H5Screate_simple(name[0] == 'v' ? 2 : 1, shape, nullptr);
    REQUIRE(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    const hid_t list =
        H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<double> numbers(98, 1.0);
    REQUIRE(H5Dwrite(list, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
    H5Dclose(list);
    H5Sclose(space);
    H5Fclose(file);
    CHECK(sentence_of([&] { read_restart<2>(path, request); }) ==
          path.string() + ": the restart's lists have no particles or differ in length");
    write(folder / "x.out", request, start_of(request, 50));
  }
}

TEST_CASE("Files do not depend on the size of the slabs nor on the order of rows") {
  const ScratchFolder folder;
  const Request request = settled(3.0);
  const Start<2> start = start_of(request, 50);
  Start<2> turned = start_of(request, 50);
  for (Count i = 0; i < 50; ++i) {
    turned.state.tag(i) = start.state.tag(49 - i);
    turned.state.size(i) = start.state.size(49 - i);
    for (int a = 0; a < 2; ++a) {
      turned.state.position(i, a) = start.state.position(49 - i, a);
      turned.state.velocity(i, a) = start.state.velocity(49 - i, a);
    }
  }
  for (const char* name : {"x.h5", "x.out"}) {
    write(folder / name, request, start);
    const auto whole = contents(folder);
    for (const Count slab : {1, 7, 49, 50}) {
      write(folder / name, request, turned, slab);
      CHECK(contents(folder) == whole);
    }
  }
}

TEST_CASE("A disk that fills up leaves the old files and no parts") {
  const ScratchFolder folder;
  const Request request = settled();
  for (const char* name : {"x.h5", "x.out"}) write(folder / name, request, start_of(request, 10));
  const auto before = contents(folder);
  REQUIRE(before.size() == 4);
  const Start<2> start = start_of(request, 5000);
  // A frame of 5000 particles takes 160 kB, or some 90 kB as text; so does the restart file.
  for (const rlim_t bytes : {0, 2048, 50'000, 100'000, 150'000})
    for (const char* name : {"x.h5", "x.out"}) {
      std::string sentence;
      {
        const FileSizeLimit limit(bytes);
        sentence = sentence_of([&] { write(folder / name, request, start); });
      }
      INFO(name << " at " << bytes << " bytes: " << sentence);
      CHECK(sentence.find("File too large") != std::string::npos);
      CHECK(sentence.find('\n') == std::string::npos);
    }
  CHECK(contents(folder) == before);
  write(folder / "x.h5", request, start);
  CHECK(contents(folder) != before);
}

TEST_CASE("A name that cannot be written is refused before the run") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "taken.out");
  std::filesystem::create_directory(folder / "free.out.restart.hdf5");
  const Request request = settled();
  for (const char* name : {"taken.out", "free.out", "none/x.h5"}) {
    const std::string sentence =
        sentence_of([&] { const Output output(MPI_COMM_WORLD, folder / name, request); });
    INFO(sentence);
    CHECK(sentence.starts_with("--output: " + (folder / name).string()));
    CHECK(sentence.find('\n') == std::string::npos);
  }
  CHECK(folder.files().size() == 2);
  CHECK(sentence_of([] { check_output_name("frames.xyz"); }).find("--output frames.xyz") == 0);
}

}  // namespace
}  // namespace copse::collide
