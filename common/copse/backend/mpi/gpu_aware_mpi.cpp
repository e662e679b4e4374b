#include <copse/backend/error.hpp>
#include <copse/backend/mpi/gpu_aware_mpi.hpp>
#include <copse/config.hpp>

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstdlib>

namespace copse {

std::optional<bool> library_takes_device_memory() {
  // Open MPI defines the first macro and its query; MPICH and its derivatives define the second.
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
  if (choice == "on") return {true, false, "on: without asking the MPI library"};
  if (choice == "off") return {false, false, "off: through host memory"};
  if (choice == "peers") return {false, true, "peers: without asking the MPI library"};
  if (choice != "auto")
    throw InputError("COPSE_GPU_AWARE_MPI must be auto, on, peers or off, not '" +
                     std::string(choice) + "'");
  if (!library_answer) return {false, true, "auto: the MPI library has no query for it"};
  if (!*library_answer) return {false, true, "auto: the MPI library says that it cannot"};
  return {true, false, "auto: the MPI library says that it can"};
}

std::string gpu_aware_mpi_choice() {
  const char* const choice = std::getenv("COPSE_GPU_AWARE_MPI");
  return choice && *choice ? choice : COPSE_GPU_AWARE_MPI;
}

GpuAwareMpi gpu_aware_mpi() {
  return decide_gpu_aware_mpi(gpu_aware_mpi_choice(), library_takes_device_memory());
}

}  // namespace copse
