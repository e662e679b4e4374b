#pragma once
/// \file
/// Streams a text file line by line through a bounded buffer.

#include <copse/io/bytes/byte_source.hpp>

#include <string_view>
#include <vector>

namespace copse::io {

/// Row readers record the position of every `rows_per_mark`-th row.
inline constexpr Count rows_per_mark = Count{1} << 16;

/// The longest line a text reader accepts; it bounds the buffer.
inline constexpr Count max_line_bytes = Count{1} << 20;

/// The position of a line in a text file.
struct LinePosition {
  Count offset = 0;  ///< byte
  Count number = 1;  ///< counted from 1, as editors do
};

/// Lines end with "\n" or "\r\n". A last line with content needs its line end too: without it, the
/// last number might be truncated.
class TextLines {
 public:
  explicit TextLines(ByteSource& source, LinePosition start = {});

  /// Moves to the next line; false at the end of the file.
  /// \throws InputError naming the line if it is longer than `max_line_bytes` or has content and no
  ///         end.
  bool next();

  /// The current line without its end and without a comment; valid until the next call of `next`.
  std::string_view content() const { return content_; }
  /// The comment of the line, after its '#'.
  std::string_view comment() const { return comment_; }
  /// Where the current line starts.
  LinePosition position() const { return current_; }

 private:
  bool refill();

  ByteSource& source_;
  std::vector<char> buffer_;
  Count buffer_offset_ = 0;  ///< byte of the file at buffer_[0]
  std::size_t begin_ = 0;    ///< start of the unconsumed bytes in the buffer
  std::size_t end_ = 0;      ///< end of the filled bytes in the buffer
  LinePosition current_;
  Count next_number_ = 1;
  std::string_view content_;
  std::string_view comment_;
};

/// Removes blanks, tabs and carriage returns from both ends.
std::string_view trim(std::string_view text);

/// Splits a line into its fields, trimmed. With a blank separator, any run of blanks and tabs
/// separates two fields; two commas or semicolons in a row enclose an empty field.
void split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields);

}  // namespace copse::io
