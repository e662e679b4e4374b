#include <copse/app/progress.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <unistd.h>

using namespace copse::app;

namespace {

/// Returns the output of `body` on stderr, which is redirected to a file and thus not a terminal.
template <class Body>
std::string stderr_of(Body body) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int original = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  body();
  std::fflush(stderr);
  dup2(original, STDERR_FILENO);
  close(original);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace

TEST_CASE("a disabled progress display writes nothing") {
  CHECK(stderr_of([] {
          const Progress progress = make_progress("reading", false);
          progress(1, 2);
          progress(2, 2);
        }).empty());
}

TEST_CASE("a file is not a terminal") {
  bool terminal = true;
  stderr_of([&] { terminal = stderr_is_terminal(); });
  CHECK_FALSE(terminal);
}

// Oracle: 2^63 of 2^64 - 1 is half; 100 times that does not fit in 64 bits.
TEST_CASE("progress of a huge number of items is right and is erased at the end") {
  const std::string text = stderr_of([] {
    const Progress progress = make_progress("reading", true);
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    progress(copse::Count{1} << 63, ~copse::Count{0});
    progress(~copse::Count{0}, ~copse::Count{0});
  });
  CHECK(text == "\rreading  50 %\r             \r");
}

TEST_CASE("many calls in a short time draw once at most") {
  const std::string text = stderr_of([] {
    const Progress progress = make_progress("reading", true);
    for (copse::Count i = 0; i < 1000; ++i) progress(i, 1'000'000);
  });
  CHECK(text.size() < 30);
}
