#pragma once
// Runs a shell command and returns its exit code and output.
#include "scratch_folder.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <sys/wait.h>

namespace copse::app {

struct CommandResult {
  int code = -1;
  std::string out;
  std::string err;
  double seconds = 0.0;
};

/// Runs `command` in a clean environment: this process is an MPI process, and the variables of its
/// launcher would confuse a second launcher.
inline CommandResult run_command(const std::string& command) {
  std::string environment =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "HWLOC_HIDE_ERRORS=2 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=false "
      "OMP_NUM_THREADS=2 "
      "OMP_PROC_BIND=false";
  for (const char* name :
       {"PATH", "HOME", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS",
        "TSAN_OPTIONS", "CUDA_VISIBLE_DEVICES", "LD_PRELOAD", "OMPI_MCA_mpi_yield_when_idle"})
    if (const char* value = std::getenv(name))
      environment += std::string(" ") + name + "='" + value + "'";
  const test::ScratchFolder folder;
  const std::string redirect =
      " >'" + (folder / "out").string() + "' 2>'" + (folder / "err").string() + "' </dev/null";
  const auto start = std::chrono::steady_clock::now();
  const int status = std::system(("env -i " + environment + " " + command + redirect).c_str());
  CommandResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.out = test::text_of(folder / "out");
  result.err = test::text_of(folder / "err");
  return result;
}

/// The number of occurrences of `part` in `text`.
inline int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace copse::app
