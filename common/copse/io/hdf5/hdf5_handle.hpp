#pragma once
/// \file
/// RAII for the identifiers and the error reports of the HDF5 C library. Only sources of io include
/// this header: no other header includes <hdf5.h>, so users of Copse need not have it.

#include <copse/io/tables/host_table.hpp>

#include <hdf5.h>

#include <string>
#include <utility>

namespace copse::io {

/// Owns one HDF5 identifier of any kind. A negative identifier means that the call which created it
/// failed.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  explicit Hdf5Handle(hid_t id) : id_(id) {}
  ~Hdf5Handle() { close(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    if (this != &other) {
      close();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
    }
    return *this;
  }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

  /// Closes early; false if that failed, for example because the disk is full.
  bool close();

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// While one exists, HDF5 prints nothing on stderr. Linking this also disables the exit handler of
/// HDF5: a program that leaves its own HDF5 files open must close them or call H5close itself.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

  /// Why the last call failed, in a few words: the operating system's reason if there is one.
  static std::string reason();

 private:
  H5E_auto2_t previous_ = nullptr;
  void* previous_data_ = nullptr;
};

/// The HDF5 type of a number in this machine's memory. The caller does not own it.
hid_t native_type(NumberType type);

}  // namespace copse::io
