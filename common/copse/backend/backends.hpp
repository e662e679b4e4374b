#pragma once
/// \file
/// The execution spaces of this build, their names, and the dispatch from a name given at run time
/// to code compiled for that space.
///
/// A build has Serial, OpenMP or both, and a CUDA build has them too, so one run can compare CPU
/// and GPU. Only this folder tests which backends exist; all other code is templated on the
/// execution space and instantiated with the macros at the end of this file.
#include <copse/backend/error.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

template <class... Ts>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Ts);
};

/// Every enabled execution space, slowest first.
using Backends = TypeList<
#if defined(KOKKOS_ENABLE_SERIAL)
    Kokkos::Serial
#endif
#if defined(KOKKOS_ENABLE_SERIAL) && defined(KOKKOS_ENABLE_OPENMP)
    ,
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::OpenMP
#endif
#if defined(KOKKOS_ENABLE_CUDA)
    ,
    Kokkos::Cuda
#endif
    >;

/// "serial", "openmp" or "cuda": the name on the command line and in reports.
template <class ExecutionSpace>
constexpr std::string_view backend_name() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::OpenMP>) return "openmp";
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) return "cuda";
#endif
  return "serial";
}

/// True if host code can dereference the space's memory; kernels then process a tile with one
/// thread instead of a team.
template <class ExecutionSpace>
inline constexpr bool runs_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                               typename ExecutionSpace::memory_space>::accessible;

/// The range of a kernel whose index is a Count: on CUDA the default index has 32 bits, too few for
/// 2^32 particles.
template <class ExecutionSpace>
using CountRange = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;

/// Whether host kernels of this build are as fast as in a build without CUDA. They have the same
/// vectors (lane_vector.hpp), but nvcc calls the host code of a KOKKOS_LAMBDA through a pointer:
/// 2.4 ns per element instead of 0.6 ns (nvcc 13.0, one loop of additions).
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool host_kernels_are_fastest = false;
#else
inline constexpr bool host_kernels_are_fastest = true;
#endif

/// Printed below the speeds of several backends if host kernels are not the fastest.
inline constexpr const char* slower_host_kernels_note =
    "serial and openmp are not at their best: nvcc calls host code of lambdas through a pointer; "
    "measure hosts with a build without CUDA";

/// Calls `f(space)` once per enabled backend, with a default-constructed execution space.
template <class F>
void for_each_backend(F&& f) {
  [&]<class... Spaces>(TypeList<Spaces...>) { (f(Spaces{}), ...); }(Backends{});
}

/// Names of the enabled backends. Constructs no execution space, so Kokkos need not be initialized.
inline std::vector<std::string> backend_names() {
  return []<class... Spaces>(TypeList<Spaces...>) {
    return std::vector<std::string>{std::string(backend_name<Spaces>())...};
  }(Backends{});
}

inline std::string default_backend_name() {
  return std::string(backend_name<Kokkos::DefaultExecutionSpace>());
}

/// Calls `f(space)` for the backend called `name`.
/// \throws InputError if this build has no such backend; the message lists those it has.
template <class F>
void dispatch_backend(std::string_view name, F&& f) {
  const auto call_if_named = [&]<class Space>(TypeList<Space>) {
    if (backend_name<Space>() != name) return false;
    f(Space{});
    return true;
  };
  const bool found = [&]<class... Spaces>(TypeList<Spaces...>) {
    return (call_if_named(TypeList<Spaces>{}) || ...);
  }(Backends{});
  if (found) return;
  std::string known;
  for (const auto& n : backend_names()) known += (known.empty() ? "" : ", ") + n;
  throw InputError("unknown backend '" + std::string(name) + "': this build has " + known);
}

}  // namespace copse

#if defined(KOKKOS_ENABLE_SERIAL)
#define COPSE_DETAIL_SERIAL(MACRO) MACRO(Kokkos::Serial)
#else
#define COPSE_DETAIL_SERIAL(MACRO)
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
#define COPSE_DETAIL_OPENMP(MACRO) MACRO(Kokkos::OpenMP)
#else
#define COPSE_DETAIL_OPENMP(MACRO)
#endif
#if defined(KOKKOS_ENABLE_CUDA)
#define COPSE_DETAIL_CUDA(MACRO) MACRO(Kokkos::Cuda)
#define COPSE_DETAIL_CUDA_SPACE(MACRO) MACRO(Kokkos::CudaSpace)
#else
#define COPSE_DETAIL_CUDA(MACRO)
#define COPSE_DETAIL_CUDA_SPACE(MACRO)
#endif

/// Expands `MACRO(ExecutionSpace)` for every enabled backend; .cpp files use it to instantiate
/// their templates explicitly.
#define COPSE_FOR_EACH_BACKEND(MACRO) \
  COPSE_DETAIL_SERIAL(MACRO) COPSE_DETAIL_OPENMP(MACRO) COPSE_DETAIL_CUDA(MACRO)

/// Expands `MACRO(MemorySpace)` once per distinct memory space (Serial and OpenMP share one).
#define COPSE_FOR_EACH_MEMORY_SPACE(MACRO) MACRO(Kokkos::HostSpace) COPSE_DETAIL_CUDA_SPACE(MACRO)
