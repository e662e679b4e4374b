// Oracle: h5py reading the written file; the file system for leftovers.
#include "file_checks.hpp"
#include "python_oracle.hpp"
#include <copse/io/hdf5/hdf5_file.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

template <class Layout>
auto counting(std::size_t rows, std::size_t columns) {
  const Kokkos::View<double**, Layout, Kokkos::HostSpace> view("view", rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) view(i, j) = static_cast<double>(columns * i + j);
  return view;
}

}  // namespace

TEST_CASE("h5py reads lists, tables of any layout and attributes as they were written") {
  const ScratchFolder folder;
  {
    io::Hdf5Writer out(folder / "out.h5");
    const Kokkos::View<std::uint32_t*, Kokkos::HostSpace> list("list", 4);
    for (std::uint32_t i = 0; i < 4; ++i) list(i) = 4000000000u + i;
    out.write("list", list);
    out.write("tree/deep/left", counting<Kokkos::LayoutLeft>(100000, 3));
    out.write("tree/deep/right", counting<Kokkos::LayoutRight>(5, 3));
    out.write("tree/row", Kokkos::subview(counting<Kokkos::LayoutLeft>(5, 3), 2, Kokkos::ALL));
    out.write("empty", counting<Kokkos::LayoutLeft>(0, 3));
    out.attribute("tree", "leaves", 64);
    out.attribute("tree", "rule", "halves");
    out.attribute("tree/deep/left", "unit", std::string("Mpc/h"));
    out.attribute("/", "lower", std::array<float, 3>{0.f, .5f, 1.f});
    out.attribute("made/by/attribute", "ids", std::vector<std::uint64_t>{~std::uint64_t{0}});
    out.attribute("/", "periodic", true);
    out.attribute("/", "seconds", 0.125);
    out.group("nothing/in/here");
    out.commit();
  }
  run_python(folder.path(), R"(
f = h5py.File('out.h5', 'r')
table = lambda n: np.arange(3.0 * n).reshape(n, 3)
assert (f['list'][:] == 4000000000 + np.arange(4)).all() and f['list'].dtype == np.uint32
assert f['tree/deep/left'].shape == (100000, 3) and (f['tree/deep/left'][:] == table(100000)).all()
assert (f['tree/deep/right'][:] == table(5)).all()
assert (f['tree/row'][:] == [6, 7, 8]).all()
assert f['empty'].shape == (0, 3)
assert f['tree'].attrs['leaves'] == 64 and f['tree'].attrs['rule'] == 'halves'
assert f['tree/deep/left'].attrs['unit'] == 'Mpc/h'
assert (f.attrs['lower'] == np.array([0, .5, 1], np.float32)).all()
assert f['made/by/attribute'].attrs['ids'][0] == 2**64 - 1
assert f.attrs['periodic'] == 1 and f.attrs['seconds'] == 0.125
assert len(f['nothing/in/here']) == 0
)");
  CHECK(folder.files().size() == 2);
}

TEST_CASE("A dataset can be filled piece by piece") {
  const ScratchFolder folder;
  const auto table = counting<Kokkos::LayoutLeft>(10, 3);
  io::Hdf5Writer out(folder / "out.h5");
  out.create<float>("x", 10, 3);
  out.write_rows("x", 6, Kokkos::subview(table, std::pair{6, 10}, Kokkos::ALL));
  out.write_rows("x", 0, Kokkos::subview(table, std::pair{0, 6}, Kokkos::ALL));
  CHECK_THROWS_AS(out.write_rows("x", 8, Kokkos::subview(table, std::pair{0, 6}, Kokkos::ALL)),
                  std::logic_error);
  CHECK_THROWS_AS(out.write_rows("x", 0, counting<Kokkos::LayoutLeft>(10, 2)), std::logic_error);
  out.commit();
  run_python(folder.path(), R"(
x = h5py.File('out.h5', 'r')['x']
assert x.dtype == np.float32 and (x[:] == np.arange(30).reshape(10, 3)).all()
)");
}

TEST_CASE("A name written twice is refused with file and dataset") {
  const ScratchFolder folder;
  io::Hdf5Writer out(folder / "out.h5");
  out.write("a/b", counting<Kokkos::LayoutRight>(2, 2));
  CHECK_THAT(sentence_of([&] { out.write("a/b", counting<Kokkos::LayoutRight>(2, 2)); }),
             ContainsSubstring("out.h5: dataset a/b cannot be written"));
}

TEST_CASE("A file that is not committed, or cannot be written, leaves nothing behind") {
  const ScratchFolder folder;
  {
    io::Hdf5Writer out(folder / "out.h5");
    out.write("x", counting<Kokkos::LayoutRight>(100, 3));
  }
  CHECK(folder.files().empty());
  require_refuses_unwritable_paths([](const std::filesystem::path& path) {
    io::Hdf5Writer out(path);
    out.write("x", counting<Kokkos::LayoutLeft>(100000, 3));
    out.commit();
  });
}

TEST_CASE("A disk that fills up at any moment is reported with the system's reason") {
  const ScratchFolder folder;
  const auto table = counting<Kokkos::LayoutLeft>(1000, 3);
  for (const rlim_t bytes : {100, 500, 2000, 2100, 10000, 24000, 26000}) {
    const FileSizeLimit limit(bytes);
    const std::string sentence = sentence_of([&] {
      io::Hdf5Writer out(folder / "out.h5");
      out.write("x", table);
      out.attribute("group", "name", "value");
      out.commit();
    });
    INFO(bytes << ": " << sentence);
    CHECK_THAT(sentence, ContainsSubstring("out.h5: ") && EndsWith("File too large"));
    CHECK(folder.files().empty());
  }
}
