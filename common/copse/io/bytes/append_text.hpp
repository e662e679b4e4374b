#pragma once
/// \file
/// Appends formatted values to a text, as fmt::format_to with a back inserter would, but without
/// compiling fmt's number conversions in every source that uses it, which takes four seconds.

#include <fmt/format.h>

#include <string>

namespace copse::io {

void append_formatted(std::string& text, fmt::string_view format, fmt::format_args values);

/// Appends the values as fmt::format writes them.
template <class... Values>
void append_text(std::string& text, fmt::format_string<const Values&...> format,
                 const Values&... values) {
  append_formatted(text, format, fmt::make_format_args(values...));
}

}  // namespace copse::io
