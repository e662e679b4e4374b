#include <copse/io/hdf5/hdf5_handle.hpp>

#include <string_view>

namespace copse::io {

namespace {

/// At exit the library would try again to close a file that it failed to close because the disk was
/// full, and loop or crash (seen with 1.10.8). All handles have owners that close them, so the exit
/// handler is not needed. It must be disabled before the first other call, hence at start-up.
[[maybe_unused]] const herr_t no_exit_handler = H5dont_atexit();

/// HDF5 visits its error stack from the innermost function outwards; the first entry is the cause.
herr_t take_cause(unsigned n, const H5E_error2_t* error, void* into) {
  if (n == 0 && error->desc) *static_cast<std::string*>(into) = error->desc;
  return 0;
}

}  // namespace

bool Hdf5Handle::close() {
  const hid_t id = std::exchange(id_, H5I_INVALID_HID);
  if (id < 0) return true;
  switch (H5Iget_type(id)) {
    case H5I_FILE:
      return H5Fclose(id) >= 0;
    case H5I_GROUP:
      return H5Gclose(id) >= 0;
    case H5I_DATASET:
      return H5Dclose(id) >= 0;
    case H5I_DATASPACE:
      return H5Sclose(id) >= 0;
    case H5I_DATATYPE:
      return H5Tclose(id) >= 0;
    case H5I_ATTR:
      return H5Aclose(id) >= 0;
    case H5I_GENPROP_LST:
      return H5Pclose(id) >= 0;
    default:
      return H5Idec_ref(id) >= 0;
  }
}

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &previous_, &previous_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
  H5Eset_auto2(H5E_DEFAULT, previous_, previous_data_);
}

std::string QuietHdf5::reason() {
  std::string cause;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_cause, &cause);
  // Errors of the file driver contain many numbers around the one part a user understands.
  constexpr std::string_view before = "error message = '";
  if (const std::size_t at = cause.find(before); at != std::string::npos) {
    const std::size_t begin = at + before.size();
    return cause.substr(begin, cause.find('\'', begin) - begin);
  }
  return cause.empty() ? "unknown error" : cause;
}

hid_t native_type(NumberType type) {
  switch (type) {
    case NumberType::int8:
      return H5T_NATIVE_INT8;
    case NumberType::int16:
      return H5T_NATIVE_INT16;
    case NumberType::int32:
      return H5T_NATIVE_INT32;
    case NumberType::int64:
      return H5T_NATIVE_INT64;
    case NumberType::uint8:
      return H5T_NATIVE_UINT8;
    case NumberType::uint16:
      return H5T_NATIVE_UINT16;
    case NumberType::uint32:
      return H5T_NATIVE_UINT32;
    case NumberType::uint64:
      return H5T_NATIVE_UINT64;
    case NumberType::float32:
      return H5T_NATIVE_FLOAT;
    case NumberType::float64:
      return H5T_NATIVE_DOUBLE;
  }
  return H5I_INVALID_HID;
}

}  // namespace copse::io
