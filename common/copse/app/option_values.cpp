#include <copse/app/option_values.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace copse::app {
namespace {

constexpr Count largest = std::numeric_limits<Count>::max();

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

[[noreturn]] void refuse(std::string_view option, std::string_view text, const char* why) {
  throw InputError(fmt::format("{} '{}' {}", option, text, why));
}

/// factor * base^exponent, or no value if the product exceeds 64 bits.
std::optional<Count> times_power(Count factor, Count base, Count exponent) {
  if (factor == 0) return 0;
  if (base <= 1) return base == 1 || exponent == 0 ? factor : 0;
  for (Count i = 0; i < exponent; ++i) {
    if (factor > largest / base) return std::nullopt;
    factor *= base;
  }
  return factor;
}

/// A parsed decimal number: value = digits * 10^exponent.
struct Decimal {
  std::string digits;
  long exponent = 0;
};

std::optional<Decimal> take_apart(std::string_view text) {
  Decimal number;
  std::size_t at = 0;
  const auto read_digits = [&] {
    const std::size_t start = at;
    while (at < text.size() && is_digit(text[at])) number.digits += text[at++];
    return at - start;
  };
  std::size_t seen = read_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    const std::size_t fraction = read_digits();
    number.exponent -= static_cast<long>(fraction);
    seen += fraction;
  }
  if (seen == 0) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && text[at] == '+') ++at;
    int exponent = 0;
    const auto [end, error] =
        std::from_chars(text.data() + at, text.data() + text.size(), exponent);
    if (error != std::errc()) return std::nullopt;
    at = static_cast<std::size_t>(end - text.data());
    number.exponent += exponent;
  } else if (at + 1 == text.size()) {
    switch (text[at]) {
      case 'k':
        number.exponent += 3;
        break;
      case 'M':
        number.exponent += 6;
        break;
      case 'G':
        number.exponent += 9;
        break;
      default:
        return std::nullopt;
    }
    ++at;
  }
  if (at != text.size()) return std::nullopt;
  return number;
}

std::optional<Count> whole(std::string_view digits) {
  Count value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

double parse_bound(std::string_view option, std::string_view text, std::string_view number) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value) ||
      !std::isfinite(static_cast<Real>(value)))
    refuse(option, text, "is not a box: write L or x0,y0,z0,x1,y1,z1 with finite numbers");
  return value;
}

}  // namespace

Count parse_count(std::string_view option, std::string_view text) {
  if (text.size() > 1 && text[0] == '-' && (is_digit(text[1]) || text[1] == '.'))
    refuse(option, text, "is negative");
  if (const auto caret = text.find('^'); caret != text.npos) {
    const auto base = whole(text.substr(0, caret));
    const auto exponent = whole(text.substr(caret + 1));
    if (!base || !exponent) refuse(option, text, "is not a count, such as 1000, 1e7 or 2^20");
    const auto value = times_power(1, *base, *exponent);
    if (!value) refuse(option, text, "does not fit in 64 bits");
    return *value;
  }
  auto number = take_apart(text);
  if (!number) refuse(option, text, "is not a count, such as 1000, 1e7 or 2^20");
  while (number->exponent < 0 && !number->digits.empty()) {
    if (number->digits.back() != '0') refuse(option, text, "is not a whole number");
    number->digits.pop_back();
    ++number->exponent;
  }
  number->digits.erase(0, number->digits.find_first_not_of('0'));
  if (number->digits.empty()) return 0;
  const auto digits = whole(number->digits);
  const auto value =
      digits ? times_power(*digits, 10, static_cast<Count>(number->exponent)) : std::nullopt;
  if (!value) refuse(option, text, "does not fit in 64 bits");
  return *value;
}

Count parse_positive_count(std::string_view option, std::string_view text) {
  const Count value = parse_count(option, text);
  if (value == 0) refuse(option, text, "must be at least 1");
  return value;
}

Box<3> parse_box(std::string_view option, std::string_view text) {
  std::string_view bounds = text;
  Box<3> box;
  if (const auto colon = text.find(':'); colon != text.npos) {
    if (text.substr(colon) != ":periodic")
      refuse(option, text, "is not a box: only ':periodic' may follow the bounds");
    bounds = text.substr(0, colon);
    box.periodic = {true, true, true};
  }
  std::vector<double> values;
  for (std::size_t start = 0;;) {
    const auto comma = bounds.find(',', start);
    values.push_back(parse_bound(option, text, bounds.substr(start, comma - start)));
    if (comma == bounds.npos) break;
    start = comma + 1;
  }
  if (values.size() == 1) {
    const double side = values[0];
    values = {0, 0, 0, side, side, side};
  }
  if (values.size() != 6)
    refuse(option, text, "is not a box: write L or x0,y0,z0,x1,y1,z1 with finite numbers");
  for (int a = 0; a < 3; ++a) {
    box.lower[a] = static_cast<Real>(values[static_cast<std::size_t>(a)]);
    box.upper[a] = static_cast<Real>(values[static_cast<std::size_t>(a + 3)]);
    if (!(box.upper[a] > box.lower[a] && std::isfinite(box.extent(a))))
      refuse(option, text, "has no positive and finite extent on every axis");
  }
  return box;
}

}  // namespace copse::app
