#pragma once
/// \file
/// Persistent kernels: one launch for many passes that depend on each other. All threads of the
/// kernel run at the same time and can wait for each other between passes.
///
/// On CUDA the launch is cooperative, with at most as many blocks as fit on the device; on OpenMP
/// it is a parallel region; on Serial it has one thread.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#if defined(KOKKOS_ENABLE_CUDA)
#include <cooperative_groups.h>
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

namespace copse {

namespace detail {
#if defined(KOKKOS_ENABLE_OPENMP)
inline void wait_for_openmp_threads() {
#pragma omp barrier
}
#endif
}  // namespace detail

/// One thread of a persistent kernel.
template <class ExecutionSpace>
struct PersistentThread {
  std::uint32_t rank = 0;
  std::uint32_t threads = 1;

  /// A barrier of all threads of the kernel, each of which must call it. Writes of any thread
  /// before it are visible to all threads after it.
  KOKKOS_FORCEINLINE_FUNCTION void wait_for_all() const {
    KOKKOS_IF_ON_DEVICE((cooperative_groups::this_grid().sync();))
#if defined(KOKKOS_ENABLE_OPENMP)
    KOKKOS_IF_ON_HOST((if constexpr (std::is_same_v<ExecutionSpace, Kokkos::OpenMP>)
                           detail::wait_for_openmp_threads();))
#endif
  }

  /// Calls f(i) for this thread's share of 0 <= i < n; every i belongs to one thread.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Count n, const F& f) const {
    KOKKOS_IF_ON_DEVICE((for (Count i = rank; i < n; i += threads) f(static_cast<LocalIndex>(i));))
    KOKKOS_IF_ON_HOST((const Count end = n * (rank + Count{1}) / threads;
                       for (Count i = n * rank / threads; i < end; ++i)
                           f(static_cast<LocalIndex>(i));))
  }
};

namespace detail {

/// Serial: one thread.
template <class ExecutionSpace, class Functor>
void launch_persistent(const ExecutionSpace&, Count, const Functor& functor) {
  functor(PersistentThread<ExecutionSpace>{});
}

#if defined(KOKKOS_ENABLE_OPENMP)
template <class Functor>
void launch_persistent(const Kokkos::OpenMP& space, Count items, const Functor& functor) {
  const auto threads =
      static_cast<int>(std::clamp<Count>(items, 1, static_cast<Count>(space.concurrency())));
#pragma omp parallel num_threads(threads)
  functor(PersistentThread<Kokkos::OpenMP>{static_cast<std::uint32_t>(omp_get_thread_num()),
                                           static_cast<std::uint32_t>(omp_get_num_threads())});
}
#endif

#if defined(KOKKOS_ENABLE_CUDA)
/// Threads of a block, and blocks that fit on a multiprocessor.
inline constexpr int persistent_block = 128, persistent_blocks = 6;

template <class Functor>
__global__ __launch_bounds__(persistent_block, persistent_blocks) void persistent_kernel(
    const __grid_constant__ Functor functor) {
  functor(PersistentThread<Kokkos::Cuda>{blockIdx.x * blockDim.x + threadIdx.x,
                                         gridDim.x * blockDim.x});
}

/// \throws std::runtime_error if the device reports an error
template <class Functor>
void launch_persistent(const Kokkos::Cuda& space, Count items, const Functor& functor) {
  const auto kernel = persistent_kernel<Functor>;
  const auto check = [](cudaError_t error) {
    if (error != cudaSuccess)
      throw std::runtime_error(std::string("launching a persistent kernel: ") +
                               cudaGetErrorString(error));
  };
  int fitting = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, kernel, persistent_block, 0));
  const auto most = static_cast<Count>(fitting * space.cuda_device_prop().multiProcessorCount);
  const Count blocks =
      std::clamp<Count>((items + persistent_block - 1) / persistent_block, 1, most);
  void* arguments[] = {const_cast<Functor*>(&functor)};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                    dim3(static_cast<unsigned>(blocks)), dim3(persistent_block),
                                    arguments, 0, space.cuda_stream()));
}
#endif

}  // namespace detail

/// Calls functor(thread) on every thread of a persistent kernel, which has at most `items` threads,
/// on CUDA rounded up to whole blocks. Asynchronous on CUDA.
/// \throws std::runtime_error if the device reports an error
template <class ExecutionSpace, class Functor>
void run_persistent(const std::string& label, const ExecutionSpace& space, Count items,
                    const Functor& functor) {
  std::uint64_t id = 0;  // profilers see it as a Kokkos::parallel_for
  Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(space), &id);
  detail::launch_persistent(space, items, functor);
  Kokkos::Tools::endParallelFor(id);
}

}  // namespace copse
