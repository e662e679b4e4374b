#pragma once
/// \file
/// Options whose value is a list of names.

#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace copse::peers {

inline bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The names in a list separated by commas; all known ones for "all".
/// \throws InputError for any other name; the message names the option and the known ones
inline std::vector<std::string> chosen_names(const char* option, const std::string& list,
                                             const std::vector<std::string>& known) {
  if (list == "all") return known;
  std::vector<std::string> names;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (!contains(known, word))
      throw InputError(
          fmt::format("{} {}: is not one of all, {}", option, word, fmt::join(known, ", ")));
    names.push_back(word);
  }
  return names;
}

}  // namespace copse::peers
