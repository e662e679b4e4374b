#pragma once
/// \file
/// Converts the text of an option to its value. Each parser accepts only text with an exact meaning
/// and names the option in the error message.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>

#include <string>
#include <string_view>

namespace copse::app {

/// A count: digits ("1000"), a power of ten ("1e7", "2.5e6"), a power of two ("2^20") or a decimal
/// suffix k, M, G ("10k"). Exact in 64 bits; fractions such as "1.5" or "1e-1" are errors.
/// \throws InputError naming `option`.
Count parse_count(std::string_view option, std::string_view text);

/// Like `parse_count`, but at least 1.
Count parse_positive_count(std::string_view option, std::string_view text);

/// A box: "L" is the cube [0,L]^3, "x0,y0,z0,x1,y1,z1" the corners; ":periodic" after either makes
/// all axes periodic.
/// \throws InputError naming `option` unless all bounds are finite and every extent is positive.
Box<3> parse_box(std::string_view option, std::string_view text);

}  // namespace copse::app
