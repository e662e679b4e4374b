#pragma once
/// \file
/// Shared parts of all fuzz targets: start-up, and the contract for damaged files.
///
/// Any bytes are either read or refused with an InputError of one line that names the file. Any
/// other exception, a sanitizer report, a leak, or one allocation above the limit in fuzz_start.cpp
/// stops the fuzzer.

#include <copse/backend/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace copse::fuzz {

inline constexpr const char* source_name = "fuzzed";

/// Stops the fuzzer with a message unless `condition` holds.
inline void require(bool condition, const char* message) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", message);
  std::abort();
}

/// Calls `f()` and checks the message if it refuses its input.
template <class F>
void read_or_refuse(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    const std::string_view sentence = error.what();
    require(sentence.starts_with(source_name), "a refusal does not name the file");
    require(sentence.find('\n') == std::string_view::npos, "a refusal has more than one line");
  }
}

}  // namespace copse::fuzz
