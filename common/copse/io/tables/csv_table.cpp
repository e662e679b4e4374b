#include <copse/backend/error.hpp>
#include <copse/io/bytes/text_numbers.hpp>
#include <copse/io/tables/column_choice.hpp>
#include <copse/io/tables/csv_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace copse::io {

namespace {

/// The chosen columns, counted from 0, or the first item of the choice that matches no column.
struct Resolved {
  std::vector<std::size_t> columns;
  std::optional<ChosenColumns> missing;
};

Resolved resolve(const std::vector<ChosenColumns>& items, std::size_t column_count,
                 const std::vector<std::string_view>& names) {
  Resolved resolved;
  for (const ChosenColumns& item : items) {
    if (item.name.empty()) {
      if (item.last > column_count) return {{}, item};
      for (Count c = item.first; c <= item.last; ++c) resolved.columns.push_back(c - 1);
      continue;
    }
    const auto named = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
      return plain_name(name) == item.name;
    });
    if (named == names.end()) return {{}, item};
    resolved.columns.push_back(static_cast<std::size_t>(named - names.begin()));
  }
  return resolved;
}

bool has_repeats(std::vector<std::size_t> columns) {
  std::sort(columns.begin(), columns.end());
  return std::adjacent_find(columns.begin(), columns.end()) != columns.end();
}

}  // namespace

CsvTable::CsvTable(std::unique_ptr<ByteSource> source, std::string_view choice)
    : source_(std::move(source)) {
  TextLines lines(*source_);
  std::string last_comment;
  bool started = false;
  while (lines.next()) {
    if (lines.content().empty()) {
      if (!started && !lines.comment().empty()) last_comment = lines.comment();
      continue;
    }
    if (!std::exchange(started, true) && find_columns(lines, last_comment, choice)) continue;
    if (rows_ % rows_per_mark == 0) marks_.push_back(lines.position());
    ++rows_;
  }
  if (!started) throw InputError(source_->name() + ": the file has no line with numbers");
}

void CsvTable::fail(Count line, std::string_view what) const {
  throw InputError(fmt::format("{}: line {} {}", source_->name(), line, what));
}

/// True if the current line, the first with content, is a header.
bool CsvTable::find_columns(const TextLines& lines, const std::string& comment,
                            std::string_view choice) {
  const std::vector<ChosenColumns> items = parse_column_choice(choice);
  const std::string_view line = lines.content();
  const Count number = lines.position().number;
  separator_ = find_separator(line);
  Fields fields;
  split_fields(line, separator_, fields);
  column_count_ = fields.size();
  if (items.empty()) {
    chosen_.resize(column_count_);
    std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
  } else {
    Resolved resolved = resolve(items, column_count_, fields);
    const bool by_name = std::any_of(items.begin(), items.end(),
                                     [](const ChosenColumns& item) { return !item.name.empty(); });
    bool in_comment = false;
    if (by_name && resolved.missing) {
      Fields names;
      split_fields(trim(comment), separator_, names);
      if (names.size() == column_count_) {
        resolved = resolve(items, column_count_, names);
        in_comment = true;
      }
    }
    if (resolved.missing && resolved.missing->name.empty())
      fail(number, fmt::format("has {} columns, but column {} is wanted", column_count_,
                               resolved.missing->last));
    if (resolved.missing)
      fail(number, fmt::format("has no column named '{}'", shown_field(resolved.missing->name)));
    chosen_ = std::move(resolved.columns);
    if (has_repeats(chosen_))
      throw InputError(fmt::format("{}: the choice of columns '{}' has a column twice",
                                   source_->name(), shown_field(choice)));
    if (by_name) return !in_comment;
  }
  return std::none_of(chosen_.begin(), chosen_.end(),
                      [&](std::size_t c) { return is_number(fields[c]); });
}

void CsvTable::next_row(TextLines& lines) const {
  do {
    if (!lines.next())
      throw InputError(source_->name() + ": the file became shorter while it was read");
  } while (lines.content().empty());
}

void CsvTable::read_rows(Count first, Count count, Real* out, Count column_stride,
                         const Progress& progress) {
  if (count == 0) return;
  TextLines lines(*source_, marks_[first / rows_per_mark]);
  for (Count skip = first % rows_per_mark; skip > 0; --skip) next_row(lines);
  Fields fields;
  for (Count i = 0; i < count; ++i) {
    next_row(lines);
    split_fields(lines.content(), separator_, fields);
    store_row(fields, lines.position().number, out + i, column_stride);
    if (progress && ((i + 1) % rows_per_mark == 0 || i + 1 == count)) progress(i + 1, count);
  }
}

void CsvTable::store_row(const Fields& fields, Count line, Real* out, Count column_stride) const {
  if (fields.size() != column_count_)
    fail(line, fmt::format("has {} columns, but the first has {}", fields.size(), column_count_));
  for (std::size_t j = 0; j < chosen_.size(); ++j) {
    const std::string_view field = fields[chosen_[j]];
    const std::optional<Real> value = parse_number<Real>(field);
    if (!value)
      fail(line, fmt::format("has '{}' in column {}, which is not a finite number in range",
                             shown_field(field), chosen_[j] + 1));
    out[j * column_stride] = *value;
  }
}

}  // namespace copse::io
