// Oracle: the truth table of switch and library.
#include <copse/backend/error.hpp>
#include <copse/backend/gpu_aware_mpi.hpp>
#include <copse/config.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace copse;

TEST_CASE("on and off decide whatever the library says") {
  for (const auto answer : {std::optional<bool>(), std::optional(false), std::optional(true)}) {
    CHECK(decide_gpu_aware_mpi("on", answer).enabled);
    CHECK_FALSE(decide_gpu_aware_mpi("off", answer).enabled);
  }
}

TEST_CASE("auto follows the library and takes silence for no") {
  CHECK(decide_gpu_aware_mpi("auto", true).enabled);
  CHECK_FALSE(decide_gpu_aware_mpi("auto", false).enabled);
  CHECK_FALSE(decide_gpu_aware_mpi("auto", std::nullopt).enabled);
}

TEST_CASE("every way to a decision has its own reason") {
  const std::set<std::string> reasons{
      decide_gpu_aware_mpi("on", true).reason, decide_gpu_aware_mpi("off", true).reason,
      decide_gpu_aware_mpi("auto", true).reason, decide_gpu_aware_mpi("auto", false).reason,
      decide_gpu_aware_mpi("auto", std::nullopt).reason};
  CHECK(reasons.size() == 5);
  CHECK_FALSE(reasons.contains(""));
}

TEST_CASE("another word is an input error") {
  CHECK_THROWS_AS(decide_gpu_aware_mpi("yes", true), InputError);
  CHECK_THROWS_AS(decide_gpu_aware_mpi("", true), InputError);
}

TEST_CASE("this run's decision is the build's switch put to this library") {
  const GpuAwareMpi decision = gpu_aware_mpi();
  const GpuAwareMpi expected =
      decide_gpu_aware_mpi(COPSE_GPU_AWARE_MPI, library_takes_device_memory());
  CHECK(decision.enabled == expected.enabled);
  CHECK(decision.reason == expected.reason);
}
