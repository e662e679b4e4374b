#include <copse/backend/profiler_range.hpp>

#include <Kokkos_Macros.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <nvtx3/nvToolsExt.h>
#endif

namespace copse {

void begin_profiler_range([[maybe_unused]] const char* name) {
#if defined(KOKKOS_ENABLE_CUDA)
  nvtxRangePushA(name);
#endif
}

void end_profiler_range() {
#if defined(KOKKOS_ENABLE_CUDA)
  nvtxRangePop();
#endif
}

}  // namespace copse
