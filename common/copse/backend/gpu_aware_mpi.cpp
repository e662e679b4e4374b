#include <copse/backend/error.hpp>
#include <copse/backend/gpu_aware_mpi.hpp>
#include <copse/config.hpp>

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace copse {

std::optional<bool> library_takes_device_memory() {
  // Open MPI defines the first macro together with its query, MPICH and its descendants the second.
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) != MPI_SUCCESS) return std::nullopt;
  return supported != 0;
#else
  return std::nullopt;
#endif
}

GpuAwareMpi decide_gpu_aware_mpi(std::string_view choice, std::optional<bool> library_answer) {
  if (choice == "on") return {true, "switched on when built, without asking the MPI library"};
  if (choice == "off") return {false, "switched off when built"};
  if (choice != "auto")
    throw InputError("COPSE_GPU_AWARE_MPI must be auto, on or off, not '" + std::string(choice) +
                     "'");
  if (!library_answer) return {false, "auto: the MPI library has no query for it"};
  if (!*library_answer) return {false, "auto: the MPI library says that it cannot"};
  return {true, "auto: the MPI library says that it can"};
}

GpuAwareMpi gpu_aware_mpi() {
  return decide_gpu_aware_mpi(COPSE_GPU_AWARE_MPI, library_takes_device_memory());
}

}  // namespace copse
