/// \file
/// The method cells with all steps of a call in one persistent kernel (persistent_kernel.hpp).
///
/// With few particles a step takes less time than a kernel launch. Here all threads wait for each
/// other after each step and read the largest displacement, so they sort exactly when it is due.
/// `cells` sorts by a bound that the host assumes.
#include "cell_step.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/persistent_kernel.hpp>
#include <copse/backend/relaxed_access.hpp>

#include <cmath>

namespace copse::collide {
namespace {

/// A counting sort by the threads of a persistent kernel.
template <int D, class ExecutionSpace>
struct PersistentSort {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Indices = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

  CellGrid<D, double> grid;
  LocalIndex group = 1;  ///< cells of a group, about as many as there are groups
  Indices counts;        ///< [cells]; zero between sorts
  Indices group_counts;  ///< [groups]; zero between sorts
  Indices offsets;       ///< [cells + 1]
  Indices cell, slot;    ///< [n] of each row: its cell, and its place there
  Indices rows;          ///< [n] by cell

  PersistentSort() = default;
  PersistentSort(const CellGrid<D, double>& cells, Count n) : grid(cells) {
    const auto zeros = [](const char* name, Count size) {
      return Indices(std::string("copse::collide::") + name, size);
    };
    group = static_cast<LocalIndex>(std::ceil(std::sqrt(static_cast<double>(grid.size()))));
    counts = zeros("counts", grid.size());
    group_counts = zeros("group_counts", (grid.size() + group - 1) / group);
    offsets = zeros("offsets", grid.size() + 1);
    cell = zeros("cell", n);
    slot = zeros("slot", n);
    rows = zeros("rows", n);
  }

  /// Rows of a cell keep their order, so the result does not depend on the threads.
  KOKKOS_FUNCTION void operator()(const PersistentThread<ExecutionSpace>& thread,
                                  const State<D, MemorySpace>& from,
                                  const State<D, MemorySpace>& to) const {
    const Count n = cell.extent(0), cells = grid.size();
    thread.for_each(n, [&](LocalIndex i) {
      Vector<D> x;
      for (int a = 0; a < D; ++a) x[a] = from.position(i, a);
      const auto c = static_cast<LocalIndex>(grid.cell_of(x));
      cell(i) = c;
      slot(i) = Kokkos::atomic_fetch_add(&counts(c), LocalIndex{1});
      Kokkos::atomic_inc(&group_counts(c / group));
    });
    thread.wait_for_all();
    thread.for_each(group_counts.extent(0), [&](LocalIndex g) {
      LocalIndex sum = 0;
      for (LocalIndex k = 0; k < g; ++k) sum += group_counts(k);
      const Count end = Kokkos::min<Count>(cells, (g + Count{1}) * group);
      for (Count c = Count{g} * group; c < end; ++c) {
        offsets(c) = sum;
        sum += counts(c);
      }
      if (end == cells) offsets(cells) = sum;
    });
    thread.wait_for_all();
    thread.for_each(cells, [&](LocalIndex c) { counts(c) = 0; });
    thread.for_each(group_counts.extent(0), [&](LocalIndex g) { group_counts(g) = 0; });
    thread.for_each(n, [&](LocalIndex i) { rows(offsets(cell(i)) + slot(i)) = i; });
    thread.wait_for_all();
    const GatherRows<D, MemorySpace> gather{rows, from, to};
    thread.for_each(n, [&](LocalIndex k) {
      const LocalIndex row = rows(k), begin = offsets(cell(row)), end = offsets(cell(row) + 1);
      LocalIndex place = begin;
      for (LocalIndex m = begin; m < end; ++m) place += rows(m) < row ? 1 : 0;
      gather.copy(row, place);
    });
    thread.wait_for_all();
  }
};

/// What a kernel tells the host, and the next kernel.
struct Travelled {
  double moved = 0.0;  ///< bound of the change of a coordinate since the last sort
  Count sorts = 0;     ///< since `load`
};

/// Steps from one state to the other and back. After each step rows are sorted if that is due.
template <int D, class ExecutionSpace>
struct PersistentSteps {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Thread = PersistentThread<ExecutionSpace>;
  /// Bits of a change; those of numbers that are not negative have the order of the numbers, and
  /// devices have an atomic maximum of integers.
  using Bits = unsigned long long;

  State<D, MemorySpace> states[2];  ///< of this kernel's first step, and of the next one
  Physics<D> physics;
  PersistentSort<D, ExecutionSpace> sort;
  SearchLimits limits;
  Kokkos::View<Bits[3], MemorySpace> largest;  ///< change of a coordinate in step s, at s % 3
  Kokkos::View<Travelled, MemorySpace> travelled;
  Count first = 0;  ///< step since `load`
  Count steps = 0;
  bool sorted = false;

  KOKKOS_FUNCTION void operator()(const Thread& thread) const {
    auto [moved, sorts] = travelled();
    int now = 0;
    for (Count step = first;; ++step) {
      if ((!sorted && step == first) || moved > limits.allowance) {
        sort(thread, states[now], states[1 - now]);
        now = 1 - now;
        moved = 0.0;
        ++sorts;
      }
      if (step == first + steps) break;
      make_step(thread, states[now], states[1 - now], step);
      thread.wait_for_all();
      moved += change_of(step);
      now = 1 - now;
    }
    if (thread.rank == 0) travelled() = {moved, sorts};
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION double change_of(Count step) const {
    return Kokkos::bit_cast<double>(relaxed_load(&largest(step % 3)));
  }

  KOKKOS_FORCEINLINE_FUNCTION void make_step(const Thread& thread,
                                             const State<D, MemorySpace>& from,
                                             const State<D, MemorySpace>& to, Count step) const {
    // The next step starts with nine tenths of the last largest change, which few particles exceed.
    if (thread.rank == 0)
      relaxed_store(&largest((step + 1) % 3), Kokkos::bit_cast<Bits>(0.9 * change_of(step + 2)));
    const Pairs<D, MemorySpace> pairs{from, physics};
    const NearRows<D, MemorySpace> near{sort.grid, sort.offsets, from.position, limits.near};
    thread.for_each(from.tag.extent(0), [&](LocalIndex i) {
      Vector<D> acceleration{};
      if (!is_ghost(from.tag(i)))
        acceleration = pairs.acceleration(i, [&](const auto& f) { near(i, f); });
      const double change = pairs.move_to(to.position, to.velocity, i, acceleration);
      to.tag(i) = from.tag(i);
      if (to.size.extent(0) > 0) to.size(i) = from.size(i);
      if (change > change_of(step))
        Kokkos::atomic_max(&largest(step % 3), Kokkos::bit_cast<Bits>(change));
    });
  }
};

template <int D, class ExecutionSpace>
class CellsPersistent final
    : public SearchMethod<D, ExecutionSpace, CellsPersistent<D, ExecutionSpace>> {
 public:
  using Base = SearchMethod<D, ExecutionSpace, CellsPersistent>;
  using typename Base::MemorySpace;

  CellsPersistent(const ExecutionSpace& space, const Physics<D>& physics, double skin,
                  double cell_side)
      : Base(space, physics), skin_(skin), cell_side_(cell_side) {}

  void load(const State<D, MemorySpace>& state) override {
    Base::load(state);
    const SearchedCells<D> cells(this->physics_, this->part_of(this->physics_.region),
                                 state.largest_size, state.rows(), skin_, cell_side_, 1);
    kernel_ = {};
    kernel_.states[1] = allocate_state<D, MemorySpace>(state.rows(), state.size.extent(0) > 0);
    kernel_.states[1].largest_size = state.largest_size;
    kernel_.physics = this->physics_;
    kernel_.sort = {cells.grid, state.rows()};
    kernel_.limits = cells.limits;
    app::corruptible(kernel_.limits);
    kernel_.largest = decltype(kernel_.largest)("copse::collide::largest_change");
    kernel_.travelled = decltype(kernel_.travelled)("copse::collide::travelled");
    travelled_ = {};
    run(0);
  }

  void ghosts_moved(double farthest) override {
    ghosts_moved_ += farthest;
    if (ghosts_moved_ > kernel_.limits.allowance) kernel_.sorted = false;
  }

  void advance(Count steps) override {
    if (steps > 0) run(steps);
  }

  std::map<std::string, double> figures() const override {
    return {{"searches", static_cast<double>(travelled_.sorts)}};
  }

  NearRows<D, MemorySpace> search() {
    if (!kernel_.sorted) run(0);
    return {kernel_.sort.grid, kernel_.sort.offsets, this->state_.position, kernel_.limits.near};
  }

 private:
  /// Makes steps, and leaves rows that are fit to search.
  void run(Count steps) {
    kernel_.states[0] = this->state_;
    kernel_.steps = steps;
    run_persistent("copse::collide::persistent_steps", this->space_, this->state_.rows(), kernel_);
    const Count sorts = travelled_.sorts;
    Kokkos::deep_copy(this->space_, travelled_, kernel_.travelled);
    this->space_.fence("copse::collide::persistent_steps");
    if (travelled_.sorts > sorts) ghosts_moved_ = 0.0;
    if ((steps + travelled_.sorts - sorts) % 2 == 1) std::swap(this->state_, kernel_.states[1]);
    kernel_.first += steps;
    kernel_.sorted = true;
  }

  PersistentSteps<D, ExecutionSpace> kernel_;
  Travelled travelled_;
  double skin_;
  double cell_side_;
  double ghosts_moved_ = 0.0;  ///< since the last sort
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_cells_persistent(const ExecutionSpace& space,
                                                       const Physics<D>& physics,
                                                       const Request& request) {
  return std::make_unique<CellsPersistent<D, ExecutionSpace>>(
      space, physics, request.skin.value_or(default_skin(physics)), request.cell_side);
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(cells_persistent, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
