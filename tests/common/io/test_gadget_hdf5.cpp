// Oracles: files made with the C library directly, and with h5py.
#include "byte_builder.hpp"
#include "hdf5_bytes.hpp"
#include "python_oracle.hpp"
#include <copse/io/hdf5/gadget_hdf5.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The message for the small snapshot after `change` was applied to it.
template <class F>
std::string refusal_after(const F& change) {
  const ScratchFolder folder;
  small_snapshot(folder / "a.hdf5");
  const hid_t file = H5Fopen((folder / "a.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  change(file);
  H5Fclose(file);
  return sentence_of([&] { read_all(*io::open_snapshot(folder / "a.hdf5")); });
}

}  // namespace

TEST_CASE("Particle types follow one another; masses come from the table or the dataset") {
  const ScratchFolder folder;
  small_snapshot(folder / "a.hdf5");
  const auto reader = io::open_snapshot(folder / "a.hdf5");
  CHECK(reader->info().format == "gadget-hdf5");
  CHECK(reader->info().by_species == std::array<Count, 4>{2, 3, 0, 0});
  REQUIRE(reader->info().box);
  CHECK(reader->info().box->upper[2] == Real{10});
  CHECK(reader->info().box->fully_periodic());
  const auto p = read_slice(*reader, 1, 3);
  CHECK(p.position(0, 0) == Real{3});
  CHECK(p.position(1, 0) == Real{0});
  CHECK(p.velocity(2, 2) == Real{5});
  CHECK(p.mass(0) == Real{1});
  CHECK(p.mass(1) == Real{0.25});
  CHECK(p.id(2) == 1);
  CHECK(p.species(0) == Species::gas);
  CHECK(p.species(1) == Species::dark);
}

TEST_CASE("Headers and datasets that contradict one another are refused by name") {
  CHECK_THAT(refusal_after([](hid_t f) { H5Ldelete(f, "Header", H5P_DEFAULT); }),
             ContainsSubstring("no group /Header"));
  CHECK_THAT(refusal_after(
                 [](hid_t f) { H5Adelete_by_name(f, "Header", "NumPart_ThisFile", H5P_DEFAULT); }),
             ContainsSubstring("lacks the attribute NumPart_ThisFile"));
  CHECK_THAT(refusal_after([](hid_t f) { H5Ldelete(f, "PartType1/Coordinates", H5P_DEFAULT); }),
             ContainsSubstring("dataset PartType1/Coordinates is missing"));
  CHECK_THAT(
      refusal_after([](hid_t f) {
        H5Lmove(f, "PartType1/Coordinates", f, "PartType0/Other", H5P_DEFAULT, H5P_DEFAULT);
        H5Lmove(f, "PartType0/Coordinates", f, "PartType1/Coordinates", H5P_DEFAULT, H5P_DEFAULT);
        H5Lmove(f, "PartType0/Other", f, "PartType0/Coordinates", H5P_DEFAULT, H5P_DEFAULT);
      }),
      ContainsSubstring("PartType0/Coordinates has 3 rows, but NumPart_ThisFile of Header says 2"));
  // Without velocities of one type there are no velocities.
  CHECK(refusal_after([](hid_t f) { H5Ldelete(f, "PartType1/Velocities", H5P_DEFAULT); }).empty());
}

TEST_CASE("Every particle type has its species, and all datasets of every type are columns") {
  const ScratchFolder folder;
  run_python(folder.path(), R"(
with h5py.File('all.hdf5', 'w') as f:
    h = f.create_group('Header').attrs
    h['NumPart_ThisFile'] = h['NumPart_Total'] = np.array([2, 2, 0, 0, 2, 2], np.uint32)
    h['NumPart_Total_HighWord'] = np.zeros(6, np.uint32)
    h['NumFilesPerSnapshot'] = 1
    h['MassTable'] = np.zeros(6)
    h['BoxSize'] = 0.
    h['Time'] = 0.5
    for k, t in enumerate([0, 1, 4, 5]):
        g = f.create_group('PartType%d' % t)
        rows = 2 * k + np.arange(2)
        g['Coordinates'] = np.stack([rows + a for a in range(3)], axis=1) / 4
        g['Velocities'] = -np.stack([rows + a for a in range(3)], axis=1) / 4
        g['ParticleIDs'] = 2**40 + rows
        g['Masses'] = rows / 8
        g['Softenings'] = rows / 16
)");
  const auto reader = io::open_snapshot(folder / "all.hdf5");
  CHECK(reader->info().time == 0.5);
  CHECK(reader->info().by_species == std::array<Count, 4>{2, 2, 2, 2});
  CHECK_FALSE(reader->info().box);
  const auto p = read_all(*reader);
  REQUIRE(p.size() == 8);
  for (Count i = 0; i < 8; ++i) {
    const Real row = static_cast<Real>(i);
    CHECK(p.species(i) == static_cast<Species>(i / 2));
    CHECK(p.id(i) == (GlobalId{1} << 40) + i);
    CHECK(p.mass(i) == row / 8);
    CHECK(p.softening(i) == row / 16);
    for (int a = 0; a < 3; ++a) {
      CHECK(p.position(i, a) == (row + static_cast<Real>(a)) / 4);
      CHECK(p.velocity(i, a) == -p.position(i, a));
    }
  }
}

TEST_CASE("A snapshot of several files as SWIFT and AREPO write them is read through any of them") {
  const ScratchFolder folder;
  run_python(folder.path(), R"(
def part(name, gas, dark, first):
    with h5py.File(name, 'w') as f:
        h = f.create_group('Header').attrs
        h['NumPart_ThisFile'] = np.array([gas, dark, 0, 0, 0, 0, 0], np.int64)
        h['NumPart_Total'] = np.array([4, 7, 0, 0, 0, 0, 0], np.uint32)
        h['NumPart_Total_HighWord'] = np.zeros(7, np.uint32)
        h['NumFilesPerSnapshot'] = np.array([2], np.int32)
        h['BoxSize'] = np.array([100., 200., 300.])
        h['Time'] = np.array([0.125])
        for t, n in [(0, gas), (1, dark)]:
            g = f.create_group('PartType%d' % t)
            ids = first + 1000 * t + np.arange(n)
            g.create_dataset('ParticleIDs', data=ids.astype(np.uint64), chunks=True, compression='gzip',
                             shuffle=True, fletcher32=True)
            g.create_dataset('Coordinates', data=np.stack([ids, ids + 0.5, ids + 0.25], axis=1) / 32)
            g.create_dataset('Velocities', data=np.stack([ids] * 3, axis=1).astype(np.float32))
            g.create_dataset('Masses' if t else 'Mass', data=ids.astype(np.float32))
part('snap.0.hdf5', 3, 2, 0)
part('snap.1.hdf5', 1, 5, 10)
)");
  const std::vector<GlobalId> ids{0, 1, 2, 1000, 1001, 10, 1010, 1011, 1012, 1013, 1014};
  for (const char* name : {"snap.0.hdf5", "snap.1.hdf5"}) {
    const auto reader = io::open_snapshot(folder / name);
    CHECK(reader->info().by_species == std::array<Count, 4>{4, 7, 0, 0});
    CHECK(reader->info().box->upper[1] == Real{200});
    CHECK(reader->info().time == 0.125);
    for (Count first = 0; first <= ids.size(); ++first) {
      const auto p = read_slice(*reader, first, ids.size() - first);
      for (Count i = 0; i < p.size(); ++i) {
        REQUIRE(p.id(i) == ids[first + i]);
        REQUIRE(p.position(i, 1) == static_cast<Real>((static_cast<double>(p.id(i)) + 0.5) / 32));
        REQUIRE(p.mass(i) == static_cast<Real>(p.id(i)));
        REQUIRE(p.velocity(i, 2) == static_cast<Real>(p.id(i)));
      }
    }
  }
  std::filesystem::rename(folder / "snap.1.hdf5", folder / "other.hdf5");
  CHECK_THAT(sentence_of([&] { io::open_snapshot(folder / "snap.0.hdf5"); }),
             ContainsSubstring("snap.1.hdf5: no such file"));
  CHECK_THAT(sentence_of([&] { io::open_snapshot(folder / "other.hdf5"); }),
             ContainsSubstring("has 2 files, but the name is not of the form NAME.0.hdf5"));
  std::filesystem::copy(folder / "snap.0.hdf5", folder / "snap.1.hdf5");
  CHECK_THAT(sentence_of([&] { io::open_snapshot(folder / "snap.1.hdf5"); }),
             ContainsSubstring("NumPart_Total of Header says 4 particles of type 0"));
}

TEST_CASE("A file cut off anywhere is refused in one sentence") {
  const ScratchFolder folder;
  small_snapshot(folder / "a.hdf5");
  auto bytes = bytes_of_file(folder / "a.hdf5");
  REQUIRE(refusal(bytes).empty());
  for (std::size_t length = bytes.size(); length > 0; length -= std::min<std::size_t>(length, 97)) {
    const std::vector<std::byte> prefix(bytes.begin(),
                                        bytes.begin() + static_cast<std::ptrdiff_t>(length - 1));
    const std::string sentence = refusal(prefix);
    INFO(length << ": " << sentence);
    REQUIRE(sentence.starts_with("memory: "));
    REQUIRE(sentence.find('\n') == std::string::npos);
  }
}
