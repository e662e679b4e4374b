#pragma once
/// \file
/// Streams a text file line by line through a bounded buffer.

#include <copse/io/byte_source.hpp>

#include <string_view>
#include <vector>

namespace copse::io {

/// A reader of rows remembers where every so many of them start.
inline constexpr Count rows_per_mark = Count{1} << 16;

/// The longest line a text reader accepts; it bounds the buffer.
inline constexpr Count max_line_bytes = Count{1} << 20;

/// A place in a text file: the start of a line.
struct LinePosition {
  Count offset = 0;  ///< byte
  Count number = 1;  ///< counted from 1, as editors do
};

/// Lines end with "\n" or "\r\n", the last one with content too: without its end nobody can tell
/// whether its last number is whole.
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
  std::size_t begin_ = 0;    ///< of what is not yet consumed, in the buffer
  std::size_t end_ = 0;      ///< of what is filled
  LinePosition current_;
  Count next_number_ = 1;
  std::string_view content_;
  std::string_view comment_;
};

/// Without blanks, tabs and carriage returns at either end.
std::string_view trim(std::string_view text);

/// Splits a line into its fields, trimmed. A blank separator stands for any run of blanks and tabs;
/// a comma or semicolon stands for itself, so that two in a row enclose an empty field.
void split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields);

}  // namespace copse::io
