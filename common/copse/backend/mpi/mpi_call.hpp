#pragma once
/// \file
/// Shared parts of all MPI calls: datatype and operation of C++ arguments, and the check of the
/// return value.

#include <mpi.h>

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace copse {

/// An MPI call failed. The state of MPI is then undefined and other ranks may be waiting for this
/// one, so the top-level handler reports the error and calls MPI_Abort.
class MpiError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws MpiError naming `operation` with the library's own text unless `code` is MPI_SUCCESS.
inline void check_mpi(int code, const char* operation) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw MpiError(std::string(operation) + " failed: " + std::string(text, length));
}

enum class Reduction { sum, min, max };

inline MPI_Op mpi_operation(Reduction reduction) {
  switch (reduction) {
    case Reduction::min:
      return MPI_MIN;
    case Reduction::max:
      return MPI_MAX;
    case Reduction::sum:
      break;
  }
  return MPI_SUM;
}

/// The arithmetic types that MPI can add and compare. `bool` is not one: reduce an integer.
template <class T>
concept Reducible = std::floating_point<T> ||(std::integral<T> && !std::same_as<T, bool>);

template <Reducible T>
MPI_Datatype mpi_datatype() {
  if constexpr (std::same_as<T, float>) return MPI_FLOAT;
  if constexpr (std::same_as<T, double>) return MPI_DOUBLE;
  if constexpr (std::same_as<T, long double>) return MPI_LONG_DOUBLE;
  if constexpr (std::unsigned_integral<T>) {
    if constexpr (sizeof(T) == 1) return MPI_UINT8_T;
    if constexpr (sizeof(T) == 2) return MPI_UINT16_T;
    if constexpr (sizeof(T) == 4) return MPI_UINT32_T;
    return MPI_UINT64_T;
  } else {
    if constexpr (sizeof(T) == 1) return MPI_INT8_T;
    if constexpr (sizeof(T) == 2) return MPI_INT16_T;
    if constexpr (sizeof(T) == 4) return MPI_INT32_T;
    return MPI_INT64_T;
  }
}

}  // namespace copse
