#pragma once
/// \file
/// Tables of what an option can name. An entry has a `name` and a `description`; a table is any
/// range of entries, in the order of `--list`.

#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace copse::app {

/// The names of a table, and then `more`.
template <class Table>
std::vector<std::string> names_of(const Table& table, std::vector<std::string> more = {}) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  std::move(more.begin(), more.end(), std::back_inserter(names));
  return names;
}

/// The entry with a name. \throws InputError "there is no WHAT 'NAME'"
template <class Table>
const auto& entry_named(const Table& table, const char* what, std::string_view name) {
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const auto& entry) { return entry.name == name; });
  if (at == table.end()) throw InputError(fmt::format("there is no {} '{}'", what, name));
  return *at;
}

/// Lines of `--list`: the title, and one line per entry.
template <class Table>
std::vector<std::string> list_of(std::string title, const Table& table) {
  std::vector<std::string> lines{std::move(title)};
  for (const auto& entry : table)
    lines.push_back(fmt::format("  {:<19}{}", entry.name, entry.description));
  return lines;
}

}  // namespace copse::app
