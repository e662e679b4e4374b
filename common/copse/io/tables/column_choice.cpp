#include <copse/backend/error.hpp>
#include <copse/io/bytes/text_lines.hpp>
#include <copse/io/bytes/text_numbers.hpp>
#include <copse/io/tables/column_choice.hpp>

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace copse::io {

namespace {

std::optional<Count> parse_count(std::string_view text) {
  Count value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

ChosenColumns parse_item(std::string_view item) {
  const std::size_t dash = item.find('-');
  const std::optional<Count> first = parse_count(trim(item.substr(0, dash)));
  const std::optional<Count> last =
      dash == std::string_view::npos ? first : parse_count(trim(item.substr(dash + 1)));
  if (first && last) return {*first, *last, {}};
  return {0, 0, plain_name(item)};
}

}  // namespace

std::vector<ChosenColumns> parse_column_choice(std::string_view choice) {
  std::vector<ChosenColumns> items;
  if (trim(choice).empty()) return items;
  std::vector<std::string_view> fields;
  split_fields(choice, ',', fields);
  for (const std::string_view field : fields) {
    const ChosenColumns item = parse_item(field);
    const bool is_range = item.name.empty() && !field.empty();
    if (field.empty() || (is_range && (item.first == 0 || item.last < item.first)))
      throw InputError(
          fmt::format("the choice of columns '{}' is not a list of names, numbers from 1 "
                      "on and ranges such as 1-7",
                      shown_field(choice)));
    items.push_back(item);
  }
  return items;
}

}  // namespace copse::io
