#include "scan.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

#include <cstddef>
#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <stdexcept>
#include <string>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace copse::detail {
namespace {

/// Counts, and a zero behind them.
struct CountOrZero {
  const LocalIndex* counts;
  Count n;
  __device__ LocalIndex operator()(Count i) const { return i < n ? counts[i] : 0; }
};

}  // namespace

std::size_t vendor_scan(const Kokkos::Cuda& space, const LocalIndex* counts, LocalIndex* offsets,
                        Count n, void* scratch, std::size_t bytes) {
  const auto in =
      thrust::make_transform_iterator(thrust::counting_iterator<Count>(0), CountOrZero{counts, n});
  const cudaError_t error = cub::DeviceScan::ExclusiveSum(
      scratch, bytes, in, offsets, static_cast<std::int64_t>(n + 1), space.cuda_stream());
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("scanning on the device: ") + cudaGetErrorString(error));
  return bytes;
}

}  // namespace copse::detail

#endif
