#pragma once
/// \file
/// A file with a header and one dense array of binary numbers as a table: NumPy's .npy, and IDX,
/// the format of the MNIST images.
///
/// .npy has the six bytes "\x93NUMPY", a version (1.0, 2.0 or 3.0), the length of the header (16
/// bits in version 1, 32 bits later), the header (npy_header.hpp) and the array. Source: the
/// documentation of `numpy.lib.format`.
///
/// IDX, all numbers big-endian, has two zero bytes, a type (0x08 unsigned byte, 0x09 signed byte,
/// 0x0B 16-bit and 0x0C 32-bit integer, 0x0D float, 0x0E double), the number of dimensions, a
/// 32-bit size for each, and the array, last index fastest. The first dimension counts the items;
/// the others (28 by 28 pixels, for example) form a row. Source: Y. LeCun, C. Cortes, C. Burges,
/// "The MNIST database of handwritten digits".
///
/// Nothing may follow the array.

#include <copse/io/bytes/byte_source.hpp>
#include <copse/io/tables/host_table.hpp>
#include <copse/io/tables/number_table.hpp>

#include <bit>
#include <memory>
#include <string>

namespace copse::io {

/// How the array lies in its file.
struct ArrayLayout {
  NumberType type = NumberType::float32;
  std::endian order = std::endian::native;
  bool fortran_order = false;  ///< first index fastest
  Count data_begin = 0;        ///< byte at which the array starts
  Count rows = 0;
  Count columns = 1;
};

class ArrayTable final : public NumberTable {
 public:
  ArrayTable(std::unique_ptr<ByteSource> source, const ArrayLayout& layout)
      : source_(std::move(source)), layout_(layout) {}

  const std::string& name() const override { return source_->name(); }
  Count rows() const override { return layout_.rows; }
  Count columns() const override { return layout_.columns; }
  const ArrayLayout& layout() const { return layout_; }
  void read_rows(Count first, Count count, Real* out, Count column_stride,
                 const Progress& progress) override;

 private:
  std::unique_ptr<ByteSource> source_;
  ArrayLayout layout_;
};

/// True if the source starts with the magic bytes of the format.
bool probe_npy(ByteSource& source);
bool probe_idx(ByteSource& source);

/// An array of shape [rows][columns] (a 1-D array is one column) and type float32 or float64, in C
/// or Fortran order and either byte order.
/// \throws InputError if the header is damaged, the array is of another type or has more than two
///         dimensions, or its size does not match the rest of the file.
ArrayTable open_npy_table(std::unique_ptr<ByteSource> source);

/// The items as rows.
/// \throws InputError if the header is damaged or its sizes do not match the rest of the file.
ArrayTable open_idx_table(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
