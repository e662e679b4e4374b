#include <copse/app/cpu_meter.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <system_error>

namespace copse::app {
namespace {

constexpr double shortest_run = 0.1;  // seconds
constexpr double most_waiting = 0.05;
constexpr double least_use = 0.9;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

bool CpuUse::disturbed() const {
  if (wall_seconds < shortest_run) return false;
  return waited_seconds > most_waiting * wall_seconds || cpu_seconds < least_use * wall_seconds;
}

CpuMeter::Reading CpuMeter::read() {
  Reading now;
  std::error_code none;  // systems without the folder, and threads that end meanwhile
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
    double ran = 0.0;
    double waited = 0.0;  // both in nanoseconds
    if (std::ifstream(task.path() / "schedstat") >> ran >> waited)
      now.waited[std::stol(task.path().filename().string())] = 1e-9 * waited;
  }
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(whose, &used);
    now.cpu += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  now.wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return now;
}

void CpuMeter::start() {
  started_ = read();
}

void CpuMeter::stop() {
  const Reading now = read();
  use_.wall_seconds += now.wall - started_.wall;
  use_.cpu_seconds += now.cpu - started_.cpu;
  for (const auto& [thread, waited] : now.waited) {
    const auto before = started_.waited.find(thread);
    waited_[thread] += waited - (before == started_.waited.end() ? 0.0 : before->second);
    use_.waited_seconds = std::max(use_.waited_seconds, waited_[thread]);
  }
}

}  // namespace copse::app
