#include <copse/app/progress.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <unistd.h>

namespace copse::app {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Progress make_progress(const std::string& what, bool enabled) {
  if (!enabled) return [](Count, Count) {};
  const auto drawn = std::make_shared<Clock::time_point>(Clock::now());
  return [what, drawn](Count done, Count all) {
    if (done >= all) {
      fmt::print(stderr, "\r{:{}}\r", "", what.size() + 6);
      std::fflush(stderr);
      return;
    }
    const auto now = Clock::now();
    if (now - *drawn < std::chrono::milliseconds(200)) return;
    *drawn = now;
    // In double: done * 100 may not fit in 64 bits.
    const double percent = 100.0 * static_cast<double>(done) / static_cast<double>(all);
    fmt::print(stderr, "\r{} {:3.0f} %", what, percent);
    std::fflush(stderr);
  };
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace copse::app
