#pragma once
/// \file
/// Public snapshots and results, for tests that read them.

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace copse::test {

/// The file `name` of COPSE_DATA_DIR; the test is skipped if that is not set.
inline std::filesystem::path data_file(const std::string& name) {
  const char* folder = std::getenv("COPSE_DATA_DIR");
  if (folder == nullptr) SKIP("COPSE_DATA_DIR is not set");
  return std::filesystem::path(folder) / name;
}

}  // namespace copse::test
