// Oracles: NumPy reading the written file; byte comparison with a file written by NumPy.
#include "file_checks.hpp"
#include "python_oracle.hpp"
#include <copse/io/npy_table.hpp>
#include <copse/io/npy_writer.hpp>

using namespace copse;
using namespace copse::test;

namespace {

template <class T>
auto counting(const char* label, std::size_t n) {
  const Kokkos::View<T* [3], Kokkos::LayoutLeft, Kokkos::HostSpace> view(label, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < 3; ++a) view(i, a) = static_cast<T>(3 * i + a);
  return view;
}

}  // namespace

TEST_CASE("NumPy reads the written file, and writes the same bytes itself") {
  const ScratchFolder folder;
  io::write_npy(folder / "f4.npy", counting<float>("f4", 200000));
  io::write_npy(folder / "f8.npy", counting<double>("f8", 5));
  io::write_npy(folder / "u8.npy", counting<std::uint64_t>("u8", 5));
  io::write_npy(folder / "empty.npy", counting<float>("empty", 0));
  const Kokkos::View<std::int8_t*, Kokkos::HostSpace> list("list", 4);
  Kokkos::deep_copy(list, std::int8_t{-7});
  io::write_npy(folder / "list.npy", list);
  run_python(folder.path(), R"(
for name, dtype, n in [('f4', '<f4', 200000), ('f8', '<f8', 5), ('u8', '<u8', 5), ('empty', '<f4', 0)]:
    x = np.load(name + '.npy')
    expected = np.arange(3 * n).reshape(n, 3).astype(dtype)
    assert x.dtype == np.dtype(dtype) and x.shape == (n, 3) and (x == expected).all(), name
    np.save('expected.npy', expected)
    assert open('expected.npy', 'rb').read()[128:] == open(name + '.npy', 'rb').read()[128:], name
assert (np.load('list.npy') == np.full(4, -7, np.int8)).all() and np.load('list.npy').dtype == np.int8
)");
}

TEST_CASE("Positions survive writing and reading exactly") {
  const ScratchFolder folder;
  const auto points = counting<Real>("points", 1000);
  points(3, 1) = static_cast<Real>(0.1);
  io::write_npy(folder / "x.npy", points);
  const auto back = io::read_npy_points<3>(folder / "x.npy");
  REQUIRE(back.extent(0) == 1000);
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t a = 0; a < 3; ++a) REQUIRE(back(i, a) == points(i, a));
}

TEST_CASE("A .npy file that cannot be written leaves nothing behind") {
  require_refuses_unwritable_paths(
      [](const std::filesystem::path& path) { io::write_npy(path, counting<float>("x", 1000)); });
}
