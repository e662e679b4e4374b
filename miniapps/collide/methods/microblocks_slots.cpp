/// \file
/// Microblocks on a GPU [Li, Scott, Twigg 2012, section 2.7]: blocks with slots (slots.hpp). The
/// published versions are options; each builds on the one before, but nothing was built on `fused`.
///
///  1. rescan: one thread per block; every block looks for its particles among all in every step
///  2. migrate: particles that left their block are moved to another; published gain 4
///  3. fused: one kernel per step; published gain 1 %
///  4. thread-per-particle: no threads for empty blocks; published gain 2
///  5. macro-blocks: positions of near blocks in the scratch memory of a team; was future work
///
/// The authors also loaded positions as double2, one wide load instead of two (published gain 1.5).
/// Here axes are columns: threads in the order of rows read whole cache lines anyway, and a row's
/// candidates would be the only gain. What they call local copies is what Pairs does.
///
/// Slots double when a block overflows. Blocks of one size cannot follow a very uneven input: the
/// fullest block decides the memory of all.
#include "macro_blocks.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace copse::collide {
namespace {

template <int D, class ExecutionSpace>
class MicroblocksSlots final
    : public SearchMethod<D, ExecutionSpace, MicroblocksSlots<D, ExecutionSpace>> {
 public:
  using Base = SearchMethod<D, ExecutionSpace, MicroblocksSlots>;
  using typename Base::MemorySpace;
  using Near = NearBlocks<D, MemorySpace, Slots<MemorySpace>>;

  MicroblocksSlots(const ExecutionSpace& space, const Physics<D>& physics, SlotsVariant variant)
      : Base(space, physics), variant_(variant) {
    overflow_.step = decltype(overflow_.step)("copse::collide::overflow");
  }

  void load(const State<D, MemorySpace>& state) override {
    Base::load(state);
    const Count rows = state.rows();
    grid_ = microblocks_of(state, this->physics_, this->part_of(this->physics_.region));
    slot_ = decltype(slot_)(uninitialised("slot_of_row"), rows);
    if (variant_ == SlotsVariant::fused) moved_ = decltype(moved_)(uninitialised("moved"), rows);
    slots_.front().per_block = first_slots;
    allocate();
    fill();
    steps_ = slots_of_steps_ = 0;
  }

  void advance(Count steps) override {
    for (Count done = 0; done < steps;) {
      const Count batch = std::min(steps - done, steps_between_looks);
      reset_overflow();
      for (Count now = 0; now < batch; ++now) step(now);
      const Count failed = first_overflow();
      const bool complete = failed == Overflow<MemorySpace>::never;
      const Count made = complete ? batch : failed + 1;
      done += made;
      slots_of_steps_ += made * slots_.front().per_block;
      if (complete) continue;
      // The steps after `failed` did nothing.
      if (variant_ == SlotsVariant::fused && (batch - made) % 2 == 1)
        std::swap(this->state_.position, moved_);
      fill();
    }
    steps_ += steps;
    this->space_.fence("copse::collide::advance");
  }

  void ghosts_moved(double) override { fill(); }

  Near search() const { return {grid_, slots_.front(), this->state_.position}; }

  /// The slots of a block are a mean over the steps.
  std::map<std::string, double> figures() const override {
    std::map<std::string, double> figures{{"blocks", static_cast<double>(grid_.size())}};
    if (steps_ > 0)
      figures["slots_per_block"] =
          static_cast<double>(slots_of_steps_) / static_cast<double>(steps_);
    return figures;
  }

 private:
  static constexpr LocalIndex first_slots = 4;
  static constexpr Count steps_between_looks = 16;  ///< a look waits for the device
  static constexpr Count most_slots = Count{1} << 31;

  static auto uninitialised(const std::string& name) {
    return Kokkos::view_alloc("copse::collide::" + name, Kokkos::WithoutInitializing);
  }

  BlockOf<D, MemorySpace> block_of() const { return {grid_, this->state_.position}; }
  bool by_block() const {
    return variant_ == SlotsVariant::rescan || variant_ == SlotsVariant::migrate;
  }

  void step(Count now) {
    if (variant_ == SlotsVariant::fused) return whole_step(now);
    // A phase waits for the device, so only hosts have them.
    const auto phase = [](const char* label, const auto& launch) {
      if constexpr (runs_on_host<ExecutionSpace>) {
        const Kokkos::Profiling::ScopedRegion region(label);
        launch();
      } else {
        launch();
      }
    };
    phase("copse::collide::force", [&] { force(now); });
    phase("copse::collide::move", [&] { move(now); });
    phase("copse::collide::migrate", [&] { migrate(now); });
  }

  void force(Count now) {
    const Accelerate<D, MemorySpace, Near> accelerate{this->pairs(), search(), this->acceleration_};
    if (variant_ == SlotsVariant::macro_blocks && MacroBlock<D, ExecutionSpace>::fits(grid_))
      return macro_blocks(now);
    if (by_block()) return over_blocks("copse::collide::slots_forces", now, in_block(accelerate));
    over_rows("copse::collide::slots_forces", now, accelerate);
  }

  void move(Count now) {
    const Move<D, MemorySpace> move{this->pairs(), this->acceleration_};
    if (by_block()) return over_blocks("copse::collide::slots_move", now, in_block(move));
    over_rows("copse::collide::slots_move", now, move);
  }

  void migrate(Count now) {
    if (variant_ == SlotsVariant::rescan)
      over_blocks("copse::collide::slots_rescan", now,
                  RescanBlock<D, MemorySpace>{block_of(), slots_.front(),
                                              static_cast<LocalIndex>(this->state_.rows()),
                                              overflow_, now});
    else if (by_block())
      over_blocks("copse::collide::slots_migrate", now,
                  MigrateBlock<D, MemorySpace>{block_of(), slots_.front(), overflow_, now});
    else
      over_rows("copse::collide::slots_migrate", now,
                MigrateRow<D, MemorySpace>{block_of(), slots_.front(), slot_, overflow_, now});
  }

  void whole_step(Count now) {
    over_blocks("copse::collide::slots_step", now,
                WholeStep<D, MemorySpace>{this->pairs(), search(), moved_, slots_[1], slots_[2],
                                          overflow_, now});
    std::rotate(slots_.begin(), slots_.begin() + 1, slots_.end());
    std::swap(this->state_.position, moved_);
  }

  void macro_blocks(Count now) {
    using Forces = MacroBlock<D, ExecutionSpace>;
    const bool sizes = this->state_.size.extent(0) > 0;
    const int threads = runs_on_host<ExecutionSpace> ? 1 : 64;
    Kokkos::TeamPolicy<ExecutionSpace> teams(this->space_, static_cast<int>(Forces::teams(grid_)),
                                             threads);
    teams.set_scratch_size(0, Kokkos::PerTeam(Forces::scratch_bytes(sizes)));
    Kokkos::parallel_for("copse::collide::slots_macro_forces", teams,
                         Unless<MemorySpace, Forces>{
                             overflow_, now, {this->pairs(), search(), this->acceleration_}});
  }

  template <class Body>
  InBlock<Slots<MemorySpace>, Body> in_block(const Body& body) const {
    return {slots_.front(), body};
  }
  template <class Body>
  void over_blocks(const char* label, Count now, const Body& body) const {
    Kokkos::parallel_for(label, CountRange<ExecutionSpace>(this->space_, 0, grid_.size()),
                         Unless<MemorySpace, Body>{overflow_, now, body});
  }
  template <class Body>
  void over_rows(const char* label, Count now, const Body& body) const {
    Kokkos::parallel_for(label, this->rows(), Unless<MemorySpace, Body>{overflow_, now, body});
  }

  /// Makes empty slots. \throws InputError if they would be too many
  void allocate() {
    const LocalIndex per_block = slots_.front().per_block;
    const Count blocks = grid_.size();
    if (blocks * per_block > most_slots)
      throw InputError(fmt::format(
          "--method microblocks-slots needs {} slots in each of {} blocks, more than {} "
          "in all: the particles are too many or too uneven",
          per_block, blocks, most_slots));
    const std::size_t copies = variant_ == SlotsVariant::fused ? slots_.size() : 1;
    for (auto& slots : slots_) slots = {};
    for (std::size_t k = 0; k < copies; ++k) {
      slots_[k].state = decltype(slots_[k].state)(uninitialised("slot_states"), blocks * per_block);
      slots_[k].rows = decltype(slots_[k].rows)(uninitialised("slot_rows"), blocks * per_block);
      slots_[k].per_block = per_block;
    }
  }

  /// Lists all rows anew from their positions, in larger blocks if need be.
  void fill() {
    for (;;) {
      for (auto& slots : slots_) Kokkos::deep_copy(this->space_, slots.state, SlotState::empty);
      reset_overflow();
      over_rows("copse::collide::slots_fill", 0,
                AddRows<D, MemorySpace>{block_of(), slots_.front(), slot_, overflow_, 0});
      if (first_overflow() == Overflow<MemorySpace>::never) return;
      slots_.front().per_block *= 2;
      allocate();
    }
  }

  void reset_overflow() {
    Kokkos::deep_copy(this->space_, overflow_.step, Overflow<MemorySpace>::never);
  }
  /// Waits for the kernels.
  Count first_overflow() const {
    FirstOverflow first{};
    Kokkos::deep_copy(this->space_, first.step, overflow_.step);
    this->space_.fence("copse::collide::overflow");
    app::corruptible(first);
    return first.step;
  }

  SlotsVariant variant_;
  CellGrid<D, double> grid_;
  std::array<Slots<MemorySpace>, 3> slots_;  ///< the first is current; the others are of `fused`
  Kokkos::View<LocalIndex*, MemorySpace> slot_;  ///< [n] of each row
  Vectors<D, MemorySpace> moved_;                ///< [n] positions after a step of `fused`
  Overflow<MemorySpace> overflow_;
  Count steps_ = 0;           ///< since the load
  Count slots_of_steps_ = 0;  ///< slots of a block, summed over these steps
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_microblocks_slots(const ExecutionSpace& space,
                                                        const Physics<D>& physics,
                                                        const Request& request) {
  return std::make_unique<MicroblocksSlots<D, ExecutionSpace>>(space, physics,
                                                               request.variant_of_slots());
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(microblocks_slots, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
