#pragma once
/// \file
/// Shared code of the book's kernels and their measurements.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::book {

/// A host copy of a device View; on a host the View itself.
template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
}

/// The next state of Knuth's MMIX generator, whose upper bits are random.
constexpr std::uint64_t next_random(std::uint64_t state) {
  return state * 6364136223846793005U + 1442695040888963407U;
}

}  // namespace copse::book
