#pragma once
/// \file
/// Methods whose rows are stored in the order of cells of a grid, and sorted anew only when a
/// particle may have moved by the skin.
///
/// A particle searches around the cell of its current position. Its candidates are stored in the
/// cells of their positions at the last sort. The search is complete until a coordinate has changed
/// by more than the skin since that sort. If a particle searches around the cell in which it is
/// stored, the limit is half the skin.
///
/// The host waits once per queue of steps. It assumes a bound on the change of a coordinate in a
/// step, a little above the largest change seen, and queues steps and sorts by this bound. If a
/// particle moves further, its step is marked and all later steps of the queue do nothing. The host
/// reads the mark at the end of the queue and continues after the marked step with a larger bound.
///
/// Least traffic of a step, without the sort: positions and velocities read and written once, tags
/// read: 16 D + 4 bytes read and 16 D written per particle.

#include "cell_step.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace copse::collide {

/// `Derived` launches one step: launch_step(StepInCells). `movers` is that of SearchedCells.
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
    const SearchedCells<D> cells(physics_, this->part_of(physics_.region), state.largest_size,
                                 state.rows(), skin_, cell_side_, movers_);
    grid_ = cells.grid;
    limits_ = cells.limits;
    app::corruptible(limits_);
    sorts_ = 0;
    sorted_ = exceeded_ = false;
    queue_ = shortest_queue;
    largest_ = 0.0;
    Kokkos::parallel_reduce("copse::collide::largest_change", rows(),
                            LargestChange<D, MemorySpace>{now_, physics_.dt},
                            Kokkos::Max<double>(largest_));
    largest_ = std::max(largest_, 0.0);  // without particles of its own: -infinity
  }

  void advance(Count steps) override {
    while (steps > 0) {
      const Count queued = std::min(steps, queue_);
      open_queue();
      for (Count s = 1; s <= queued; ++s) {
        const int step = static_cast<int>(s);
        if (!sorted_ || moved_ > limits_.allowance) sort(step);
        static_cast<Derived&>(*this).launch_step(step_from_now(step));
        close_step();
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

  void ghosts_moved(double farthest) override {
    ghosts_moved_ += farthest;
    moved_ = std::max(moved_, ghosts_moved_);
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
  NearRows<D, MemorySpace> search() const { return {grid_, offsets_, now_.position, limits_.near}; }
  StepInCells<D, MemorySpace> step_from_now(int step) const {
    return {{now_, physics_}, search(), next_.position, next_.velocity, watch_, step};
  }

  /// `advance_while` for methods whose launch_step takes a PartOfStep.
  void step_in_two_parts(double farthest, const std::function<void()>& arrive) {
    ghosts_moved(farthest);
    if (!sorted_ || moved_ > limits_.allowance) {  // a sort needs the ghosts
      arrive();
      return advance(1);
    }
    if (!marked_) mark_near_ghosts();
    open_queue();
    const auto launch = [&](bool near) {
      static_cast<Derived&>(*this).launch_step(
          PartOfStep<D, MemorySpace>{step_from_now(1), near_ghosts_, near});
    };
    launch(false);
    arrive();
    launch(true);
    close_step();
    finish(1);
  }

  ExecutionSpace space_;
  Physics<D> physics_;
  CellGrid<D, double> grid_;
  State<D, MemorySpace> now_, next_;

 private:
  /// Steps of a queue. What follows a marked step is lost, so queues are short while speeds grow.
  static constexpr Count shortest_queue = 4, longest_queue = 64;
  /// Of the bound over the largest change seen; wide after a step that exceeded its bound.
  static constexpr double margin = 1.1, wide_margin = 1.3;

  void open_queue() {
    watch_.bound = (exceeded_ ? wide_margin : margin) * largest_;
    Kokkos::deep_copy(space_, watch_.largest, 0.9 * largest_);
    Kokkos::deep_copy(space_, watch_.exceeded, 0);
    after_.clear();
  }

  /// After the launch of a step.
  void close_step() {
    std::swap(now_, next_);
    moved_ += watch_.bound;
    after_.push_back({now_, next_});
  }

  void mark_near_ghosts() {
    if (near_ghosts_.extent(0) < grid_.size())
      near_ghosts_ = decltype(near_ghosts_)("copse::collide::near_ghosts", grid_.size());
    Kokkos::deep_copy(space_, near_ghosts_, 0u);
    Kokkos::parallel_for("copse::collide::mark_near_ghosts",
                         CountRange<ExecutionSpace>(space_, 0, grid_.size()),
                         MarkNearGhosts<D, MemorySpace>{search(), now_.tag, near_ghosts_});
    if constexpr (runs_on_host<ExecutionSpace>) app::corruptible(near_ghosts_);
    marked_ = true;
  }

  /// Sorts before a step of the queue.
  void sort(int step) {
    const auto cells = sorter_.template sort<D, double>(grid_, now_.position);
    offsets_ = cells.offsets;
    if constexpr (runs_on_host<ExecutionSpace>) app::corruptible(offsets_);
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
    marked_ = false;
    moved_ = ghosts_moved_ = 0.0;
    ++sorts_;
  }

  /// The current state, with cells that are fit to search it.
  State<D, MemorySpace> ready() {
    if (!sorted_ || moved_ > limits_.allowance) {
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
    // Sorts after the marked step changed offsets but moved no rows. They also swapped the two tag
    // arrays: the spare one is the one that the state after the marked step does not use.
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
  SearchLimits limits_;        ///< of changes of a coordinate
  double moved_ = 0.0;         ///< bound of the largest change since the last sort
  double ghosts_moved_ = 0.0;  ///< the same of ghosts
  double largest_ = 0.0;       ///< change of a coordinate in one step
  bool sorted_ = false;
  bool marked_ = false;                                    ///< near_ghosts_ are of the last sort
  Kokkos::View<std::uint32_t*, MemorySpace> near_ghosts_;  ///< [cells] 1: a ghost is in reach
  bool exceeded_ = false;                                  ///< the last queue has a marked step
  Count queue_ = shortest_queue;                           ///< steps of the next one
  Count sorts_ = 0;                                        ///< since `load`
};

}  // namespace copse::collide
