#include <copse/io/bytes/text_lines.hpp>
#include <copse/io/bytes/text_numbers.hpp>

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace copse::io {

namespace {

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

}  // namespace

template <class T>
std::optional<T> parse_number(std::string_view text) {
  text = without_plus(text);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc{}) return std::isfinite(value) ? std::optional<T>(value) : std::nullopt;
  if (error != std::errc::result_out_of_range) return std::nullopt;
  // from_chars does not distinguish too large from too small; strtod does, for doubles.
  const double wide = std::strtod(std::string(text).c_str(), nullptr);
  if (std::abs(wide) < 1.0) return static_cast<T>(wide);
  return std::nullopt;
}

template std::optional<float> parse_number<float>(std::string_view);
template std::optional<double> parse_number<double>(std::string_view);

std::optional<GlobalId> parse_id(std::string_view text) {
  text = without_plus(text);
  GlobalId value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  // Programs that write every column as floating point write ids as 1.2e1.
  constexpr double exact_limit = 9007199254740992.0;  // 2^53: doubles beyond skip integers
  const std::optional<double> floating = parse_number<double>(text);
  if (floating && *floating >= 0 && *floating <= exact_limit && *floating == std::floor(*floating))
    return static_cast<GlobalId>(*floating);
  return std::nullopt;
}

bool is_number(std::string_view text) {
  double value = 0;
  text = without_plus(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() && error != std::errc::invalid_argument;
}

char find_separator(std::string_view line) {
  for (const char c : {';', ','})
    if (line.find(c) != std::string_view::npos) return c;
  return ' ';
}

std::string plain_name(std::string_view field) {
  std::string name;
  for (const char c : field)
    if (c != '"' && c != '\'') name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::string(trim(name));
}

std::string shown_field(std::string_view field) {
  std::string shown;
  for (const char c : field.substr(0, 32)) shown += c >= ' ' && c <= '~' ? c : '?';
  if (field.size() > 32) shown += "...";
  return shown;
}

}  // namespace copse::io
