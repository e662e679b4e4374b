#pragma once
/// \file
/// Reads lists, tables and attributes of numbers from an HDF5 file: the counterpart of Hdf5Writer.
/// Counts are checked against the size of the file, and the limits of hdf5_input.hpp apply. Every
/// call throws InputError naming file and object if that is missing or of another kind or shape.

#include <copse/io/bytes/byte_source.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace copse::io {

class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::filesystem::path& path);
  /// Reads bytes in memory, or the file of a FileSource.
  explicit Hdf5Reader(std::unique_ptr<ByteSource> source);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  /// True if the file contains the dataset or group.
  bool has(const std::string& name) const;

  /// The number of rows n of a dataset [n] (`columns` is 1) or [n][columns]. T is float, double or
  /// std::uint8_t.
  template <class T>
  Count rows(const std::string& name, Count columns = 1) const;

  /// All numbers of such a dataset, row by row; numbers of another size are converted.
  template <class T>
  std::vector<T> read(const std::string& name, Count columns = 1) const;
  /// Those of rows [first, first + count).
  template <class T>
  std::vector<T> read_rows(const std::string& name, Count columns, Count first, Count count) const;

  /// The single number of an attribute; "/" is the file itself.
  double number(const std::string& object, const std::string& attribute) const;
  /// A negative number or one that is not whole is refused.
  Count count(const std::string& object, const std::string& attribute) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse::io
