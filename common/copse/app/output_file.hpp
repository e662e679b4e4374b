#pragma once
/// \file
/// Files that appear whole or not at all.

#include <filesystem>
#include <string>
#include <string_view>

namespace copse::app {

/// Refuses a path that cannot be written later, before any work is done. Leaves nothing behind.
/// \throws InputError naming `option` and the path
void require_writable(std::string_view option, const std::filesystem::path& path);

/// A name beside `path` for a file that is renamed to `path` once it is complete.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// Writes `text` to a temporary name and renames it to `path`.
/// \throws InputError if that fails; the temporary file is gone then and `path` is as it was
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace copse::app
