#pragma once
/// \file
/// How messages in device memory are transferred.
///
/// The only switch is COPSE_GPU_AWARE_MPI, a build option that an environment variable of the same
/// name overrides:
///
/// | choice  | MPI reads device memory       | otherwise                                  |
/// |---------|-------------------------------|--------------------------------------------|
/// | `auto`  | if the library reports it     | like `peers`                               |
/// | `on`    | always, without a query       |                                            |
/// | `peers` | never                         | ranks of one node copy between devices     |
/// | `off`   | never                         | all messages are staged in host memory     |
///
/// A library without a query counts as not GPU-aware: passing it a device pointer might crash,
/// whereas the other paths are only slower.

#include <optional>
#include <string>
#include <string_view>

namespace copse {

struct GpuAwareMpi {
  bool enabled = false;  ///< MPI accepts pointers to device memory
  bool peers = false;    ///< try all-to-all exchanges by copies between devices
  std::string reason;    ///< one clause for reports: the switch and the library's answer
};

/// Does the MPI library accept device pointers in this run? Empty if it has no such query.
std::optional<bool> library_takes_device_memory();

/// Combines the switch (`auto`, `on`, `peers` or `off`) with the library's answer.
/// \throws InputError if `choice` is not one of these.
GpuAwareMpi decide_gpu_aware_mpi(std::string_view choice, std::optional<bool> library_answer);

/// The choice of this run: the environment variable if set, otherwise the build option.
std::string gpu_aware_mpi_choice();

/// The decision of this run: its choice and this library's answer.
GpuAwareMpi gpu_aware_mpi();

}  // namespace copse
