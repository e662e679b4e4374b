#pragma once
/// \file
/// Checks of files and folders for writer tests.

#include "scratch_folder.hpp"
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace copse::test {

inline std::vector<std::byte> bytes_of_file(const std::filesystem::path& path) {
  const std::string text = text_of(path);
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// While one exists, files of this process cannot grow beyond `bytes`: a write fails as on a full
/// disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

/// The message with which `f()` fails; empty if it succeeds.
template <class F>
std::string sentence_of(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A writer called with a path in a missing folder, with a device, or on a full disk must fail with
/// one line that names the file, and leave only the old file behind.
template <class Write>
void require_refuses_unwritable_paths(const Write& write) {
  const ScratchFolder folder;
  for (const std::filesystem::path& path :
       {folder / "missing/out", std::filesystem::path("/dev/null")}) {
    const std::string sentence = sentence_of([&] { write(path); });
    INFO(sentence);
    CHECK(sentence.starts_with(path.string() + ": "));
    CHECK(sentence.find('\n') == std::string::npos);
  }
  CHECK(folder.files().empty());

  std::ofstream(folder / "out") << "old";
  std::string sentence;
  {
    const FileSizeLimit limit(16);
    sentence = sentence_of([&] { write(folder / "out"); });
  }
  INFO(sentence);
  CHECK(sentence.starts_with((folder / "out").string() + ": "));
  CHECK(sentence.find("File too large") != std::string::npos);
  CHECK(folder.files() == std::vector<std::string>{"out"});
  CHECK(text_of(folder / "out") == "old");
}

}  // namespace copse::test
