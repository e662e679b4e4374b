#pragma once
/// \file
/// The reference of collide, moved once for all methods that are compared with it.

#include "collide/reference.hpp"
#include "collide/start.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace copse::collide::test {

/// A start that the reference moved by some steps.
template <int D>
struct Moved {
  std::vector<ContactSums> sums;  ///< of the contacts before every step
  State<D, Kokkos::HostSpace> end;
};

template <int D>
Moved<D> reference_of(const Request& request, const Start<D>& start, int steps) {
  const Physics<D> physics = request.physics(start.region);
  Moved<D> moved{{}, copy_state<Kokkos::HostSpace>(start.state)};
  Count met = 0;
  for (int step = 0; step < steps; ++step) {
    const auto contacts = find_reference_contacts(moved.end, physics);
    moved.sums.push_back(reference_sums(moved.end, physics, contacts));
    met += moved.sums.back().contacts;
    reference_step(moved.end, physics, contacts);
  }
  if (start.state.rows() >= 100) CHECK(met > 0);
  return moved;
}

}  // namespace copse::collide::test
