#pragma once
/// \file
/// Small GADGET-style HDF5 files made with the C library directly.

#include "file_checks.hpp"

#include <hdf5.h>

#include <string>
#include <vector>

namespace copse::test {

/// A file under construction; everything is closed when the object is gone.
class RawHdf5 {
 public:
  explicit RawHdf5(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~RawHdf5() { H5Fclose(file_); }
  RawHdf5(const RawHdf5&) = delete;
  RawHdf5& operator=(const RawHdf5&) = delete;

  hid_t id() const { return file_; }

  void group(const std::string& name) {
    H5Gclose(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }

  void attribute(const std::string& group, const std::string& name, std::vector<double> values) {
    const hsize_t n = values.size();
    const hid_t owner = H5Oopen(file_, group.c_str(), H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &n, nullptr);
    const hid_t attribute =
        H5Acreate2(owner, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data());
    H5Aclose(attribute);
    H5Sclose(space);
    H5Oclose(owner);
  }

  /// A dataset of numbers 0, 1, 2, ... of the given file type.
  void dataset(const std::string& name, hid_t type, std::vector<hsize_t> shape,
               hid_t creation = H5P_DEFAULT, bool fill = true) {
    hsize_t n = 1;
    for (const hsize_t extent : shape) n *= extent;
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t dataset =
        H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (fill) {
      std::vector<double> values(n);
      for (hsize_t i = 0; i < n; ++i) values[i] = static_cast<double>(i);
      H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
    H5Dclose(dataset);
    H5Sclose(space);
  }

 private:
  hid_t file_;
};

/// Two gas and three dark particles.
inline void small_snapshot(const std::filesystem::path& path) {
  RawHdf5 file(path);
  file.group("Header");
  file.attribute("Header", "NumPart_ThisFile", {2, 3, 0, 0, 0, 0});
  file.attribute("Header", "NumPart_Total", {2, 3, 0, 0, 0, 0});
  file.attribute("Header", "MassTable", {0, 0.25, 0, 0, 0, 0});
  file.attribute("Header", "BoxSize", {10});
  for (const auto& [type, n] : {std::pair{"PartType0", 2}, std::pair{"PartType1", 3}}) {
    const std::string group = type;
    const auto rows = static_cast<hsize_t>(n);
    file.group(group);
    file.dataset(group + "/Coordinates", H5T_IEEE_F64BE, {rows, 3});
    file.dataset(group + "/Velocities", H5T_IEEE_F32LE, {rows, 3});
    file.dataset(group + "/ParticleIDs", H5T_STD_U32LE, {rows});
  }
  file.dataset("PartType0/Masses", H5T_IEEE_F32LE, {2});
}

}  // namespace copse::test
