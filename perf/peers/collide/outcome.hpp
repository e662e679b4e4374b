#pragma once
/// \file
/// What a method leaves after the last step.

#include <collide/contacts.hpp>

namespace copse::peers {

template <int D>
struct Outcome {
  collide::State<D, Kokkos::HostSpace> state;  ///< by id
  collide::ContactSums contacts;
  double energy = 0.0;
  double seconds = 0.0;
};

}  // namespace copse::peers
