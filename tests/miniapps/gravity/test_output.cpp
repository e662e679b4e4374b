// Oracle: the file system. check_gravity.py compares what the files contain.
#include "../../common/io/file_checks.hpp"
#include <copse/gravity/to_mass.hpp>

#include <fmt/format.h>

#include <gravity/output.hpp>
#include <map>

namespace copse::gravity {
namespace {

using namespace copse::test;

Solution solution_of(Count n) {
  Solution solution;
  solution.method = "breadth";
  solution.output = {allocate_particles<Kokkos::HostSpace>(n, {.mass = true}),
                     allocate_fields<Kokkos::HostSpace>(n)};
  for (Count i = 0; i < n; ++i) {
    solution.output->bodies.mass(i) = 1;
    solution.output->fields.potential(i) = Real(-1) / static_cast<Real>(i + 3);
    for (int a = 0; a < 3; ++a) {
      solution.output->bodies.position(i, a) = static_cast<Real>(i);
      solution.output->fields.acceleration(i, a) = Real(1) / static_cast<Real>(i + 3);
    }
  }
  return solution;
}

std::map<std::string, std::string> contents(const ScratchFolder& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& name : folder.files()) files[name] = text_of(folder / name);
  return files;
}

TEST_CASE("Fields appear under their names and nothing else does") {
  const ScratchFolder folder;
  const Solution solution = solution_of(100);
  for (const char* name : {"a.h5", "b.hdf5", "c", "d.acc"})
    write_fields(folder / name, Request{}, solution);
  CHECK(folder.files() ==
        std::vector<std::string>{"a.h5", "b.hdf5", "c.acc", "c.pot", "d.acc.acc", "d.acc.pot"});
}

TEST_CASE("A disk that fills up while fields are written leaves the old files and no parts") {
  const ScratchFolder folder;
  for (const char* name : {"fields.h5", "fields"})
    write_fields(folder / name, Request{}, solution_of(10));
  const auto before = contents(folder);
  REQUIRE(before.size() == 3);
  const Solution solution = solution_of(10000);
  // 10,000 bodies take 320 kB, their arrays some 330 kB and 120 kB.
  for (const rlim_t bytes : {0, 100, 2048, 50000, 200000, 300000})
    for (const char* name : {"fields.h5", "fields"}) {
      std::string sentence;
      {
        const FileSizeLimit limit(bytes);
        sentence = sentence_of([&] { write_fields(folder / name, Request{}, solution); });
      }
      INFO(name << " at " << bytes << " bytes: " << sentence);
      CHECK(sentence.starts_with((folder / name).string()));
      CHECK(sentence.ends_with("File too large"));
      CHECK(sentence.find('\n') == std::string::npos);
      CHECK(contents(folder) == before);
    }
  write_fields(folder / "fields.h5", Request{}, solution);
  CHECK(contents(folder) != before);
}

TEST_CASE("A name that cannot be written is refused before there is anything to write") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "taken.acc");
  std::filesystem::create_directory(folder / "moved.restart.hdf5");
  const auto refusal = [&](const char* name, Count steps) {
    Request request;
    request.steps = steps;
    return sentence_of([&] { check_output(folder / name, request); });
  };
  CHECK(refusal("taken", 0)
            .starts_with(
                fmt::format("--output: {}: cannot be written", (folder / "taken.acc").string())));
  CHECK(refusal("taken", 1).empty());
  CHECK(refusal("moved", 0).empty());
  CHECK(refusal("moved", 1)
            .starts_with(
                fmt::format("--output: {}: cannot", (folder / "moved.restart.hdf5").string())));
  CHECK(refusal("taken.acc/a.h5", 0).empty());
  CHECK(refusal("none/a.h5", 0)
            .starts_with(fmt::format("--output: {}: cannot", (folder / "none/a.h5").string())));
  CHECK(std::filesystem::is_empty(folder / "taken.acc"));
}

}  // namespace
}  // namespace copse::gravity
