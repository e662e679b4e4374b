#pragma once
/// \file
/// NumPy's .npy files as 2-D tables of floating-point numbers, of any number of columns.
///
/// Layout: the six bytes "\x93NUMPY", a version (1.0, 2.0 or 3.0), the length of the header (16
/// bits in version 1, 32 bits later), the header, a Python dictionary with the keys `descr` (type
/// and byte order), `fortran_order` and `shape`, and then the array. Nothing may follow it. Source:
/// the documentation of `numpy.lib.format`.

#include <copse/io/bytes/byte_source.hpp>
#include <copse/io/tables/number_table.hpp>

#include <bit>
#include <memory>
#include <string>

namespace copse::io {

/// True if the source starts with the magic bytes.
bool probe_npy(ByteSource& source);

/// An open .npy file of shape [rows][columns] (a 1-D array is one column) and type float32 or
/// float64, in C or Fortran order and either byte order.
class NpyTable final : public NumberTable {
 public:
  /// \throws InputError if the header is damaged, the array is of another type or has more than two
  ///         dimensions, or its size does not match the rest of the file.
  explicit NpyTable(std::unique_ptr<ByteSource> source);

  const std::string& name() const override { return source_->name(); }
  Count rows() const override { return rows_; }
  Count columns() const override { return columns_; }
  bool fortran_order() const { return fortran_order_; }
  std::endian byte_order() const { return order_; }
  int bytes_per_number() const { return bytes_per_number_; }

  /// Stores element (first + i, j), i < count, at `out[i + j * column_stride]`. Streams through a
  /// buffer of about 1 MiB, or of one row if that is larger. Values are not checked.
  void read_rows(Count first, Count count, Real* out, Count column_stride,
                 const Progress& progress) override;

 private:
  std::unique_ptr<ByteSource> source_;
  Count data_begin_ = 0;
  Count rows_ = 0;
  Count columns_ = 0;
  int bytes_per_number_ = 4;
  bool fortran_order_ = false;
  std::endian order_ = std::endian::native;
};

}  // namespace copse::io
