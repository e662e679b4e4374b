#pragma once
/// \file
/// Blocks with a fixed number of slots that threads fill without locks [Li, Scott, Twigg 2012,
/// section 2.7.2], and the passes that use them.
///
/// A slot is EMPTY, ADDING (a thread took it by compare-and-swap and writes its row) or FULL. The
/// published version has two faults that are repaired here:
///  - The published program lost a particle that found no slot. Here add() returns `none`, the step
///    is recorded in Overflow, and the method builds larger blocks.
///  - FULL was stored without a fence, so a reader could see FULL and the slot's former row.

#include "microblocks.hpp"

namespace copse::collide {

/// The first step of a batch in which a block overflowed.
struct FirstOverflow {
  Count step;
};

enum class SlotState : std::uint32_t { empty, adding, full };

template <class MemorySpace>
struct Slots {
  static constexpr LocalIndex none = ~LocalIndex{0};

  Kokkos::View<SlotState*, MemorySpace> state;  ///< [blocks * per_block]
  Kokkos::View<LocalIndex*, MemorySpace> rows;  ///< of full slots
  LocalIndex per_block = 0;

  /// For passes that change no slot. Every slot is looked at: a block knows no count.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_in(Count block, const F& f) const {
    const Count first = block * per_block;
    for (Count slot = first; slot < first + per_block; ++slot)
      if (state(slot) == SlotState::full) f(rows(slot));
  }

  /// Adds a row while other threads add and remove. O(per_block). \return its slot, or none
  KOKKOS_INLINE_FUNCTION LocalIndex add(Count block, LocalIndex row) const {
    const Count first = block * per_block;
    for (Count slot = first; slot < first + per_block; ++slot) {
      if (Kokkos::atomic_compare_exchange(&state(slot), SlotState::empty, SlotState::adding) !=
          SlotState::empty)
        continue;
      rows(slot) = row;
      Kokkos::memory_fence();  // whoever sees FULL also sees the row
      Kokkos::atomic_store(&state(slot), SlotState::full);
      return static_cast<LocalIndex>(slot);
    }
    return none;
  }

  /// Only the thread that migrates the slot's row calls this, so it needs no compare-and-swap.
  KOKKOS_INLINE_FUNCTION void remove(Count slot) const {
    Kokkos::atomic_store(&state(slot), SlotState::empty);
  }

  /// Whether the slot has a row, while other threads add and remove.
  KOKKOS_INLINE_FUNCTION bool holds(Count slot) const {
    if (Kokkos::atomic_load(&state(slot)) != SlotState::full) return false;
    Kokkos::memory_fence();
    return true;
  }
};

/// The first step in which a particle found no slot. Later steps do nothing, so a host may look
/// after many steps and repair the lists: positions are right up to the end of that step.
template <class MemorySpace>
struct Overflow {
  static constexpr Count never = ~Count{0};

  Kokkos::View<Count, MemorySpace> step;

  KOKKOS_INLINE_FUNCTION bool before(Count now) const { return Kokkos::atomic_load(&step()) < now; }
  KOKKOS_INLINE_FUNCTION void record(Count now) const { Kokkos::atomic_min(&step(), now); }
};

/// A pass of step `now`, which does nothing if lists were incomplete before that step.
template <class MemorySpace, class Body>
struct Unless {
  Overflow<MemorySpace> overflow;
  Count now;
  Body body;

  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i) const {
    if (!overflow.before(now)) body(i);
  }
};

/// Adds every row to the block of its position; slot(i) is where. One thread per row.
template <int D, class MemorySpace>
struct AddRows {
  BlockOf<D, MemorySpace> block_of;
  Slots<MemorySpace> slots;
  Kokkos::View<LocalIndex*, MemorySpace> slot;
  Overflow<MemorySpace> overflow;
  Count now;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    slot(i) = slots.add(block_of(i), i);
    if (slot(i) == Slots<MemorySpace>::none) overflow.record(now);
  }
};

/// The first published version: every block looks for its rows among all. O(blocks n) work.
template <int D, class MemorySpace>
struct RescanBlock {
  BlockOf<D, MemorySpace> block_of;
  Slots<MemorySpace> slots;
  LocalIndex rows;
  Overflow<MemorySpace> overflow;
  Count now;

  KOKKOS_FUNCTION void operator()(Count block) const {
    const Count first = block * slots.per_block;
    LocalIndex used = 0;
    for (LocalIndex i = 0; i < rows; ++i) {
      if (block_of(i) != block) continue;
      if (used == slots.per_block) return overflow.record(now);
      slots.rows(first + used) = i;
      slots.state(first + used) = SlotState::full;
      ++used;
    }
    for (; used < slots.per_block; ++used) slots.state(first + used) = SlotState::empty;
  }
};

/// One thread per block moves the rows that left it. Rows that others add meanwhile are at home and
/// stay. A row is removed before it is added, so its slot is free for others.
template <int D, class MemorySpace>
struct MigrateBlock {
  BlockOf<D, MemorySpace> block_of;
  Slots<MemorySpace> slots;
  Overflow<MemorySpace> overflow;
  Count now;

  KOKKOS_FUNCTION void operator()(Count block) const {
    const Count first = block * slots.per_block;
    for (Count slot = first; slot < first + slots.per_block; ++slot) {
      if (!slots.holds(slot)) continue;
      const LocalIndex row = slots.rows(slot);
      const Count target = block_of(row);
      if (target == block) continue;
      slots.remove(slot);
      if (slots.add(target, row) == Slots<MemorySpace>::none) overflow.record(now);
    }
  }
};

/// The same with a thread per row, which knows its slot.
template <int D, class MemorySpace>
struct MigrateRow {
  BlockOf<D, MemorySpace> block_of;
  Slots<MemorySpace> slots;
  Kokkos::View<LocalIndex*, MemorySpace> slot;
  Overflow<MemorySpace> overflow;
  Count now;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    const Count target = block_of(i);
    if (target == slot(i) / slots.per_block) return;
    slots.remove(slot(i));
    slot(i) = slots.add(target, i);
    if (slot(i) == Slots<MemorySpace>::none) overflow.record(now);
  }
};

/// A whole step in one kernel, one thread per block. The published kernel had __syncthreads()
/// between its passes, which waits for the threads of one thread block only: a particle in another
/// one could have moved before its neighbours computed their forces. No barrier is needed if
/// positions and lists are read from one copy and written to another. A third copy of the slots is
/// emptied for the next step.
template <int D, class MemorySpace>
struct WholeStep {
  Pairs<D, MemorySpace> pairs;
  NearBlocks<D, MemorySpace, Slots<MemorySpace>> near;
  Vectors<D, MemorySpace> moved;  ///< the new positions
  Slots<MemorySpace> filled, emptied;
  Overflow<MemorySpace> overflow;
  Count now;

  KOKKOS_FUNCTION void operator()(Count block) const {
    const Count first = block * emptied.per_block;
    for (LocalIndex k = 0; k < emptied.per_block; ++k) emptied.state(first + k) = SlotState::empty;
    near.lists.for_each_in(block, [&](LocalIndex i) {
      Vector<D> x = pairs.position(i), v;
      if (!is_ghost(pairs.particles.tag(i))) {
        for (int a = 0; a < D; ++a) v[a] = pairs.particles.velocity(i, a);
        pairs.move(pairs.acceleration(i, [&](const auto& f) { near(i, f); }), x, v);
        for (int a = 0; a < D; ++a) pairs.particles.velocity(i, a) = v[a];
      }
      for (int a = 0; a < D; ++a) moved(i, a) = x[a];
      if (filled.add(near.grid.cell_of(x), i) == Slots<MemorySpace>::none) overflow.record(now);
    });
  }
};

}  // namespace copse::collide
