#pragma once
/// \file
/// Bodies that move: leapfrog steps of kick, drift and kick, and the quantities they conserve.
///
/// Positions and velocities are kept in double, in the order of the input. The tree gets positions
/// rounded to `Real` and is rebuilt in every step, with its box, from the state alone (a periodic
/// box stays, and positions are wrapped). Two runs with the same state therefore continue equally,
/// bit by bit, if the method sums in a fixed order.

#include "../methods.hpp"
#include "../request.hpp"

#include <array>
#include <memory>
#include <string>

namespace copse::gravity {

template <class MemorySpace>
using Vectors = Kokkos::View<double* [3], Kokkos::LayoutLeft, MemorySpace>;

template <class MemorySpace>
struct MotionState {
  Vectors<MemorySpace> position;  ///< [n][3]
  Vectors<MemorySpace> velocity;  ///< [n][3]
  Count step = 0;                 ///< steps since the input
  double time = 0.0;
  /// [n] |a| of the step before, G = 1, by which the relative criterion opens nodes for the fields
  /// of this state; empty for other criteria, and in a first state
  Column<MemorySpace> pulls{};
};

/// Sums over all bodies, G applied.
struct MotionSums {
  double kinetic = 0.0;
  double potential = 0.0;  ///< every pair once
  std::array<double, 3> momentum{};
  std::array<double, 3> angular_momentum{};  ///< about the origin
  double forces = 0.0;                       ///< sum of m |a|

  double energy() const { return kinetic + potential; }
};

/// The state that particles begin with; at rest if they have no velocities.
template <class ExecutionSpace>
MotionState<typename ExecutionSpace::memory_space> initial_state(
    const ExecutionSpace& space, const Particles<typename ExecutionSpace::memory_space>& particles);

template <class ExecutionSpace>
class Motion {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// Moves bodies with the masses and softening lengths of `particles`.
  Motion(const ExecutionSpace& space, const Request& request, const std::string& method,
         std::uint32_t bucket_size, const Particles<MemorySpace>& particles);

  /// Copies a state of as many bodies and computes its fields. With the relative criterion the
  /// fields of a first state are computed twice: with bmax, then with the accelerations of bmax.
  void start(const MotionState<MemorySpace>& state);
  /// One step of length dt: half a kick, a drift, new fields, half a kick. Regions
  /// copse::gravity::{drift,tree,moments,walk,kick}.
  /// \throws InputError if a position is no longer finite
  void step(double dt);

  const MotionState<MemorySpace>& state() const { return state_; }
  MotionSums sums() const;

 private:
  void compute_fields();

  ExecutionSpace space_;
  const Request& request_;
  std::uint32_t bucket_size_;
  std::unique_ptr<Method<ExecutionSpace>> method_;
  Particles<MemorySpace> particles_;  ///< what the tree is built from
  BodyTreeBuilder<ExecutionSpace> builder_;
  BodyTree<MemorySpace> bodies_;
  GravityFields<MemorySpace> fields_;  ///< in tree order
  MotionState<MemorySpace> state_;
  Vectors<MemorySpace> acceleration_;             ///< G applied
  Kokkos::View<double*, MemorySpace> potential_;  ///< G applied
};

}  // namespace copse::gravity
