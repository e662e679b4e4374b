#pragma once
/// \file
/// A text file as rows of fields, one row per line.
///
/// Text from '#' to the end of a line, blank lines, a byte order mark and carriage returns are
/// ignored. The first line of names or numbers determines the separator: ';' before ',' before
/// blanks. All rows must have as many fields as that line.

#include <copse/io/bytes/text_lines.hpp>
#include <copse/io/snapshot_reader.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace copse::io {

class TextRows {
 public:
  using Fields = std::vector<std::string_view>;
  /// True if the first line with content is a header. The arguments are its fields, its number, and
  /// the fields of the last comment line before it.
  using IsHeader = std::function<bool(const Fields&, Count line, const Fields& comment)>;
  /// Stores a row; its number is counted from the first one read.
  using Store = std::function<void(Count row, const Fields&, Count line)>;

  explicit TextRows(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  /// Reads the file once: counts the rows, and records where every `rows_per_mark`-th starts. Call
  /// it once, before `read`. O(bytes).
  /// \throws InputError if the file has no line with content, and as TextLines::next
  void scan(const IsHeader& is_header);

  /// Calls `store` for rows `first` to `first + count - 1`, which must exist, in this order, and
  /// `progress`, if it is set, with the rows read so far and `count`. Also reads the fewer than
  /// `rows_per_mark` rows between the last mark and `first`.
  /// \throws InputError if a row has another number of fields than the first line or the file has
  ///         become shorter, and as TextLines::next
  void read(Count first, Count count, const Progress& progress, const Store& store);

  /// \throws InputError "FILE: line LINE WHAT"
  [[noreturn]] void fail(Count line, std::string_view what) const;

  const std::string& name() const { return source_->name(); }
  Count rows() const { return rows_; }
  char separator() const { return separator_; }
  std::size_t columns() const { return columns_; }

 private:
  void next_row(TextLines& lines) const;

  std::unique_ptr<ByteSource> source_;
  char separator_ = ',';
  std::size_t columns_ = 0;
  Count rows_ = 0;
  std::vector<LinePosition> marks_;  ///< the line of every rows_per_mark-th row
};

}  // namespace copse::io
