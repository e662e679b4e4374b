#pragma once
/// \file
/// Methods whose rows are stored in the order of cells of a grid, and sorted anew only when a
/// particle may have moved by the skin.
///
/// A particle looks for candidates around the cell it is in now; its candidates are in the cells
/// where they were at the last sort. So the search is complete as long as no coordinate has changed
/// by more than the skin since; half the skin, if a particle looks around its own cell of then.
///
/// The host never waits for a step. It assumes that a coordinate changes by at most a bound, a
/// little more than the largest change seen, and queues steps and sorts by that. A particle that
/// moves further marks the step: all later steps of the queue then do nothing, and the host, which
/// reads the mark once per queue, goes on from there with a larger bound.
///
/// Least traffic of a step, without the sort: positions and velocities read and written once, tags
/// read: 16 D + 4 bytes read and 16 D written per particle.

#include "../make.hpp"
#include <copse/grid/cell_list.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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
    const auto place = grid.coordinates(x);
    KOKKOS_IF_ON_DEVICE((if (reach == 1) {
      const auto along = grid.span(place[0], 0, 1);
      if (along.first + along.count <= grid.cells[0]) return visit_lines(place, along, f);
    }))
    grid.for_each_near_range(place, reach, [&](Count first, Count last) {
      const LocalIndex end = offsets(last + 1);
      for (LocalIndex j = offsets(first); j < end; ++j) f(j);
    });
  }

 private:
  /// One loop over the rows of all lines of adjacent cells, so that threads of a warp wait for the
  /// longest sum and not for the longest of each line. All offsets are loaded before the first one
  /// is used.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void visit_lines(const Kokkos::Array<std::uint32_t, D>& place,
                                               typename CellGrid<D, double>::Span along,
                                               const F& f) const {
    constexpr int lines = CellGrid<D, double>::adjacent_lines;
    LocalIndex begin[lines], end[lines];
    for (int k = 0; k < lines; ++k) {
      Count line = 0;
      const bool inside = grid.adjacent_line(place, k, line);
      begin[k] = inside ? offsets(line + along.first) : 0;
      end[k] = inside ? offsets(line + along.first + along.count) : 0;
    }
    LocalIndex j = begin[0], last = end[0];
    for (int k = 0;;) {
      while (j == last) {
        if (++k == lines) return;
        for (int l = 1; l < lines; ++l)  // unrolled, so that the arrays stay in registers
          if (l == k) {
            j = begin[l];
            last = end[l];
          }
      }
      f(j++);
    }
  }
};

/// How far particles move, and whether a step exceeded the bound that its queue relies on. Steps of
/// a queue are numbered from 1.
template <class MemorySpace>
struct Watch {
  Kokkos::View<double[1], MemorySpace> largest;  ///< change of a coordinate in one step
  Kokkos::View<int[1], MemorySpace> exceeded;    ///< in which step, or 0
  double bound = 0.0;

  /// False if an earlier step exceeded the bound; the same for all particles of a step.
  KOKKOS_FORCEINLINE_FUNCTION bool allows(int step) const {
    const int marked = exceeded(0);
    return marked == 0 || marked >= step;
  }
  KOKKOS_FORCEINLINE_FUNCTION void see(int step, double change) const {
    // The queue starts with nine tenths of the last largest change, which few particles exceed.
    if (change > largest(0)) {
      Kokkos::atomic_max(&largest(0), change);
      if (change > bound) Kokkos::atomic_store(&exceeded(0), step);
    }
  }
};

/// Forces, kick, drift and fold of one step, from one set of arrays to another.
template <int D, class MemorySpace>
struct StepInCells {
  Pairs<D, MemorySpace> pairs;
  NearRows<D, MemorySpace> near;
  Vectors<D, MemorySpace> next_position;
  Vectors<D, MemorySpace> next_velocity;
  Watch<MemorySpace> watch;
  int step;

  KOKKOS_FORCEINLINE_FUNCTION bool allowed() const { return watch.allows(step); }

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    if (!allowed()) return;
    Vector<D> acceleration{};
    if (!is_ghost(pairs.particles.tag(i)))
      acceleration = pairs.acceleration(i, [&](const auto& f) { near(i, f); });
    finish(i, acceleration);
  }

  /// Moves particle i by its acceleration.
  KOKKOS_FORCEINLINE_FUNCTION void finish(LocalIndex i, const Vector<D>& acceleration) const {
    Vector<D> x = pairs.position(i), v;
    for (int a = 0; a < D; ++a) v[a] = pairs.particles.velocity(i, a);
    if (!is_ghost(pairs.particles.tag(i))) {
      pairs.move(acceleration, x, v);
      double fastest = 0.0;
      for (int a = 0; a < D; ++a) fastest = Kokkos::fmax(fastest, Kokkos::abs(v[a]));
      watch.see(step, fastest * pairs.physics.dt);
    }
    for (int a = 0; a < D; ++a) {
      next_position(i, a) = x[a];
      next_velocity(i, a) = v[a];
    }
  }
};

template <int D, class MemorySpace>
struct GatherIfAllowed {
  GatherRows<D, MemorySpace> gather;
  Watch<MemorySpace> watch;
  int step;  ///< the next one

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    if (watch.allows(step)) gather(i);
  }
};

/// The largest change of a coordinate at the current velocities.
template <int D, class MemorySpace>
struct LargestChange {
  State<D, MemorySpace> particles;
  double dt;

  KOKKOS_FUNCTION void operator()(LocalIndex i, double& largest) const {
    if (is_ghost(particles.tag(i))) return;
    for (int a = 0; a < D; ++a)
      largest = Kokkos::fmax(largest, Kokkos::abs(particles.velocity(i, a)) * dt);
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
    watch_.largest = decltype(watch_.largest)("copse::collide::largest_change");
    watch_.exceeded = decltype(watch_.exceeded)("copse::collide::exceeded");
  }

  void load(const State<D, MemorySpace>& state) override {
    now_ = copy_state<MemorySpace>(state);
    next_ = allocate_state<D, MemorySpace>(state.rows(), state.size.extent(0) > 0);
    next_.largest_size = state.largest_size;
    spare_tag_ = next_.tag;
    spare_size_ = next_.size;
    next_.tag = now_.tag;
    next_.size = now_.size;
    const double cutoff = physics_.force.cutoff * state.largest_size;
    const double reach = cutoff * (1.0 + skin_);
    const double side = cell_side_ * reach;
    // A few cells per particle at most, so that a thin gas does not fill the memory.
    grid_ = CellGrid<D, double>::cover({}, physics_.region.side, side, physics_.region.periodic,
                                       8 * state.rows() + 64);
    near_ = static_cast<std::uint32_t>(std::ceil(reach / side - 1e-9));
    allowance_ = skin_ * cutoff / movers_ * (1.0 - 1e-9);
    sorts_ = 0;
    sorted_ = exceeded_ = false;
    queue_ = shortest_queue;
    largest_ = 0.0;
    Kokkos::parallel_reduce("copse::collide::largest_change", rows(),
                            LargestChange<D, MemorySpace>{now_, physics_.dt},
                            Kokkos::Max<double>(largest_));
  }

  void advance(Count steps) override {
    while (steps > 0) {
      const Count queued = std::min(steps, queue_);
      watch_.bound = (exceeded_ ? wide_margin : margin) * largest_;
      Kokkos::deep_copy(space_, watch_.largest, 0.9 * largest_);
      Kokkos::deep_copy(space_, watch_.exceeded, 0);
      after_.clear();
      for (Count s = 1; s <= queued; ++s) {
        const int step = static_cast<int>(s);
        if (!sorted_ || moved_ > allowance_) sort(step);
        static_cast<Derived&>(*this).launch_step(StepInCells<D, MemorySpace>{
            {now_, physics_}, search(), next_.position, next_.velocity, watch_, step});
        std::swap(now_, next_);
        moved_ += watch_.bound;
        after_.push_back({now_, next_});
      }
      steps -= finish(queued);
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

  std::map<std::string, double> figures() const override {
    return {{"searches", static_cast<double>(sorts_)}};
  }

  bool ghosts_moved(double farthest) override {
    ghosts_moved_ += farthest;
    moved_ = std::max(moved_, ghosts_moved_);
    return true;
  }

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
  /// Steps of a queue. What follows a marked step is lost, so queues are short while speeds grow.
  static constexpr Count shortest_queue = 4, longest_queue = 64;
  /// Of the bound over the largest change seen; wide after a step that exceeded its bound.
  static constexpr double margin = 1.1, wide_margin = 1.3;

  /// Sorts before a step of the queue.
  void sort(int step) {
    const auto cells = sorter_.template sort<D, double>(grid_, now_.position);
    offsets_ = cells.offsets;
    std::swap(next_.tag, spare_tag_);
    std::swap(next_.size, spare_size_);
    Kokkos::parallel_for("copse::collide::gather", rows(),
                         GatherIfAllowed<D, MemorySpace>{{cells.rows, now_, next_}, watch_, step});
    std::swap(now_, next_);
    spare_tag_ = next_.tag;
    spare_size_ = next_.size;
    next_.tag = now_.tag;  // rows stay the same until the next sort
    next_.size = now_.size;
    sorted_ = true;
    moved_ = ghosts_moved_ = 0.0;
    ++sorts_;
  }

  /// The current state, with cells that are fit to search it.
  State<D, MemorySpace> ready() {
    if (!sorted_ || moved_ > allowance_) {
      Kokkos::deep_copy(space_, watch_.exceeded, 0);
      sort(0);
    }
    return now_;
  }

  /// Waits for the queue. \return how many of its steps were made
  Count finish(Count queued) {
    double largest = 0.0;
    int exceeded = 0;
    Kokkos::deep_copy(space_, largest, Kokkos::subview(watch_.largest, 0));
    Kokkos::deep_copy(space_, exceeded, Kokkos::subview(watch_.exceeded, 0));
    space_.fence("copse::collide::queue");
    largest_ = largest;
    exceeded_ = exceeded != 0;
    queue_ = exceeded_ ? shortest_queue : std::min(2 * queue_, longest_queue);
    if (!exceeded_) return queued;
    // Sorts after the marked step have changed offsets and not rows, and spare tags may be these.
    const auto made = static_cast<std::size_t>(exceeded);
    const Kokkos::View<Tag*, MemorySpace> tags[] = {now_.tag, spare_tag_};
    const Kokkos::View<double*, MemorySpace> sizes[] = {now_.size, spare_size_};
    now_ = after_[made - 1].first;
    next_ = after_[made - 1].second;
    const bool first = tags[0].data() == now_.tag.data();
    spare_tag_ = tags[first ? 1 : 0];
    spare_size_ = sizes[first ? 1 : 0];
    sorted_ = false;
    return made;
  }

  CellSorter<ExecutionSpace> sorter_;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> offsets_;
  Kokkos::View<Tag*, MemorySpace> spare_tag_;
  Kokkos::View<double*, MemorySpace> spare_size_;
  Watch<MemorySpace> watch_;
  std::vector<std::pair<State<D, MemorySpace>, State<D, MemorySpace>>> after_;  ///< each step
  double skin_;
  double cell_side_;
  int movers_;
  std::uint32_t near_ = 1;
  double allowance_ = 0.0;     ///< how far a coordinate may change between sorts
  double moved_ = 0.0;         ///< bound of the largest change since the last sort
  double ghosts_moved_ = 0.0;  ///< the same of ghosts
  double largest_ = 0.0;       ///< change of a coordinate in one step
  bool sorted_ = false;
  bool exceeded_ = false;         ///< the last queue has a marked step
  Count queue_ = shortest_queue;  ///< steps of the next one
  Count sorts_ = 0;               ///< since `load`
};

}  // namespace copse::collide
