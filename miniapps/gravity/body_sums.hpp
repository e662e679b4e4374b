#pragma once
/// \file
/// Sums over bodies that checks and reports need, of one rank or of a part of the bodies.

#include "body_tree.hpp"
#include <copse/backend/backends.hpp>
#include <copse/gravity/gravity_tree.hpp>

#include <Kokkos_Core.hpp>

#include <array>

namespace copse::gravity {

/// Adds m a along an axis, or m |a| if `axis` is 3.
template <class MemorySpace>
struct AddForces {
  Column<MemorySpace> masses;
  GravityFields<MemorySpace> fields;
  int axis;

  KOKKOS_FUNCTION void operator()(Count i, double& sum) const {
    double x[3];
    for (int a = 0; a < 3; ++a) x[a] = static_cast<double>(fields.acceleration(i, a));
    sum += static_cast<double>(masses(i)) *
           (axis < 3 ? x[axis] : Kokkos::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
  }
};

/// The sums of m a, and of m |a|, with G = 1. Four passes over the bodies.
template <class ExecutionSpace, class MemorySpace>
std::array<double, 4> force_sums(const ExecutionSpace& space, const Column<MemorySpace>& masses,
                                 const GravityFields<MemorySpace>& fields) {
  std::array<double, 4> sums{};
  for (int axis = 0; axis < 4; ++axis)
    Kokkos::parallel_reduce(
        "copse::gravity::net_force", CountRange<ExecutionSpace>(space, 0, masses.extent(0)),
        AddForces<MemorySpace>{masses, fields, axis}, sums[static_cast<std::size_t>(axis)]);
  return sums;
}

template <class MemorySpace>
struct AddMasses {
  Column<MemorySpace> masses;
  KOKKOS_FUNCTION void operator()(Count i, double& sum) const {
    sum += static_cast<double>(masses(i));
  }
};

template <class ExecutionSpace, class MemorySpace>
double total_mass(const ExecutionSpace& space, const Column<MemorySpace>& masses) {
  double total = 0.0;
  Kokkos::parallel_reduce("copse::gravity::total_mass",
                          CountRange<ExecutionSpace>(space, 0, masses.extent(0)),
                          AddMasses<MemorySpace>{masses}, total);
  return total;
}

/// The mass of all bodies that are not at the position of body i: only these act on it. The first
/// `roots` nodes are the roots of a forest, in the order of their bodies.
template <class MemorySpace>
struct MassElsewhere {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  Kokkos::View<const Monopole*, MemorySpace> bodies;
  Count roots;
  double total;

  KOKKOS_FUNCTION double operator()(Count i) const {
    Count root = 0, last = roots - 1;
    while (root < last) {
      const Count middle = (root + last) / 2;
      if (nodes(middle).end <= i)
        root = middle + 1;
      else
        last = middle;
    }
    OctreeNode leaf = nodes(root);
    while (!leaf.is_leaf()) leaf = nodes(child_with(nodes, leaf, i));
    double here = 0.0;
    for (Count row = leaf.begin; row < leaf.end; ++row) {
      const ToMass<OneLane> d(bodies(i).centre, bodies(row));
      if (!d.is_apart()) here += static_cast<double>(d.mass);
    }
    return total - here;
  }
};

}  // namespace copse::gravity
