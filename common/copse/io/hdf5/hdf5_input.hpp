#pragma once
/// \file
/// Reads HDF5 files that may be damaged: every count is checked against the size of the file before
/// anything is allocated, and features that would make the library open other files or load code
/// are refused. Like hdf5_handle.hpp, for the sources of io only.
///
/// Limits: the library parses the file's own structures (heaps, B-trees, object headers) before any
/// check can run. Random damage there makes 1.10.8 read outside its buffers (in H5O and H5F, under
/// H5Aexists and H5Fopen), request absurd amounts of memory and leak. Truncated files are safe: the
/// library compares their length first. Open crafted files only with a release that fixes these
/// faults. The fuzzer therefore covers files that the library wrote itself, with any contents
/// (tests/fuzz/fuzz_hdf5.cpp), and no damage to HDF5's own structures.

#include <copse/io/bytes/byte_source.hpp>
#include <copse/io/hdf5/hdf5_handle.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace copse::io {

/// True if the source has the HDF5 signature at byte 0, or at byte 512, 1024, 2048, ... after a
/// preamble.
bool has_hdf5_signature(ByteSource& source);

/// A dataset of numbers of shape [rows] or [rows][columns].
class Hdf5Dataset {
 public:
  Count rows() const { return rows_; }
  Count columns() const { return columns_; }

  /// Reads rows [first, first + count) to `out`, row by row, converted to `type`.
  /// \throws InputError naming file, dataset and rows.
  void read_rows(Count first, Count count, NumberType type, void* out) const;

 private:
  friend class Hdf5Input;
  std::string label_;  ///< file and dataset, for messages
  Hdf5Handle dataset_;
  Count rows_ = 0;
  Count columns_ = 1;
  bool list_ = true;  ///< one-dimensional
};

/// An HDF5 file open for reading. All functions throw InputError naming the file and the object.
class Hdf5Input {
 public:
  /// Opens the source's file, or its bytes if it has none.
  explicit Hdf5Input(ByteSource& source);

  /// True if this file itself contains the object. Links to other files count as absent.
  bool has(const std::string& name) const;

  /// The numbers of an attribute, of any numeric type; no value if the group lacks it.
  std::optional<std::vector<double>> numbers(const std::string& group,
                                             const std::string& attribute) const;
  std::optional<std::vector<Count>> counts(const std::string& group,
                                           const std::string& attribute) const;

  /// The required type of a dataset.
  enum class Kind { floating_point, integer };

  /// Opens a dataset; `columns` is 1 for a list.
  /// \throws InputError if it is absent, of another kind or shape, or larger than the file can
  ///         hold.
  Hdf5Dataset open(const std::string& name, Kind kind, Count columns) const;

 private:
  template <class T>
  std::optional<std::vector<T>> attribute_values(const std::string& group,
                                                 const std::string& attribute) const;
  void check_storage(const std::string& label, hid_t dataset, const std::array<hsize_t, 2>& shape,
                     Count element_bytes) const;
  std::array<hsize_t, 2> check_chunks(const std::string& label, hid_t creation,
                                      Count element_bytes) const;
  static void require_every_chunk(const std::string& label, hid_t dataset,
                                  const std::array<hsize_t, 2>& shape,
                                  const std::array<hsize_t, 2>& chunk);

  QuietHdf5 quiet_;
  std::string name_;
  Count file_bytes_ = 0;
  Hdf5Handle file_;
};

}  // namespace copse::io
