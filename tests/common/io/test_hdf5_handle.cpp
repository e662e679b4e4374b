// Oracle: the HDF5 library's own count of open objects.
#include <copse/io/hdf5/hdf5_handle.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace copse::io;

TEST_CASE("A handle closes what it owns exactly once, moves included") {
  hid_t id = H5I_INVALID_HID;
  {
    Hdf5Handle first(H5Screate(H5S_SCALAR));
    id = first.get();
    Hdf5Handle second(std::move(first));
    CHECK_FALSE(first);  // NOLINT(bugprone-use-after-move): moved-from handles are empty
    Hdf5Handle third;
    third = std::move(second);
    CHECK(third.get() == id);
    CHECK(H5Iis_valid(id) > 0);
  }
  CHECK(H5Iis_valid(id) == 0);
}

TEST_CASE("An empty handle closes without complaint and the default is empty") {
  Hdf5Handle empty;
  CHECK_FALSE(empty);
  CHECK(empty.close());
}

TEST_CASE("Quiet code gives the reason of a failure, and the old handler comes back") {
  H5E_auto2_t before = nullptr;
  H5E_auto2_t after = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  {
    const QuietHdf5 quiet;
    CHECK(H5Fopen("/nonexistent/file.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    CHECK(QuietHdf5::reason() == "No such file or directory");
  }
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  CHECK(before == after);
}

TEST_CASE("Every number type has a native type of its size and class") {
  for (int t = 0; t <= static_cast<int>(NumberType::float64); ++t) {
    const auto type = static_cast<NumberType>(t);
    CHECK(H5Tget_size(native_type(type)) == bytes_of(type));
    CHECK((H5Tget_class(native_type(type)) == H5T_FLOAT) == (type >= NumberType::float32));
  }
}
