#pragma once
/// \file
/// A choice of columns in the user's words, "1-7" or "lat,lon".

#include <copse/backend/types.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace copse::io {

/// One item of a choice: the columns first to last, counted from 1, or the column of a name.
struct ChosenColumns {
  Count first = 0;
  Count last = 0;
  std::string name;  ///< in lower case; empty for numbers
};

/// The items of a choice; none for a choice of all columns.
/// \throws InputError naming the choice if an item is empty, or a range starts at 0 or ends before
///         it starts.
std::vector<ChosenColumns> parse_column_choice(std::string_view choice);

}  // namespace copse::io
