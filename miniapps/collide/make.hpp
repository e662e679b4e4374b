#pragma once
/// \file
/// What the files of methods/ share: their factories, and the kernels of a method that enumerates
/// candidates.

#include "methods.hpp"
#include <copse/backend/backends.hpp>
#include <copse/grid/cell_list.hpp>

#include <algorithm>
#include <utility>

namespace copse::collide {

template <int D, class ExecutionSpace>
using MethodPointer = std::unique_ptr<Method<D, ExecutionSpace>>;

#define COPSE_DECLARE_METHOD(name)                                                       \
  template <int D, class ExecutionSpace>                                                 \
  MethodPointer<D, ExecutionSpace> make_##name(const ExecutionSpace&, const Physics<D>&, \
                                               const Request&);
COPSE_DECLARE_METHOD(brute_force)
COPSE_DECLARE_METHOD(cells)
COPSE_DECLARE_METHOD(cells_persistent)
COPSE_DECLARE_METHOD(cells_tiled)
COPSE_DECLARE_METHOD(microblocks)
COPSE_DECLARE_METHOD(microblocks_locked)
COPSE_DECLARE_METHOD(microblocks_slots)
COPSE_DECLARE_METHOD(strips)
COPSE_DECLARE_METHOD(verlet)
COPSE_DECLARE_METHOD(sweep_and_prune)
COPSE_DECLARE_METHOD(sweep_regions)
COPSE_DECLARE_METHOD(sweep_device)
#undef COPSE_DECLARE_METHOD

/// Instantiates a factory for two and three dimensions on one execution space.
#define COPSE_INSTANTIATE_METHOD(name, Space)                                                    \
  template MethodPointer<2, Space> make_##name(const Space&, const Physics<2>&, const Request&); \
  template MethodPointer<3, Space> make_##name(const Space&, const Physics<3>&, const Request&);

template <class ExecutionSpace>
using Rows = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<LocalIndex>>;

/// A few cells per particle at most, so that a thin gas does not fill the memory.
inline Count most_cells(Count rows) {
  return std::min(8 * rows + 64, most_sorted_cells);
}

/// Cells of at least `side` for `rows` rows in a part of a region.
template <int D>
CellGrid<D, double> cells_over(const Part<D>& part, const Region<D>& region, double side,
                               Count rows) {
  return CellGrid<D, double>::cover(part.lower, part.upper, side, region.periodic,
                                    most_cells(rows));
}

/// What a search relies on while rows stay where they were sorted or listed.
struct SearchLimits {
  std::uint32_t near = 1;  ///< cells that a search goes beyond its own
  double allowance = 0.0;  ///< how far particles may move until the next sort
};

/// Rows of another state in a new order.
template <int D, class MemorySpace>
struct GatherRows {
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> rows;
  State<D, MemorySpace> from, to;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const { copy(rows(i), i); }

  KOKKOS_FORCEINLINE_FUNCTION void copy(LocalIndex row, LocalIndex i) const {
    for (int a = 0; a < D; ++a) {
      to.position(i, a) = from.position(row, a);
      to.velocity(i, a) = from.velocity(row, a);
    }
    to.tag(i) = from.tag(row);
    if (to.size.extent(0) > 0) to.size(i) = from.size(row);
  }
};

/// Accelerations of all particles. `Candidates` is a functor: candidates(i, f) calls f(j) once for
/// every possible contact j of particle i.
template <int D, class MemorySpace, class Candidates>
struct Accelerate {
  Pairs<D, MemorySpace> pairs;
  Candidates candidates;
  Vectors<D, MemorySpace> acceleration;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    Vector<D> a{};
    if (!is_ghost(pairs.particles.tag(i)))
      a = pairs.acceleration(i, [&](const auto& f) { candidates(i, f); });
    for (int axis = 0; axis < D; ++axis) acceleration(i, axis) = a[axis];
  }
};

/// Moves all particles by accelerations that are known.
template <int D, class MemorySpace>
struct Move {
  Pairs<D, MemorySpace> pairs;
  Vectors<D, MemorySpace> acceleration;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    if (is_ghost(pairs.particles.tag(i))) return;
    Vector<D> a, x = pairs.position(i), v;
    for (int axis = 0; axis < D; ++axis) {
      a[axis] = acceleration(i, axis);
      v[axis] = pairs.particles.velocity(i, axis);
    }
    pairs.move(a, x, v);
    for (int axis = 0; axis < D; ++axis) {
      pairs.particles.position(i, axis) = x[axis];
      pairs.particles.velocity(i, axis) = v[axis];
    }
  }
};

template <int D, class MemorySpace>
struct Kick {
  State<D, MemorySpace> particles;
  Vectors<D, MemorySpace> acceleration;
  double time;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    for (int axis = 0; axis < D; ++axis)
      particles.velocity(i, axis) += time * acceleration(i, axis);
  }
};

/// Reduces the contacts of all particles.
template <int D, class MemorySpace, class Candidates>
struct MeasureContacts {
  using value_type = ContactSums;

  Pairs<D, MemorySpace> pairs;
  Candidates candidates;

  KOKKOS_FUNCTION void operator()(LocalIndex i, ContactSums& sums) const {
    if (!is_ghost(pairs.particles.tag(i)))
      pairs.measure(
          i, [&](const auto& f) { candidates(i, f); }, sums);
  }
  KOKKOS_FUNCTION void join(ContactSums& into, const ContactSums& other) const { into.add(other); }
  KOKKOS_FUNCTION void init(ContactSums& sums) const { sums = ContactSums{}; }
};

/// A method that finds candidates anew in every step, in passes over its rows: accelerations, then
/// moves. Derived classes order the rows as they like, and may replace `accelerate`.
template <int D, class ExecutionSpace, class Derived>
class SearchMethod : public Method<D, ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  SearchMethod(const ExecutionSpace& space, const Physics<D>& physics)
      : space_(space), physics_(physics) {}

  void load(const State<D, MemorySpace>& state) override {
    state_ = copy_state<MemorySpace>(state);
    acceleration_ = Vectors<D, MemorySpace>(
        Kokkos::view_alloc("copse::collide::acceleration", Kokkos::WithoutInitializing),
        state.rows());
  }

  void advance(Count steps) override {
    for (Count s = 0; s < steps; ++s) {
      static_cast<Derived&>(*this).accelerate();
      Kokkos::parallel_for("copse::collide::move", rows(),
                           Move<D, MemorySpace>{pairs(), acceleration_});
    }
    space_.fence("copse::collide::advance");
  }

  void kick(double time) override {
    static_cast<Derived&>(*this).accelerate();
    Kokkos::parallel_for("copse::collide::kick", rows(),
                         Kick<D, MemorySpace>{state_, acceleration_, time});
    space_.fence("copse::collide::kick");
  }

  State<D, MemorySpace> state() override { return state_; }

  ContactSums contacts() override {
    const auto candidates = static_cast<Derived&>(*this).search();
    ContactSums sums;
    Kokkos::parallel_reduce(
        "copse::collide::contacts", rows(),
        MeasureContacts<D, MemorySpace, decltype(candidates)>{pairs(), candidates}, sums);
    return sums;
  }

 protected:
  Pairs<D, MemorySpace> pairs() const { return {state_, physics_}; }
  Rows<ExecutionSpace> rows() const { return {space_, 0, static_cast<LocalIndex>(state_.rows())}; }

  void accelerate() {
    const auto candidates = static_cast<Derived&>(*this).search();
    Kokkos::parallel_for(
        "copse::collide::forces", rows(),
        Accelerate<D, MemorySpace, decltype(candidates)>{pairs(), candidates, acceleration_});
  }

  ExecutionSpace space_;
  Physics<D> physics_;
  State<D, MemorySpace> state_;
  Vectors<D, MemorySpace> acceleration_;
};

}  // namespace copse::collide
