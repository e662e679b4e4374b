#include <copse/backend/backends.hpp>
#include <copse/backend/machine.hpp>

#include <array>
#include <bit>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace copse {
namespace {

/// Read before `main`, because some C libraries count only the CPUs that the calling thread may
/// use, and threads are bound later.
const unsigned cores_at_start = std::thread::hardware_concurrency();

}  // namespace

HostDescription describe_host() {
  HostDescription host;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) host.name = name.data();
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("model name")) continue;
    const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != line.npos) host.cpu = line.substr(value);
    break;
  }
  host.cores = static_cast<int>(cores_at_start);
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page_bytes > 0)
    host.memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  return host;
}

std::vector<CacheDescription> describe_host_caches() {
  std::vector<CacheDescription> caches;
  for (int i = 0;; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i);
    CacheDescription cache;
    std::ifstream level(folder + "/level");
    if (!(level >> cache.level)) break;
    std::string kind;
    std::ifstream(folder + "/type") >> kind;
    char unit = 'K';
    std::ifstream(folder + "/size") >> cache.bytes >> unit;
    cache.bytes <<= unit == 'M' ? 20 : 10;
    std::string mask;  // one bit per thread, in hexadecimal digits and commas
    std::ifstream(folder + "/shared_cpu_map") >> mask;
    cache.threads = 0;
    for (const char digit : mask)
      if (digit != ',')
        cache.threads +=
            std::popcount(static_cast<unsigned>(std::stoi(std::string(1, digit), nullptr, 16)));
    if (kind != "Instruction" && cache.bytes > 0 && cache.threads > 0) caches.push_back(cache);
  }
  return caches;
}

DeviceDescription describe_device() {
  DeviceDescription device;
#if defined(KOKKOS_ENABLE_CUDA)
  const Kokkos::Cuda space;
  const auto& properties = space.cuda_device_prop();
  device.present = true;
  device.name = properties.name;
  device.memory_bytes = properties.totalGlobalMem;
  device.compute_capability =
      std::to_string(properties.major) + '.' + std::to_string(properties.minor);
  device.multiprocessors = properties.multiProcessorCount;
  device.l1_bytes = properties.sharedMemPerMultiprocessor;
  device.l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
#endif
  return device;
}

int backend_concurrency(std::string_view backend) {
  int threads = 0;
  dispatch_backend(backend, [&]<class Space>(Space space) { threads = space.concurrency(); });
  return threads;
}

std::uint64_t backend_memory_bytes(std::string_view backend) {
  std::uint64_t bytes = 0;
  dispatch_backend(backend, [&]<class Space>(Space) {
    if constexpr (runs_on_host<Space>)
      bytes = describe_host().memory_bytes;
    else
      bytes = describe_device().memory_bytes;
  });
  return bytes;
}

std::string describe_compiler() {
#if defined(__clang__)
  std::string text = __VERSION__;
#elif defined(__GNUC__)
  std::string text = "GCC " __VERSION__;
#else
  std::string text = "unknown";
#endif
#if defined(__CUDACC_VER_MAJOR__)
  text += ", nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + '.' +
          std::to_string(__CUDACC_VER_MINOR__) + '.' + std::to_string(__CUDACC_VER_BUILD__);
#endif
  return text;
}

std::string describe_kokkos() {
  return std::to_string(KOKKOS_VERSION_MAJOR) + '.' + std::to_string(KOKKOS_VERSION_MINOR) + '.' +
         std::to_string(KOKKOS_VERSION_PATCH);
}

}  // namespace copse
