#pragma once
/// \file
/// What the labs share: arrays on a backend, and the measurement of a figure of merit.

#include <copse/backend/bandwidth.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace copse::labs {

template <class Space, class T>
using Array = Kokkos::View<T*, Kokkos::LayoutLeft, typename Space::memory_space>;

/// Seconds of the fastest of five runs. A first run warms up and is dropped.
template <class Body>
double fastest(const Body& body) {
  body();
  double seconds = std::numeric_limits<double>::max();
  for (int run = 0; run < 5; ++run) {
    const Kokkos::Timer timer;
    body();
    Kokkos::fence("copse::labs::fastest");
    seconds = std::min(seconds, timer.seconds());
  }
  return seconds;
}

/// Seconds of a copy pass: the backend reads and writes `n` numbers of four bytes.
template <class Space>
double copy_pass(const Space& space, Count n) {
  return static_cast<double>(8 * n) / measure_bandwidth(space, bandwidth_bytes<Space>()).copy;
}

/// Prints the figure of merit as the mini-apps do.
inline void report(const char* name, double value, const char* unit) {
  fmt::print("FOM {} {:.3g} {}\n", name, value, unit);
}

}  // namespace copse::labs
