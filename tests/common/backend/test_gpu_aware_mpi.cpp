// Oracle: the truth table of switch and library.
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/gpu_aware_mpi.hpp>
#include <copse/config.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <set>
#include <string>

using namespace copse;

TEST_CASE("on and off override the library's answer") {
  for (const auto answer : {std::optional<bool>(), std::optional(false), std::optional(true)}) {
    CHECK(decide_gpu_aware_mpi("on", answer).enabled);
    CHECK_FALSE(decide_gpu_aware_mpi("off", answer).enabled);
  }
}

TEST_CASE("auto follows the library's answer and treats no answer as no") {
  CHECK(decide_gpu_aware_mpi("auto", true).enabled);
  CHECK_FALSE(decide_gpu_aware_mpi("auto", false).enabled);
  CHECK_FALSE(decide_gpu_aware_mpi("auto", std::nullopt).enabled);
}

TEST_CASE("copies between devices are tried if MPI is not GPU-aware and they are not disabled") {
  for (const auto answer : {std::optional<bool>(), std::optional(false), std::optional(true)}) {
    CHECK(decide_gpu_aware_mpi("peers", answer).peers);
    CHECK_FALSE(decide_gpu_aware_mpi("peers", answer).enabled);
    CHECK_FALSE(decide_gpu_aware_mpi("on", answer).peers);
    CHECK_FALSE(decide_gpu_aware_mpi("off", answer).peers);
    CHECK(decide_gpu_aware_mpi("auto", answer).peers == !answer.value_or(false));
  }
}

TEST_CASE("every decision has its own reason") {
  const std::set<std::string> reasons{decide_gpu_aware_mpi("on", true).reason,
                                      decide_gpu_aware_mpi("off", true).reason,
                                      decide_gpu_aware_mpi("auto", true).reason,
                                      decide_gpu_aware_mpi("auto", false).reason,
                                      decide_gpu_aware_mpi("auto", std::nullopt).reason,
                                      decide_gpu_aware_mpi("peers", true).reason};
  CHECK(reasons.size() == 6);
  CHECK_FALSE(reasons.contains(""));
}

TEST_CASE("any other word is an input error") {
  CHECK_THROWS_AS(decide_gpu_aware_mpi("yes", true), InputError);
  CHECK_THROWS_AS(decide_gpu_aware_mpi("", true), InputError);
}

TEST_CASE(
    "the choice of the environment, or else of the build, is combined with this library's answer") {
  const std::string variable = "COPSE_GPU_AWARE_MPI";
  const char* const before = std::getenv(variable.c_str());
  const std::string kept = before ? before : "";
  for (const std::string choice : {"", "on", "peers", "off"}) {
    setenv(variable.c_str(), choice.c_str(), 1);
    const std::string in_force = choice.empty() ? COPSE_GPU_AWARE_MPI : choice;
    CHECK(gpu_aware_mpi_choice() == in_force);
    const GpuAwareMpi decision = gpu_aware_mpi();
    const GpuAwareMpi expected = decide_gpu_aware_mpi(in_force, library_takes_device_memory());
    CHECK(decision.enabled == expected.enabled);
    CHECK(decision.peers == expected.peers);
    CHECK(decision.reason == expected.reason);
  }
  setenv(variable.c_str(), "perhaps", 1);
  CHECK_THROWS_AS(gpu_aware_mpi(), InputError);
  if (before)
    setenv(variable.c_str(), kept.c_str(), 1);
  else
    unsetenv(variable.c_str());
}
