#include <copse/backend/error.hpp>
#include <copse/io/bytes/text_numbers.hpp>
#include <copse/io/bytes/text_rows.hpp>

#include <fmt/format.h>

#include <utility>

namespace copse::io {

void TextRows::scan(const IsHeader& is_header) {
  TextLines lines(*source_);
  std::string last_comment;
  bool started = false;
  while (lines.next()) {
    if (lines.content().empty()) {
      if (!started && !lines.comment().empty()) last_comment = lines.comment();
      continue;
    }
    if (!std::exchange(started, true)) {
      Fields fields, comment;
      separator_ = find_separator(lines.content());
      split_fields(lines.content(), separator_, fields);
      split_fields(trim(last_comment), separator_, comment);
      columns_ = fields.size();
      if (is_header(fields, lines.position().number, comment)) continue;
    }
    if (rows_ % rows_per_mark == 0) marks_.push_back(lines.position());
    ++rows_;
  }
  if (!started) throw InputError(name() + ": the file has no line with numbers");
}

void TextRows::read(Count first, Count count, const Progress& progress, const Store& store) {
  if (count == 0) return;
  TextLines lines(*source_, marks_[first / rows_per_mark]);
  for (Count skip = first % rows_per_mark; skip > 0; --skip) next_row(lines);
  Fields fields;
  for (Count i = 0; i < count; ++i) {
    next_row(lines);
    split_fields(lines.content(), separator_, fields);
    const Count line = lines.position().number;
    if (fields.size() != columns_)
      fail(line, fmt::format("has {} columns, but the first has {}", fields.size(), columns_));
    store(i, fields, line);
    if (progress && ((i + 1) % rows_per_mark == 0 || i + 1 == count)) progress(i + 1, count);
  }
}

void TextRows::fail(Count line, std::string_view what) const {
  throw InputError(fmt::format("{}: line {} {}", name(), line, what));
}

void TextRows::next_row(TextLines& lines) const {
  do {
    if (!lines.next()) throw InputError(name() + ": the file became shorter while it was read");
  } while (lines.content().empty());
}

}  // namespace copse::io
