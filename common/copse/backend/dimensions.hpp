#pragma once
/// \file
/// The dimensions of points for which this build has trees (the CMake list COPSE_DIMENSIONS), and
/// the dispatch from a number given at run time to code compiled for it.
///
/// Invariant: the dimensions are distinct and between 1 and 8.

#include <copse/backend/backends.hpp>
#include <copse/config.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace copse {

/// Every dimension of this build, in the order of COPSE_DIMENSIONS.
using Dimensions = std::integer_sequence<int, COPSE_DIMENSIONS>;

/// Calls `f(std::integral_constant<int, Dim>{})` once for each dimension of this build.
template <class F>
void for_each_dimension(F&& f) {
  [&]<int... Dims>(std::integer_sequence<int, Dims...>) {
    (f(std::integral_constant<int, Dims>{}), ...);
  }
  (Dimensions{});
}

/// Calls `f(std::integral_constant<int, Dim>{})` for the Dim that equals `dimension`.
/// \throws InputError if this build has no trees of that dimension; the message lists those it has.
template <class F>
void dispatch_dimension(int dimension, F&& f) {
  bool found = false;
  std::string known;
  for_each_dimension([&](auto dim) {
    if (!known.empty()) known += ", ";
    known += std::to_string(dim());
    if (dim() != dimension) return;
    found = true;
    f(dim);
  });
  if (!found)
    throw InputError("no trees in " + std::to_string(dimension) + " dimensions: this build has " +
                     known + " (CMake variable COPSE_DIMENSIONS)");
}

}  // namespace copse

/// Expands `MACRO(Dim)` for every dimension of this build.
#define COPSE_FOR_EACH_DIMENSION(MACRO) COPSE_DETAIL_DIMENSIONS(MACRO)

#if defined(KOKKOS_ENABLE_SERIAL)
#define COPSE_DETAIL_SERIAL_DIMENSIONS(MACRO) COPSE_DETAIL_DIMENSIONS_OF(MACRO, Kokkos::Serial)
#else
#define COPSE_DETAIL_SERIAL_DIMENSIONS(MACRO)
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
#define COPSE_DETAIL_OPENMP_DIMENSIONS(MACRO) COPSE_DETAIL_DIMENSIONS_OF(MACRO, Kokkos::OpenMP)
#else
#define COPSE_DETAIL_OPENMP_DIMENSIONS(MACRO)
#endif
#if defined(KOKKOS_ENABLE_CUDA)
#define COPSE_DETAIL_CUDA_DIMENSIONS(MACRO) COPSE_DETAIL_DIMENSIONS_OF(MACRO, Kokkos::Cuda)
#else
#define COPSE_DETAIL_CUDA_DIMENSIONS(MACRO)
#endif

/// Expands `MACRO(ExecutionSpace, Dim)` for every enabled backend and dimension; .cpp files use it
/// to instantiate their templates over points explicitly.
#define COPSE_FOR_EACH_BACKEND_AND_DIMENSION(MACRO) \
  COPSE_DETAIL_SERIAL_DIMENSIONS(MACRO)             \
  COPSE_DETAIL_OPENMP_DIMENSIONS(MACRO) COPSE_DETAIL_CUDA_DIMENSIONS(MACRO)
