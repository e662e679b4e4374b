#pragma once
/// \file
/// Parses fields of text files as numbers and names, identically for every text reader.

#include <copse/backend/types.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace copse::io {

/// The number in `text`; no value unless the whole text is one finite number in T's range. A
/// leading '+' is accepted. Numbers too small for T become zero.
template <class T>
std::optional<T> parse_number(std::string_view text);

extern template std::optional<float> parse_number<float>(std::string_view);
extern template std::optional<double> parse_number<double>(std::string_view);

/// The integer from 0 to 2^64 - 1 in `text`; up to 2^53 it may be written as floating point.
std::optional<GlobalId> parse_id(std::string_view text);

/// True if the whole text is one number, finite or not, in range or not.
bool is_number(std::string_view text);

/// The separator of the fields of a line: ';' if there is one, else ',' if there is one, else
/// blank.
char find_separator(std::string_view line);

/// A name in the form used for comparison: lower case, without surrounding quotes and blanks.
std::string plain_name(std::string_view field);

/// At most 32 bytes of a field for a message; '?' replaces unprintable bytes.
std::string shown_field(std::string_view field);

}  // namespace copse::io
