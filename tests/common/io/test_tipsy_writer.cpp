// Oracles: NumPy reading the documented records, and the reader of the format, which is tested
// against public files.
#include "byte_builder.hpp"
#include "file_checks.hpp"
#include "python_oracle.hpp"
#include <copse/io/tipsy_writer.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Particles<Kokkos::HostSpace> mixed_particles() {
  auto p =
      allocate_particles<Kokkos::HostSpace>(5, {.velocity = true, .mass = true, .species = true});
  const std::array species{Species::star, Species::dark, Species::gas, Species::other,
                           Species::dark};
  for (Count i = 0; i < 5; ++i) {
    p.mass(i) = static_cast<Real>(i) + Real{0.5};
    for (int a = 0; a < 3; ++a) {
      p.position(i, a) = static_cast<Real>(10 * i) + static_cast<Real>(a);
      p.velocity(i, a) = -p.position(i, a);
    }
    p.species(i) = species[i];
  }
  return p;
}

const std::vector<LocalIndex> mixed_order{2, 1, 3, 4, 0};

}  // namespace

TEST_CASE("NumPy finds header and records at the documented offsets") {
  const ScratchFolder folder;
  const auto p = mixed_particles();
  io::write_tipsy(folder / "mixed", p, {.time = 0.25});
  run_python(folder.path(), R"(
b = open('mixed', 'rb').read()
assert len(b) == 32 + 48 + 3 * 36 + 44
assert np.frombuffer(b, '>f8', 1)[0] == 0.25
assert list(np.frombuffer(b, '>i4', 6, 8)) == [5, 3, 1, 3, 1, 0]
def record(offset, floats): return np.frombuffer(b, '>f4', floats, offset)
def expected(i): return [i + .5] + [10 * i + a for a in range(3)] + [-10 * i - a for a in range(3)]
for i, (offset, floats) in zip([2, 1, 3, 4, 0], [(32, 12), (80, 9), (116, 9), (152, 9), (188, 11)]):
    r = record(offset, floats)
    assert list(r[:7]) == expected(i) and not r[7:].any(), (i, r)
)");
}

TEST_CASE("NumPy finds softening lengths and formation times at the offsets of each species") {
  const ScratchFolder folder;
  const std::vector<Real> softening{1, 2, 3, 4, 5};
  io::write_tipsy(folder / "soft", mixed_particles(),
                  {.softening = softening, .formation_time = 0.25});
  run_python(folder.path(), R"(
b = open('soft', 'rb').read()
def record(offset, floats): return list(np.frombuffer(b, '>f4', floats, offset)[7:])
assert record(32, 12) == [0, 0, 3, 0, 0]                                       # gas: hsmooth
assert [record(o, 9) for o in (80, 116, 152)] == [[2, 0], [4, 0], [5, 0]]      # dark: eps
assert record(188, 11) == [0, 0.25, 1, 0]                                      # star: tform, eps
)");
  const std::vector<Real> four(4);
  CHECK_THAT(sentence_of(
                 [&] { io::write_tipsy(folder / "four", mixed_particles(), {.softening = four}); }),
             ContainsSubstring("the softening has 4 rows for 5 particles"));
  CHECK_FALSE(std::filesystem::exists(folder / "four"));
}

TEST_CASE("What is written is read back, dark and of equal mass if nothing else is known") {
  const ScratchFolder folder;
  io::write_tipsy(folder / "mixed", mixed_particles());
  const auto back = read_all(*io::open_snapshot(folder / "mixed"));
  REQUIRE(back.size() == 5);
  for (Count i = 0; i < 5; ++i)
    CHECK(back.position(i, 2) == static_cast<Real>(10 * mixed_order[i] + 2));

  const auto plain = allocate_particles<Kokkos::HostSpace>(100000);
  Kokkos::deep_copy(plain.position, Real{0.25});
  io::write_tipsy(folder / "plain", plain);
  const auto reader = io::open_snapshot(folder / "plain");
  CHECK(reader->info().by_species == std::array<Count, 4>{0, 100000, 0, 0});
  const auto dark = read_slice(*reader, 99999, 1);
  CHECK(dark.mass(0) == static_cast<Real>(1e-5f));
  CHECK(dark.position(0, 1) == Real{0.25});
  CHECK(dark.velocity(0, 1) == Real{0});
}

TEST_CASE("Tipsy files that cannot be written leave nothing behind") {
  const auto p = mixed_particles();
  require_refuses_unwritable_paths(
      [&](const std::filesystem::path& path) { io::write_tipsy(path, p); });
}
