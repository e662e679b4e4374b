// Start-up of every fuzz target.
#include <Kokkos_Core.hpp>

#include <vector>

namespace {

/// Far above the needs of a reader for libFuzzer's inputs of at most a few kB.
char memory_limit[] = "-malloc_limit_mb=64";

}  // namespace

/// Called by libFuzzer once, before it reads its arguments.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static std::vector<char*> arguments(*argv, *argv + *argc);
  arguments.push_back(memory_limit);
  *argc = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  *argv = arguments.data();
  Kokkos::initialize(
      Kokkos::InitializationSettings().set_num_threads(1).set_disable_warnings(true));
  return 0;
}
