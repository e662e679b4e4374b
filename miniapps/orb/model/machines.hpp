#pragma once
/// \file
/// Machine parameters of the runtime model: published ones, and measured ones of this machine.

#include <copse/backend/bandwidth.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace copse::orb::model {

/// One node. Bandwidths are per node in bytes per second (1 GB = 10^9 B), summed over processors; 0
/// if there is no such part or its bandwidth is unknown.
struct Machine {
  std::string name;
  std::string source;  ///< where the numbers come from
  std::string processor;
  std::string device;      ///< empty: none
  double host_read = 0;    ///< B_C
  double host_copy = 0;    ///< the same for a sweep that reads and writes, counting both
  double device_read = 0;  ///< B_G
  double device_copy = 0;
  double host_to_device = 0;  ///< I_GC
  double network = 0;         ///< sent by one rank

  bool has_device() const { return device_read > 0; }
};

/// Which table a published machine is taken from.
enum class MachineTable {
  thesis,    ///< [Rehmann 2022] table 1, as printed
  draft,     ///< [Rehmann draft] "Datapoints of supercomputers", as printed
  corrected  ///< [Rehmann 2022] table 1 with both sockets of a Summit node
};

/// Piz Daint, Summit and Eiger.
std::vector<Machine> published_machines(MachineTable table);

/// Measured bandwidths of this build's backends on this machine, slowest first.
struct BackendBandwidth {
  std::string backend;
  bool on_host = true;
  Bandwidth bandwidth;
};

/// Measures every backend of this build with arrays of `bandwidth_bytes()`. Takes seconds.
std::vector<BackendBandwidth> measure_backends();

/// This machine for a run on `backend`: that host backend's bandwidths, or the fastest host
/// backend's together with the device's.
Machine this_machine(const std::vector<BackendBandwidth>& measured, std::string_view backend);

}  // namespace copse::orb::model
