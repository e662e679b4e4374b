#pragma once
/// \file
/// A file as a table of numbers: the common interface of point readers.

#include <copse/io/snapshot_reader.hpp>

#include <string>

namespace copse::io {

class NumberTable {
 public:
  virtual ~NumberTable() = default;

  /// The name of the file in messages.
  virtual const std::string& name() const = 0;
  virtual Count rows() const = 0;
  /// Numbers per row.
  virtual Count columns() const = 0;

  /// Stores element (first + i, j), i < count, at `out[i + j * column_stride]`, rounded to Real.
  /// Streams through a buffer of about 1 MiB, or of one row if that is larger.
  /// \throws InputError on damaged data, with the file and the line or byte offset.
  virtual void read_rows(Count first, Count count, Real* out, Count column_stride,
                         const Progress& progress) = 0;
};

/// \param first_row number of the first row in `data`, for the message
/// \throws InputError naming row and column if a number is NaN or infinite.
void require_finite_numbers(const std::string& file, const Real* data, Count rows, Count columns,
                            Count column_stride, Count first_row = 0);

}  // namespace copse::io
