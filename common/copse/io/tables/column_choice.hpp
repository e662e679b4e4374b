#pragma once
/// \file
/// The user's choice of columns, such as "1-7" or "lat,lon".

#include <copse/backend/types.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace copse::io {

/// One item of a choice: columns `first` to `last`, counted from 1, or one column by name.
struct ChosenColumns {
  Count first = 0;
  Count last = 0;
  std::string name;  ///< in lower case; empty if the item gives numbers
};

/// Parses a choice into its items. An empty choice selects all columns and returns no items.
/// \throws InputError naming the choice if an item is empty, or a range starts at 0 or ends before
///         it starts.
std::vector<ChosenColumns> parse_column_choice(std::string_view choice);

}  // namespace copse::io
