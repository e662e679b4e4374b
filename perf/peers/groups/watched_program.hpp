#pragma once
/// \file
/// Runs another program and sees each line of its output when it is printed.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace copse::peers {

/// Runs a program with the file `input` as its standard input, and `line` with each line that it
/// prints, at once: its output is a terminal of its own, so that it does not collect lines. Returns
/// when the program has ended.
/// \throws InputError if it cannot be started or fails
void watch_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                   const std::filesystem::path& input,
                   const std::function<void(const std::string&)>& line);

}  // namespace copse::peers
