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
    : rows_(std::move(source)) {
  rows_.scan([&](const Fields& fields, Count line, const Fields& comment) {
    return find_columns(fields, line, comment, choice);
  });
}

/// True if the first line with content is a header.
bool CsvTable::find_columns(const Fields& fields, Count line, const Fields& names,
                            std::string_view choice) {
  const std::vector<ChosenColumns> items = parse_column_choice(choice);
  if (items.empty()) {
    chosen_.resize(fields.size());
    std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
  } else {
    Resolved resolved = resolve(items, fields.size(), fields);
    const bool by_name = std::any_of(items.begin(), items.end(),
                                     [](const ChosenColumns& item) { return !item.name.empty(); });
    bool in_comment = false;
    if (by_name && resolved.missing && names.size() == fields.size()) {
      resolved = resolve(items, fields.size(), names);
      in_comment = true;
    }
    if (resolved.missing && resolved.missing->name.empty())
      rows_.fail(line, fmt::format("has {} columns, but column {} is wanted", fields.size(),
                                   resolved.missing->last));
    if (resolved.missing)
      rows_.fail(line,
                 fmt::format("has no column named '{}'", shown_field(resolved.missing->name)));
    chosen_ = std::move(resolved.columns);
    if (has_repeats(chosen_))
      throw InputError(fmt::format("{}: the choice of columns '{}' has a column twice", name(),
                                   shown_field(choice)));
    if (by_name) return !in_comment;
  }
  return std::none_of(chosen_.begin(), chosen_.end(),
                      [&](std::size_t c) { return is_number(fields[c]); });
}

void CsvTable::read_rows(Count first, Count count, Real* out, Count column_stride,
                         const Progress& progress) {
  rows_.read(first, count, progress, [&](Count i, const Fields& fields, Count line) {
    for (std::size_t j = 0; j < chosen_.size(); ++j) {
      const std::string_view field = fields[chosen_[j]];
      const std::optional<Real> value = parse_number<Real>(field);
      if (!value)
        rows_.fail(line, fmt::format("has '{}' in column {}, which is not a finite number in range",
                                     shown_field(field), chosen_[j] + 1));
      out[i + j * column_stride] = *value;
    }
  });
}

}  // namespace copse::io
