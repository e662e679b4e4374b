// Oracle: the rule written out; a thread that computes for a known time; two threads on one CPU, of
// which one must wait.
#include <copse/app/cpu_meter.hpp>
#include <copse/backend/thread_binding.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace copse::app {
namespace {

void compute(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
  }
}

TEST_CASE("A run is disturbed if a thread waited for more than a twentieth of it") {
  CHECK_FALSE(CpuUse{10.0, 10.0, 0.4}.disturbed());
  CHECK_FALSE(CpuUse{10.0, 20.0, 0.4}.disturbed());
  CHECK(CpuUse{10.0, 19.0, 0.6}.disturbed());
}

TEST_CASE("A run is disturbed if its threads together ran for less than 0.9 of it") {
  CHECK_FALSE(CpuUse{10.0, 9.1, 0.0}.disturbed());
  CHECK(CpuUse{10.0, 8.9, 0.0}.disturbed());
}

TEST_CASE("Nothing, and a run of less than a tenth of a second, is not disturbed") {
  CHECK_FALSE(CpuUse{}.disturbed());
  CHECK_FALSE(CpuUse{0.09, 0.01, 0.09}.disturbed());
}

TEST_CASE("CPU time is at most wall time for one thread, and intervals add up") {
  CpuMeter meter;
  for (int i = 0; i < 2; ++i) {
    meter.start();
    compute(0.05);
    meter.stop();
    compute(0.05);
  }
  CHECK(meter.use().wall_seconds >= 0.1);
  CHECK(meter.use().cpu_seconds > 0.0);
  CHECK(meter.use().cpu_seconds <= meter.use().wall_seconds + 0.01);
}

TEST_CASE("CPU time of a program that the process ran and waited for counts") {
  constexpr double used = 0.05;  // by the clock of the child's own CPU time
  CpuMeter meter;
  meter.start();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    while (std::clock() < used * CLOCKS_PER_SEC) {
    }
    _exit(0);
  }
  REQUIRE(waitpid(child, nullptr, 0) == child);
  meter.stop();
  CHECK(meter.use().cpu_seconds > 0.9 * used);
}

TEST_CASE("Of two threads on one CPU one waits, and the run is disturbed") {
  if (!std::filesystem::exists("/proc/self/schedstat"))
    SKIP("the kernel does not count the time that threads wait");
  const CpuSet all = allowed_cpus();
  std::atomic<bool> stop = false;
  restrict_to({all.front()});
  std::thread other([&] {
    while (!stop) {
    }
  });
  CpuMeter meter;
  meter.start();
  compute(0.5);
  meter.stop();
  stop = true;
  other.join();
  restrict_to(all);
  CHECK(meter.use().waited_seconds > 0.1);
  CHECK(meter.use().disturbed());
}

}  // namespace
}  // namespace copse::app
