#include <copse/app/kernel_timer.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace copse::app;
namespace tools = Kokkos::Tools::Experimental;
using Host = Kokkos::DefaultHostExecutionSpace;
using Launches = std::vector<std::uint64_t>;

namespace {

void launch_for(const std::string& label) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Host>(0, 10), KOKKOS_LAMBDA(int){});
}

void launch_reduce(const std::string& label) {
  int sum = 0;
  Kokkos::parallel_reduce(
      label, Kokkos::RangePolicy<Host>(0, 10), KOKKOS_LAMBDA(int i, int& s) { s += i; }, sum);
}

void launch_scan(const std::string& label) {
  Kokkos::parallel_scan(
      label, Kokkos::RangePolicy<Host>(0, 10), KOKKOS_LAMBDA(int i, int& s, bool) { s += i; });
}

const KernelTime* find(const std::vector<KernelTime>& kernels, const std::string& label) {
  for (const auto& k : kernels)
    if (k.label == label) return &k;
  return nullptr;
}

const PhaseTime* find(const std::vector<PhaseTime>& phases, const std::string& label) {
  for (const auto& p : phases)
    if (p.label == label) return &p;
  return nullptr;
}

void sleep_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

// Calls received by an earlier tool.
int earlier_pushes = 0;
int earlier_pops = 0;
std::vector<std::uint64_t> earlier_ended;

}  // namespace

// Oracle: the launches counted by hand.
TEST_CASE("launches are counted exactly, by label and by sample, for every kind of kernel") {
  KernelTimer timer;
  for (int i = 0; i < 3; ++i) launch_for("copse::test::for");
  launch_reduce("copse::test::reduce");
  timer.close_sample();
  launch_for("copse::test::for");
  for (int i = 0; i < 2; ++i) launch_scan("copse::test::scan");
  timer.close_sample();

  const auto kernels = timer.kernels();
  REQUIRE(kernels.size() == 3);
  CHECK(find(kernels, "copse::test::for")->launches == Launches{3, 1});
  CHECK(find(kernels, "copse::test::reduce")->launches == Launches{1});
  CHECK(find(kernels, "copse::test::scan")->launches == Launches{2});
}

TEST_CASE("a dropped sample is not counted anywhere") {
  KernelTimer timer;
  {
    const Kokkos::Profiling::ScopedRegion region("copse::test::warm_up");
    launch_for("copse::test::for");
  }
  timer.drop_sample();
  timer.close_sample();
  CHECK(timer.phases().empty());
  CHECK(timer.kernels().empty());
}

TEST_CASE("kernels have times only on request") {
  for (const auto times : {KernelTimer::KernelTimes::off, KernelTimer::KernelTimes::on}) {
    KernelTimer timer(times);
    launch_for("copse::test::for");
    timer.close_sample();
    const bool timed = times == KernelTimer::KernelTimes::on;
    CHECK(find(timer.kernels(), "copse::test::for")->samples.seconds.size() == (timed ? 1 : 0));
  }
}

// Oracle: a sleep takes at least the requested time, and a phase includes its contents.
TEST_CASE("a phase sums its entries in a sample and includes inner phases") {
  KernelTimer timer;
  for (int i = 0; i < 2; ++i) {
    const Kokkos::Profiling::ScopedRegion outer("copse::test::outer");
    sleep_ms(3);
    const Kokkos::Profiling::ScopedRegion inner("copse::test::inner");
    sleep_ms(5);
  }
  timer.close_sample();
  const auto phases = timer.phases();
  REQUIRE(phases.size() == 2);
  const auto& outer = find(phases, "copse::test::outer")->samples.seconds;
  const auto& inner = find(phases, "copse::test::inner")->samples.seconds;
  REQUIRE(outer.size() == 1);
  REQUIRE(inner.size() == 1);
  CHECK(inner[0] >= 0.010);
  CHECK(outer[0] >= inner[0] + 0.006);
}

// Oracle: the order statistics of 3, 1, 2 and 4.
TEST_CASE("minimum, median and maximum are those of the samples") {
  const Samples odd{{3.0, 1.0, 2.0}};
  CHECK(odd.min() == 1.0);
  CHECK(odd.median() == 2.0);
  CHECK(odd.max() == 3.0);
  CHECK(Samples{{3.0, 1.0, 2.0, 4.0}}.median() == 2.5);
  CHECK(Samples{}.median() == 0.0);
}

TEST_CASE(
    "callbacks of an earlier tool are still called, with its own kernel ids, and are restored") {
  const tools::EventSet before = tools::get_callbacks();
  tools::set_push_region_callback([](const char*) { ++earlier_pushes; });
  tools::set_pop_region_callback([] { ++earlier_pops; });
  tools::set_begin_parallel_for_callback(
      [](const char*, std::uint32_t, std::uint64_t* id) { *id = 4711; });
  tools::set_end_parallel_for_callback([](std::uint64_t id) { earlier_ended.push_back(id); });
  {
    KernelTimer timer;
    const Kokkos::Profiling::ScopedRegion region("copse::test::chained");
    launch_for("copse::test::chained_kernel");
    timer.close_sample();
    CHECK(find(timer.kernels(), "copse::test::chained_kernel")->launches == Launches{1});
  }
  CHECK(earlier_pushes == 1);
  CHECK(earlier_pops == 1);
  CHECK(earlier_ended == std::vector<std::uint64_t>{4711});

  launch_for("copse::test::after");
  CHECK(earlier_ended.size() == 2);
  tools::set_callbacks(before);
}

TEST_CASE("regions open when the timer starts are ignored") {
  Kokkos::Profiling::pushRegion("copse::test::before");
  {
    KernelTimer timer;
    Kokkos::Profiling::popRegion();
    timer.close_sample();
    CHECK(timer.phases().empty());
  }
}

TEST_CASE("a second timer is refused while the first exists") {
  KernelTimer timer;
  CHECK_THROWS_AS(KernelTimer(), std::logic_error);
}
