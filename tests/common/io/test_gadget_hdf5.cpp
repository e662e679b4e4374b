// Oracles: files made with the C library directly, and h5py as an independent reader and writer.
#include "byte_builder.hpp"
#include "hdf5_bytes.hpp"
#include "python_oracle.hpp"
#include <copse/io/hdf5/gadget_hdf5.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Gas, dark, star and other in turn, with numbers that depend on the row.
Particles<Kokkos::HostSpace> mixed_particles(Count n) {
  auto p = allocate_particles<Kokkos::HostSpace>(
      n, {.velocity = true, .mass = true, .id = true, .species = true, .softening = true});
  for (Count i = 0; i < n; ++i) {
    for (int a = 0; a < 3; ++a) {
      p.position(i, a) = static_cast<Real>(0.1 * static_cast<double>(i % 7) + a);
      p.velocity(i, a) = -p.position(i, a);
    }
    p.mass(i) = static_cast<Real>(i) / 3;
    p.id(i) = (GlobalId{1} << 40) + i;
    p.species(i) = static_cast<Species>(i % 4);
    p.softening(i) = static_cast<Real>(i) / 7;
  }
  for (int a = 0; a < 3; ++a) p.box.upper[a] = Real{4};
  return p;
}

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

TEST_CASE("What is written is read back exactly, sorted by species") {
  const ScratchFolder folder;
  const auto p = mixed_particles(101);
  io::write_gadget_hdf5(folder / "a.hdf5", p, 0.5);
  const auto reader = io::open_snapshot(folder / "a.hdf5");
  CHECK(reader->info().time == 0.5);
  CHECK(reader->info().by_species == std::array<Count, 4>{26, 25, 25, 25});
  REQUIRE(reader->info().box);
  CHECK_FALSE(reader->info().box->periodic[0]);
  CHECK(reader->info().box->upper[1] == Real{4});
  const auto back = read_all(*reader);
  REQUIRE(back.size() == 101);
  Count row = 0;
  for (Count species = 0; species < 4; ++species)
    for (Count i = species; i < 101; i += 4, ++row) {
      REQUIRE(back.id(row) == p.id(i));
      REQUIRE(back.species(row) == p.species(i));
      REQUIRE(back.softening(row) == p.softening(i));
      REQUIRE(back.mass(row) == p.mass(i));
      for (int a = 0; a < 3; ++a) {
        REQUIRE(back.position(row, a) == p.position(i, a));
        REQUIRE(back.velocity(row, a) == p.velocity(i, a));
      }
    }
}

TEST_CASE("h5py finds the layout of the GADGET user guide in what is written") {
  const ScratchFolder folder;
  auto p = mixed_particles(100);
  io::write_gadget_hdf5(folder / "open.hdf5", p);
  for (int a = 0; a < 3; ++a) p.box.periodic[a] = true;
  io::write_gadget_hdf5(folder / "periodic.hdf5", p, 0.25);
  auto positions_only = allocate_particles<Kokkos::HostSpace>(50000);
  Kokkos::deep_copy(positions_only.position, Real{0.5});
  io::write_gadget_hdf5(folder / "plain.hdf5", positions_only);
  run_python(folder.path(), R"(
f = h5py.File('periodic.hdf5', 'r')
h = f['Header'].attrs
assert list(h['NumPart_ThisFile']) == [25, 25, 0, 0, 25, 25] == list(h['NumPart_Total'])
assert list(h['NumPart_Total_HighWord']) == [0] * 6 and h['NumFilesPerSnapshot'] == 1
assert h['BoxSize'] == 4 and h['Time'] == 0.25 and list(h['MassTable']) == [0] * 6
assert list(f['PartType4/ParticleIDs'][:]) == [2**40 + i for i in range(2, 100, 4)]
assert f['PartType0/Coordinates'].shape == (25, 3)
assert np.allclose(f['PartType1/Masses'][:], np.arange(1, 100, 4) / 3)
assert (f['PartType5/Velocities'][:] == -f['PartType5/Coordinates'][:]).all()
assert h5py.File('open.hdf5', 'r')['Header'].attrs['BoxSize'] == 0
g = h5py.File('plain.hdf5', 'r')
assert list(g) == ['Header', 'PartType1'] and list(g['PartType1']) == ['Coordinates']
assert (g['PartType1/Coordinates'][:] == 0.5).all() and len(g['PartType1/Coordinates']) == 50000
)");
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

TEST_CASE("A snapshot that cannot be written leaves nothing behind") {
  const auto p = mixed_particles(1000);
  require_refuses_unwritable_paths(
      [&](const std::filesystem::path& path) { io::write_gadget_hdf5(path, p); });
}
