#pragma once
/// \file
/// NumPy and h5py as independent readers and writers of files. Tests that use them are skipped
/// where no Python has them.

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace copse::test {

/// The first Python that has both modules; empty if there is none.
inline const std::string& python_with_h5py() {
  static const std::string found = [] {
    for (const char* candidate : {"python3", "/usr/bin/python3"}) {
      const std::string command = std::string(candidate) + " -c 'import numpy, h5py' 2>/dev/null";
      if (std::system(command.c_str()) == 0) return std::string(candidate);
    }
    return std::string();
  }();
  return found;
}

/// Runs a script in `folder`, with numpy as np and h5py imported, and returns what it prints. A
/// script that fails fails the test. The test is skipped if no Python has the modules.
inline std::string run_python(const std::filesystem::path& folder, const std::string& script) {
  if (python_with_h5py().empty()) SKIP("python3 with numpy and h5py is missing");
  const std::filesystem::path file = folder / "script.py";
  std::ofstream(file) << "import os\nimport numpy as np\nimport h5py\nos.chdir(r'"
                      << folder.string() << "')\n"
                      << script;
  std::FILE* pipe = popen((python_with_h5py() + " " + file.string() + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 4096> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
    output.append(part.data(), n);
  const int status = pclose(pipe);
  INFO(output);
  REQUIRE(status == 0);
  return output;
}

}  // namespace copse::test
