#include "machines.hpp"

#include <copse/backend/backends.hpp>
#include <copse/backend/machine.hpp>

#include <utility>

namespace copse::orb::model {
namespace {

constexpr double GB = 1e9;

Machine published(std::string name, std::string source, std::string processor, std::string device,
                  double host, double on_device, double link) {
  // The papers give one bandwidth per memory; a copy is assumed to reach the same.
  Machine m;
  m.name = std::move(name);
  m.source = std::move(source);
  m.processor = std::move(processor);
  m.device = std::move(device);
  m.host_read = m.host_copy = host;
  m.device_read = m.device_copy = on_device;
  m.host_to_device = link;
  return m;
}

}  // namespace

std::vector<Machine> published_machines(MachineTable table) {
  const bool draft = table == MachineTable::draft;
  const std::string source = draft ? "[Rehmann draft] datapoints" : "[Rehmann 2022] table 1";
  // The draft prints 900 and 50 GB/s of one V100, the thesis those of six; both print the 170 GB/s
  // of one POWER9 for a node of two.
  const int devices = draft ? 1 : 6;
  const int sockets = table == MachineTable::corrected ? 2 : 1;
  return {
      published("Piz Daint", source, "Intel E5-2690 v3", "NVIDIA P100", 68 * GB, 732 * GB, 32 * GB),
      published("Summit", source, "IBM POWER9", "NVIDIA V100", sockets * 170 * GB,
                devices * 900 * GB, devices * 50 * GB),
      published("Eiger", source, "AMD EPYC 7742", "", 2 * 204.8 * GB, 0, 0)};
}

std::vector<BackendBandwidth> measure_backends() {
  std::vector<BackendBandwidth> measured;
  for_each_backend([&](auto space) {
    using Space = decltype(space);
    measured.push_back({std::string(backend_name<Space>()), runs_on_host<Space>,
                        measure_bandwidth(space, bandwidth_bytes<Space>())});
  });
  return measured;
}

Machine this_machine(const std::vector<BackendBandwidth>& measured, std::string_view backend) {
  Machine m;
  m.name = "this machine";
  m.source = "measured";
  m.processor = describe_host().cpu;
  bool chosen = false;
  for (const BackendBandwidth& b : measured) {
    if (!b.on_host) {
      m.device = describe_device().name;
      m.device_read = b.bandwidth.read;
      m.device_copy = b.bandwidth.copy;
      m.host_to_device = b.bandwidth.from_host;
    } else if (!chosen) {
      m.host_read = b.bandwidth.read;
      m.host_copy = b.bandwidth.copy;
      chosen = b.backend == backend;
    }
  }
  return m;
}

}  // namespace copse::orb::model
