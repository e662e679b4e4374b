#pragma once
/// \file
/// Whether messages may start and end in device memory.
///
/// The one switch is the build option COPSE_GPU_AWARE_MPI: `on` and `off` decide it, `auto` asks
/// the MPI library at run time. A library that cannot be asked counts as one that cannot do it,
/// because a device pointer in the wrong hands is a crash while staging is merely slower.

#include <optional>
#include <string>
#include <string_view>

namespace copse {

struct GpuAwareMpi {
  bool enabled = false;
  std::string reason;  ///< one clause for reports: the switch, and what the library said
};

/// What the MPI library says about device pointers in this run; empty if it has no such query.
std::optional<bool> library_takes_device_memory();

/// Combines the switch (`auto`, `on` or `off`) with the library's answer.
/// \throws InputError if `choice` is none of the three.
GpuAwareMpi decide_gpu_aware_mpi(std::string_view choice, std::optional<bool> library_answer);

/// The decision of this run: the build's switch and this library's answer.
GpuAwareMpi gpu_aware_mpi();

}  // namespace copse
