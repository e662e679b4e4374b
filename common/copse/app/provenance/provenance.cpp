#include <copse/app/provenance/git_commit.hpp>
#include <copse/app/provenance/provenance.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/machine.hpp>
#include <copse/backend/types.hpp>

#include <mpi.h>
#include <nlohmann/json.hpp>

#include <array>
#include <ctime>

namespace copse::app {
namespace {

/// The first line only: some libraries append their build options.
std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data());
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace

nlohmann::json git_section() {
  return {{"commit", git_commit}, {"dirty", git_dirty}};
}

nlohmann::json machine_section() {
  const HostDescription host = describe_host();
  const DeviceDescription device = describe_device();
  nlohmann::json gpu;
  if (device.present)
    gpu = {{"name", device.name},
           {"memory_bytes", device.memory_bytes},
           {"compute_capability", device.compute_capability},
           {"multiprocessors", device.multiprocessors},
           {"l2_bytes", device.l2_bytes}};
  return {{"host", host.name},
          {"cpu", host.cpu},
          {"cores", host.cores},
          {"memory_bytes", host.memory_bytes},
          {"gpu", gpu}};
}

nlohmann::json build_section() {
  return {{"compiler", describe_compiler()},
          {"flags", COPSE_CXX_FLAGS},
          {"type", COPSE_BUILD_TYPE},
          {"real", sizeof(Real) == sizeof(float) ? "float" : "double"},
          {"kokkos", describe_kokkos()},
          {"backends", backend_names()},
          {"mpi", mpi_library()}};
}

std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace copse::app
