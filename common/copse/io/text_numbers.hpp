#pragma once
/// \file
/// Fields of a text file as numbers and names, the same way for every text reader.

#include <copse/backend/types.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace copse::io {

/// The number in `text`; no value unless all of it is one finite number in T's range. A leading '+'
/// is accepted. Numbers too small for T become zero.
template <class T>
std::optional<T> parse_number(std::string_view text);

extern template std::optional<float> parse_number<float>(std::string_view);
extern template std::optional<double> parse_number<double>(std::string_view);

/// The whole number from 0 to 2^64 - 1 in `text`; up to 2^53 it may be spelled as floating point.
std::optional<GlobalId> parse_id(std::string_view text);

/// Whether all of `text` is one number, be it finite, in range or not.
bool is_number(std::string_view text);

/// What separates the fields of a line: ';' if there is one, else ',' if there is one, else blanks.
char find_separator(std::string_view line);

/// A name as names are compared: in lower case, without quotes and blanks around it.
std::string plain_name(std::string_view field);

/// At most 32 bytes of a field for a message, '?' for those that cannot be printed.
std::string shown_field(std::string_view field);

}  // namespace copse::io
