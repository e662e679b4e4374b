#pragma once
/// \file
/// Methods whose rows are stored in the order of cells of a grid, and sorted anew only when a
/// particle has moved by the skin.
///
/// A particle looks for candidates around the cell it is in now; its candidates are in the cells
/// where they were at the last sort. So the search is complete as long as no coordinate has changed
/// by more than the skin since; half the skin, if a particle looks around its own cell of then.
/// Steps add up a bound of that change, the largest speed along an axis times dt, on the device:
/// the host launches a batch of steps, and those that would exceed the skin do nothing. It reads
/// once per batch how many were made.
///
/// Least traffic of a step, without the sort: positions and velocities read and written once, tags
/// read: 16 D + 4 bytes read and 16 D written per particle.

#include "../make.hpp"
#include <copse/grid/cell_list.hpp>

#include <algorithm>
#include <cmath>

namespace copse::collide {

/// The candidates of particles that are stored in the order of cells.
template <int D, class MemorySpace>
struct NearRows {
  CellGrid<D, double> grid;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> offsets;  ///< [cells + 1]
  Vectors<D, MemorySpace> position;
  std::uint32_t reach;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(LocalIndex i, const F& f) const {
    Vector<D> x;
    for (int a = 0; a < D; ++a) x[a] = position(i, a);
    grid.for_each_near_range(grid.coordinates(x), reach, [&](Count first, Count last) {
      const LocalIndex end = offsets(last + 1);
      for (LocalIndex j = offsets(first); j < end; ++j) f(j);
    });
  }
};

/// How far steps of a batch have moved particles.
template <class MemorySpace>
struct Paces {
  static constexpr Count most_steps = 32;  ///< of a batch

  Kokkos::View<double*, MemorySpace> moved;  ///< [most_steps] largest |v_a| dt of each step
  Kokkos::View<int*, MemorySpace> made;      ///< [most_steps] 1 if the step was made

  /// May step s of the batch be made, if particles had moved by `before` ahead of the batch?
  KOKKOS_FORCEINLINE_FUNCTION bool allowed(int s, double before, double allowance) const {
    double sum = before;
    for (int k = 0; k < s; ++k) sum += moved(k);
    return s == 0 || sum <= allowance;
  }
  KOKKOS_FORCEINLINE_FUNCTION void record(int s, double here) const {
    // Most particles are slower than the first entry, which a fast one left: few atomics.
    if (here > moved(s)) Kokkos::atomic_max(&moved(s), here);
  }
};

/// Forces, kick, drift and fold of one step, from one set of arrays to another.
template <int D, class MemorySpace>
struct StepInCells {
  Pairs<D, MemorySpace> pairs;
  NearRows<D, MemorySpace> near;
  Vectors<D, MemorySpace> next_position;
  Vectors<D, MemorySpace> next_velocity;
  Paces<MemorySpace> paces;
  int step;
  double before;
  double allowance;

  /// False if the step must wait for the next sort; the same for all particles.
  KOKKOS_FORCEINLINE_FUNCTION bool allowed() const {
    return paces.allowed(step, before, allowance);
  }

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    if (!allowed()) return;
    Vector<D> acceleration{};
    if (!is_ghost(pairs.particles.tag(i)))
      acceleration = pairs.acceleration(i, [&](const auto& f) { near(i, f); });
    finish(i, acceleration);
  }

  /// Moves particle i by its acceleration.
  KOKKOS_FORCEINLINE_FUNCTION void finish(LocalIndex i, const Vector<D>& acceleration) const {
    if (i == 0) paces.made(step) = 1;
    Vector<D> x = pairs.position(i), v;
    for (int a = 0; a < D; ++a) v[a] = pairs.particles.velocity(i, a);
    if (!is_ghost(pairs.particles.tag(i))) {
      pairs.move(acceleration, x, v);
      double fastest = 0.0;
      for (int a = 0; a < D; ++a) fastest = Kokkos::fmax(fastest, Kokkos::abs(v[a]));
      paces.record(step, fastest * pairs.physics.dt);
    }
    for (int a = 0; a < D; ++a) {
      next_position(i, a) = x[a];
      next_velocity(i, a) = v[a];
    }
  }
};

template <int D, class MemorySpace>
struct GatherRows {
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> rows;
  State<D, MemorySpace> from, to;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    const LocalIndex row = rows(i);
    for (int a = 0; a < D; ++a) {
      to.position(i, a) = from.position(row, a);
      to.velocity(i, a) = from.velocity(row, a);
    }
    to.tag(i) = from.tag(row);
    if (to.size.extent(0) > 0) to.size(i) = from.size(row);
  }
};

/// `Derived` launches one step: launch_step(StepInCells). `movers` is 2 if particles look around
/// the cell they are stored in, not around that of their current position.
template <int D, class ExecutionSpace, class Derived>
class CellMethod : public Method<D, ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  CellMethod(const ExecutionSpace& space, const Physics<D>& physics, double skin, double cell_side,
             int movers)
      : space_(space),
        physics_(physics),
        sorter_(space),
        skin_(skin),
        cell_side_(cell_side),
        movers_(movers) {
    paces_.moved = decltype(paces_.moved)("copse::collide::moved", paces_.most_steps);
    paces_.made = decltype(paces_.made)("copse::collide::made", paces_.most_steps);
  }

  void load(const State<D, MemorySpace>& state) override {
    now_ = copy_state<MemorySpace>(state);
    next_ = allocate_state<D, MemorySpace>(state.rows(), state.size.extent(0) > 0);
    next_.largest_size = state.largest_size;
    spare_tag_ = next_.tag;
    spare_size_ = next_.size;
    const double cutoff = physics_.force.cutoff * state.largest_size;
    const double reach = cutoff * (1.0 + skin_);
    const double side = cell_side_ * reach;
    // A few cells per particle at most, so that a thin gas does not fill the memory.
    grid_ = CellGrid<D, double>::cover({}, physics_.region.side, side, physics_.region.periodic,
                                       8 * state.rows() + 64);
    near_ = static_cast<std::uint32_t>(std::ceil(reach / side - 1e-9));
    allowance_ = skin_ * cutoff / movers_ * (1.0 - 1e-9);
    sorted_ = false;
    planned_ = 1;
    fastest_ = 0.0;
    steps_ = sorts_ = 0;
  }

  void advance(Count steps) override {
    while (steps > 0) {
      if (!sorted_ || moved_ > allowance_) sort();
      const Count batch = std::min({steps, planned_, Paces<MemorySpace>::most_steps});
      Kokkos::deep_copy(space_, paces_.moved, 0.98 * fastest_);
      Kokkos::deep_copy(space_, paces_.made, 0);
      for (Count s = 0; s < batch; ++s) {
        launch(static_cast<int>(s));
        std::swap(now_, next_);
      }
      steps -= finish(batch);
    }
  }

  void kick(double time) override {
    const State<D, MemorySpace> particles = ready();
    const Vectors<D, MemorySpace> acceleration = next_.velocity;
    const auto near = search();
    Kokkos::parallel_for("copse::collide::forces", rows(),
                         Accelerate<D, MemorySpace, NearRows<D, MemorySpace>>{
                             {particles, physics_}, near, acceleration});
    Kokkos::parallel_for("copse::collide::kick", rows(),
                         Kick<D, MemorySpace>{particles, acceleration, time});
    space_.fence("copse::collide::kick");
  }

  State<D, MemorySpace> state() override { return now_; }

  Count searches() const override { return sorts_; }

  ContactSums contacts() override {
    const Pairs<D, MemorySpace> pairs{ready(), physics_};
    ContactSums sums;
    Kokkos::parallel_reduce(
        "copse::collide::contacts", rows(),
        MeasureContacts<D, MemorySpace, NearRows<D, MemorySpace>>{pairs, search()}, sums);
    return sums;
  }

 protected:
  Rows<ExecutionSpace> rows() const { return {space_, 0, static_cast<LocalIndex>(now_.rows())}; }
  NearRows<D, MemorySpace> search() const { return {grid_, offsets_, now_.position, near_}; }

  ExecutionSpace space_;
  Physics<D> physics_;
  CellGrid<D, double> grid_;
  State<D, MemorySpace> now_, next_;

 private:
  void sort() {
    const auto cells = sorter_.template sort<D, double>(grid_, now_.position);
    offsets_ = cells.offsets;
    std::swap(next_.tag, spare_tag_);
    std::swap(next_.size, spare_size_);
    Kokkos::parallel_for("copse::collide::gather", rows(),
                         GatherRows<D, MemorySpace>{cells.rows, now_, next_});
    std::swap(now_, next_);
    spare_tag_ = next_.tag;
    spare_size_ = next_.size;
    next_.tag = now_.tag;  // rows stay the same until the next sort
    next_.size = now_.size;
    sorted_ = true;
    moved_ = 0.0;
    ++sorts_;
  }

  /// The current state, with cells that are fit to search it.
  State<D, MemorySpace> ready() {
    if (!sorted_ || moved_ > allowance_) sort();
    return now_;
  }

  void launch(int s) {
    const StepInCells<D, MemorySpace> step{
        {now_, physics_}, search(), next_.position, next_.velocity, paces_, s, moved_, allowance_};
    static_cast<Derived&>(*this).launch_step(step);
  }

  /// Waits for a batch. \return how many of its steps were made
  Count finish(Count batch) {
    const auto made = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, paces_.made);
    const auto moved = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, paces_.moved);
    Count count = 0;
    while (count < batch && made(count) == 1) {
      moved_ += moved(count);
      fastest_ = moved(count);
      ++count;
    }
    if ((batch - count) % 2 == 1) std::swap(now_, next_);
    steps_ += count;
    planned_ = fastest_ > 0.0
                   ? static_cast<Count>(std::clamp(allowance_ / fastest_ + 1.0, 1.0, 1e9))
                   : Paces<MemorySpace>::most_steps;
    if (moved_ <= allowance_ && fastest_ > 0.0)  // what is left until the next sort
      planned_ = static_cast<Count>(std::clamp((allowance_ - moved_) / fastest_ + 1.0, 1.0, 1e9));
    return count;
  }

  CellSorter<ExecutionSpace> sorter_;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> offsets_;
  Kokkos::View<Tag*, MemorySpace> spare_tag_;
  Kokkos::View<double*, MemorySpace> spare_size_;
  Paces<MemorySpace> paces_;
  double skin_;
  double cell_side_;
  int movers_;
  std::uint32_t near_ = 1;
  double allowance_ = 0.0;  ///< how far a coordinate may change between sorts
  double moved_ = 0.0;      ///< bound of the largest change since the last sort
  double fastest_ = 0.0;    ///< of the last step
  bool sorted_ = false;
  Count planned_ = 1;  ///< steps of the next batch
  Count steps_ = 0, sorts_ = 0;
};

}  // namespace copse::collide
