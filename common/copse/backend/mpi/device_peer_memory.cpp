#include <copse/backend/mpi/peer_memory.hpp>

#include <Kokkos_Macros.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>
#include <vector>
#endif

namespace copse {

#if defined(KOKKOS_ENABLE_CUDA)
namespace {

void check_cuda(cudaError_t code, const char* operation) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(std::string(operation) + " failed: " + cudaGetErrorString(code));
}

/// Did the call succeed? Clears the error of an expected failure, so that later calls do not report
/// it.
bool worked(cudaError_t code) {
  if (code != cudaSuccess) cudaGetLastError();
  return code == cudaSuccess;
}

/// CUDA's legacy inter-process memory: whole cudaMalloc allocations, mapped over NVLink, PCIe or
/// within the same device. A handle refers to the allocation's base, while a View begins somewhere
/// inside it (Kokkos puts a header before the elements).
class CudaPeerMemory : public PeerMemory {
 public:
  CudaPeerMemory() {
    for (cudaStream_t& lane : lanes_)
      check_cuda(cudaStreamCreateWithFlags(&lane, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~CudaPeerMemory() override {
    for (cudaStream_t lane : lanes_) cudaStreamDestroy(lane);
  }
  CudaPeerMemory(const CudaPeerMemory&) = delete;
  CudaPeerMemory& operator=(const CudaPeerMemory&) = delete;

  std::optional<Allocation> allocation_of(const void* pointer) override {
    // Freed memory is asked about, too. This call has no error for it, unlike the next two.
    cudaPointerAttributes attributes;
    if (!worked(cudaPointerGetAttributes(&attributes, pointer)) ||
        attributes.type != cudaMemoryTypeDevice)
      return {};
    const auto address = reinterpret_cast<CUdeviceptr>(pointer);
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    unsigned long long identity = 0;
    if (cuMemGetAddressRange(&base, &bytes, address) != CUDA_SUCCESS) return {};
    if (cuPointerGetAttribute(&identity, CU_POINTER_ATTRIBUTE_BUFFER_ID, base) != CUDA_SUCCESS)
      return {};
    return Allocation{reinterpret_cast<std::byte*>(base), identity};
  }

  std::optional<Handle> handle_of(const Allocation& allocation) override {
    cudaIpcMemHandle_t native;
    static_assert(sizeof(native) == sizeof(Handle));
    if (!worked(cudaIpcGetMemHandle(&native, allocation.base))) return {};
    Handle handle;
    std::memcpy(handle.data(), &native, sizeof(native));
    return handle;
  }

  std::byte* open(const Handle& handle) override {
    cudaIpcMemHandle_t native;
    std::memcpy(&native, handle.data(), sizeof(native));
    void* mapped = nullptr;
    if (!worked(cudaIpcOpenMemHandle(&mapped, native, cudaIpcMemLazyEnablePeerAccess)))
      return nullptr;
    return static_cast<std::byte*>(mapped);
  }

  void close(std::byte* mapped) override { worked(cudaIpcCloseMemHandle(mapped)); }

  void copy(void* to, const void* from, std::size_t bytes, int lane) override {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault,
                               lanes_[static_cast<std::size_t>(lane) % lanes_.size()]),
               "a copy between devices");
  }

  void wait() override {
    for (cudaStream_t lane : lanes_)
      check_cuda(cudaStreamSynchronize(lane), "a copy between devices");
  }

  std::byte* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    if (!worked(cudaMalloc(&memory, bytes))) return nullptr;
    return static_cast<std::byte*>(memory);
  }

  void release(std::byte* memory) override { worked(cudaFree(memory)); }

 private:
  /// At least as many as a device has copy engines.
  std::vector<cudaStream_t> lanes_ = std::vector<cudaStream_t>(8);
};

}  // namespace

std::unique_ptr<PeerMemory> device_peer_memory() {
  return std::make_unique<CudaPeerMemory>();
}
#else
std::unique_ptr<PeerMemory> device_peer_memory() {
  return nullptr;
}
#endif

}  // namespace copse
