#pragma once
/// \file
/// The kernels of leapfrog steps, for bodies of one rank or a part of them.

#include "leapfrog.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <array>
#include <string>

namespace copse::gravity {

template <class View>
struct Advance {
  View to, rate;
  double factor;
  KOKKOS_FUNCTION void operator()(Count i) const {
    for (int a = 0; a < 3; ++a) to(i, a) += factor * rate(i, a);
  }
};

/// to += factor * rate
template <class ExecutionSpace, class View>
void advance(const std::string& label, const ExecutionSpace& space, const View& to,
             const View& rate, double factor) {
  Kokkos::parallel_for(label, CountRange<ExecutionSpace>(space, 0, to.extent(0)),
                       Advance<View>{to, rate, factor});
}

/// The first part of a step: half a kick and a drift.
template <class ExecutionSpace, class View>
void kick_and_drift(const ExecutionSpace& space, const View& position, const View& velocity,
                    const View& acceleration, double dt) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::drift");
  advance("copse::gravity::kick", space, velocity, acceleration, 0.5 * dt);
  advance("copse::gravity::drift", space, position, velocity, dt);
}

/// The last part of a step.
template <class ExecutionSpace, class View>
void half_kick(const ExecutionSpace& space, const View& velocity, const View& acceleration,
               double dt) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::kick");
  advance("copse::gravity::kick", space, velocity, acceleration, 0.5 * dt);
}

template <class From, class To>
struct Convert {
  From from;
  To to;
  KOKKOS_FUNCTION void operator()(Count i) const {
    using Number = typename To::non_const_value_type;
    for (int a = 0; a < 3; ++a) to(i, a) = static_cast<Number>(from(i, a));
  }
};

template <class ExecutionSpace, class From, class To>
void convert(const std::string& label, const ExecutionSpace& space, const From& from,
             const To& to) {
  Kokkos::parallel_for(label, CountRange<ExecutionSpace>(space, 0, to.extent(0)),
                       Convert<From, To>{from, to});
}

template <class View>
struct CountInfinite {
  View position;
  KOKKOS_FUNCTION void operator()(Count i, Count& sum) const {
    for (int a = 0; a < 3; ++a) sum += !Kokkos::isfinite(static_cast<Real>(position(i, a)));
  }
};

/// Coordinates that are infinite or NaN when they are rounded.
template <class ExecutionSpace, class View>
Count count_infinite(const ExecutionSpace& space, const View& position) {
  Count count = 0;
  Kokkos::parallel_reduce("copse::gravity::count_infinite",
                          CountRange<ExecutionSpace>(space, 0, position.extent(0)),
                          CountInfinite<View>{position}, count);
  return count;
}

template <class MemorySpace>
struct ToInputOrder {
  decltype(BodyTree<MemorySpace>::order) order;
  GravityFields<MemorySpace> fields;
  double g;
  Vectors<MemorySpace> acceleration;
  Kokkos::View<double*, MemorySpace> potential;
  KOKKOS_FUNCTION void operator()(Count i) const {
    const LocalIndex row = order(i);
    for (int axis = 0; axis < 3; ++axis)
      acceleration(row, axis) = g * static_cast<double>(fields.acceleration(i, axis));
    potential(row) = g * static_cast<double>(fields.potential(i));
  }
};

template <class ExecutionSpace, class MemorySpace>
void to_input_order(const ExecutionSpace& space, const BodyTree<MemorySpace>& bodies,
                    const GravityFields<MemorySpace>& fields, double g,
                    const Vectors<MemorySpace>& acceleration,
                    const Kokkos::View<double*, MemorySpace>& potential) {
  Kokkos::parallel_for("copse::gravity::accelerate",
                       CountRange<ExecutionSpace>(space, 0, bodies.order.extent(0)),
                       ToInputOrder<MemorySpace>{bodies.order, fields, g, acceleration, potential});
}

/// Kinetic and twice the potential energy, momentum, angular momentum, m |a|.
template <class MemorySpace>
struct AddSums {
  struct Values {
    double entries[9];
  };
  using value_type = Values;
  Column<MemorySpace> mass;
  Vectors<MemorySpace> position, velocity, acceleration;
  Kokkos::View<double*, MemorySpace> potential;

  KOKKOS_FUNCTION void init(Values& sums) const {
    for (double& entry : sums.entries) entry = 0.0;
  }
  KOKKOS_FUNCTION void join(Values& to, const Values& from) const {
    for (int k = 0; k < 9; ++k) to.entries[k] += from.entries[k];
  }
  KOKKOS_FUNCTION void operator()(Count i, Values& sums) const {
    const double m = static_cast<double>(mass(i));
    double v2 = 0.0, a2 = 0.0;
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      v2 += velocity(i, a) * velocity(i, a);
      a2 += acceleration(i, a) * acceleration(i, a);
      sums.entries[2 + a] += m * velocity(i, a);
      sums.entries[5 + a] +=
          m * (position(i, b) * velocity(i, c) - position(i, c) * velocity(i, b));
    }
    sums.entries[0] += 0.5 * m * v2;
    sums.entries[1] += 0.5 * m * potential(i);
    sums.entries[8] += m * Kokkos::sqrt(a2);
  }
};

/// The nine sums of AddSums over all its bodies.
template <class ExecutionSpace>
std::array<double, 9> sums_of_motion(const ExecutionSpace& space,
                                     const AddSums<typename ExecutionSpace::memory_space>& add) {
  typename AddSums<typename ExecutionSpace::memory_space>::Values sums;
  Kokkos::parallel_reduce("copse::gravity::sums",
                          CountRange<ExecutionSpace>(space, 0, add.mass.extent(0)), add, sums);
  space.fence("copse::gravity::sums");
  std::array<double, 9> all;
  for (std::size_t k = 0; k < 9; ++k) all[k] = sums.entries[k];
  return all;
}

inline MotionSums named_sums(const std::array<double, 9>& s) {
  return {s[0], s[1], {s[2], s[3], s[4]}, {s[5], s[6], s[7]}, s[8]};
}

}  // namespace copse::gravity
