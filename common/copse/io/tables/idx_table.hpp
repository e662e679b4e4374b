#pragma once
/// \file
/// IDX files, the format of the MNIST images, as tables: one row per item, its numbers in file
/// order.
///
/// Layout, all numbers big-endian: two zero bytes, a type (0x08 unsigned byte, 0x09 signed byte,
/// 0x0B 16-bit and 0x0C 32-bit integer, 0x0D float, 0x0E double), the number of dimensions, a
/// 32-bit size for each, and the array, last index fastest. Nothing may follow it. The first
/// dimension counts the items; the others (28 by 28 pixels, for example) form a row. Source: Y.
/// LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits".

#include <copse/io/tables/number_table.hpp>

#include <memory>

namespace copse::io {

/// True if the source starts with a valid IDX magic number.
bool probe_idx(ByteSource& source);

class IdxTable final : public NumberTable {
 public:
  /// \throws InputError if the header is damaged or its sizes do not match the rest of the file.
  explicit IdxTable(std::unique_ptr<ByteSource> source);

  const std::string& name() const override { return source_->name(); }
  Count rows() const override { return rows_; }
  Count columns() const override { return columns_; }
  void read_rows(Count first, Count count, Real* out, Count column_stride,
                 const Progress& progress) override;

 private:
  std::unique_ptr<ByteSource> source_;
  int type_ = 0;
  Count data_begin_ = 0;
  Count rows_ = 0;
  Count columns_ = 1;
};

}  // namespace copse::io
