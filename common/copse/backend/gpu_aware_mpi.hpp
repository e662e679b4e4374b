#pragma once
/// \file
/// How messages that start and end in device memory are transferred.
///
/// The only switch is COPSE_GPU_AWARE_MPI, a build option that an environment variable of the same
/// name overrides:
///
/// | choice  | MPI reads device memory       | otherwise                                  |
/// |---------|-------------------------------|--------------------------------------------|
/// | `auto`  | if the library says so        | like `peers`                               |
/// | `on`    | always, without asking        |                                            |
/// | `peers` | never                         | ranks of one node copy between devices     |
/// | `off`   | never                         | everything passes through host memory      |
///
/// A library that has no query counts as not GPU-aware: passing it a device pointer might crash,
/// while the other paths are only slower.

#include <optional>
#include <string>
#include <string_view>

namespace copse {

struct GpuAwareMpi {
  bool enabled = false;  ///< MPI accepts pointers to device memory
  bool peers = false;    ///< try all-to-all exchanges by copies between devices
  std::string reason;    ///< one clause for reports: the switch and the library's answer
};

/// The MPI library's answer about device pointers in this run; empty if it has no such query.
std::optional<bool> library_takes_device_memory();

/// Combines the switch (`auto`, `on`, `peers` or `off`) with the library's answer.
/// \throws InputError if `choice` is none of these.
GpuAwareMpi decide_gpu_aware_mpi(std::string_view choice, std::optional<bool> library_answer);

/// The choice of this run: the environment's, else the build's.
std::string gpu_aware_mpi_choice();

/// The decision of this run: its choice and this library's answer.
GpuAwareMpi gpu_aware_mpi();

}  // namespace copse
