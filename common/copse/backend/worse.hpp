#pragma once
/// \file
/// The largest of several errors, where NaN is the worst.

#include <Kokkos_Core.hpp>

namespace copse {

/// The larger of two errors, for running maxima and for reductions by Kokkos::Max. A NaN error is
/// infinity: every comparison with NaN is false, so a maximum would lose it.
KOKKOS_FORCEINLINE_FUNCTION double worse(double most, double error) {
  if (Kokkos::isnan(error)) return Kokkos::Experimental::infinity_v<double>;
  return error > most ? error : most;
}

}  // namespace copse
