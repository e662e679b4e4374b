#pragma once
/// \file
/// What the methods with microblocks share [Li, Scott, Twigg 2012, sections 2.1, 2.3, 2.7].
///
/// A microblock is a cell with sides of 2 c, so the contacts of a particle are in its own block and
/// the 8 (26) around it. Particles stay in their rows of global arrays; a block has a list of rows.
/// A step has three passes: forces, moves, and the migration of rows between lists.
///
/// Invariant between steps: every row is once in the list of the block of its position, and in no
/// other. A block follows from the position alone, so it does not matter how far a particle jumped.
///
/// At the course's density a block holds 0.8 particles on average and the nine blocks 7.2, not the
/// 2 to 3 and 21 of section 2.1, whose density is 2.5 times too high.

#include "../make.hpp"
#include <copse/backend/backends.hpp>
#include <copse/grid/cell_grid.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace copse::collide {

/// Blocks of side 2 c, c being the largest reach of a pair; longer ones if there would be more than
/// a few per particle.
template <int D, class MemorySpace>
CellGrid<D, double> microblocks_of(const State<D, MemorySpace>& state, const Physics<D>& physics,
                                   const Part<D>& part) {
  const double side = 2.0 * physics.force.cutoff * state.largest_size;
  return cells_over(part, physics.region, side, state.rows());
}

/// The block of a row's position.
template <int D, class MemorySpace>
struct BlockOf {
  CellGrid<D, double> grid;
  Vectors<D, MemorySpace> position;

  KOKKOS_FORCEINLINE_FUNCTION Count operator()(LocalIndex i) const {
    Vector<D> x;
    for (int a = 0; a < D; ++a) x[a] = position(i, a);
    return grid.cell_of(x);
  }
};

/// The candidates of a particle: the rows of its own block and the blocks around it. Lists have
/// for_each_in(block, f).
template <int D, class MemorySpace, class Lists>
struct NearBlocks {
  CellGrid<D, double> grid;
  Lists lists;
  Vectors<D, MemorySpace> position;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(LocalIndex i, const F& f) const {
    Vector<D> x;
    for (int a = 0; a < D; ++a) x[a] = position(i, a);
    grid.for_each_near(grid.coordinates(x), 1, [&](Count block) { lists.for_each_in(block, f); });
  }
};

/// One thread per block: calls body(row) for every row of a block.
template <class Lists, class Body>
struct InBlock {
  Lists lists;
  Body body;

  KOKKOS_FUNCTION void operator()(Count block) const { lists.for_each_in(block, body); }
};

/// The list of a block on a host, growable like std::vector; kernels read it through plain
/// pointers.
class BlockRows {
 public:
  BlockRows() = default;
  BlockRows(const BlockRows&) = delete;
  BlockRows& operator=(const BlockRows&) = delete;
  ~BlockRows() { delete[] rows_; }

  KOKKOS_FORCEINLINE_FUNCTION LocalIndex size() const { return size_; }
  KOKKOS_FORCEINLINE_FUNCTION LocalIndex operator[](LocalIndex k) const { return rows_[k]; }

  /// Amortised O(1). The array may move, so nobody may read the list meanwhile.
  void add(LocalIndex row) {
    if (size_ == capacity_) grow();
    rows_[size_++] = row;
  }
  /// O(1): the last row takes the place of the one removed.
  LocalIndex remove_at(LocalIndex k) { return std::exchange(rows_[k], rows_[--size_]); }
  void clear() { size_ = 0; }

 private:
  static constexpr LocalIndex first_capacity = 4;  ///< "rarely more than 4 particles"

  void grow() {
    capacity_ = capacity_ == 0 ? first_capacity : 2 * capacity_;
    auto* larger = new LocalIndex[capacity_];
    std::copy(rows_, rows_ + size_, larger);
    delete[] rows_;
    rows_ = larger;
  }

  LocalIndex* rows_ = nullptr;
  LocalIndex size_ = 0, capacity_ = 0;
};

/// The lists of all blocks, as kernels on hosts read them.
struct BlockLists {
  const BlockRows* blocks;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_in(Count block, const F& f) const {
    const BlockRows& list = blocks[block];
    for (LocalIndex k = 0; k < list.size(); ++k) f(list[k]);
  }
};

/// Steps in three passes over blocks with growable lists; a pass begins when the one before has
/// ended. `Derived` has migrate(), which restores the invariant after a move.
template <int D, class ExecutionSpace, class Derived>
class GrowableBlocks : public SearchMethod<D, ExecutionSpace, Derived> {
 public:
  using Base = SearchMethod<D, ExecutionSpace, Derived>;
  using Base::Base;
  using typename Base::MemorySpace;

  void load(const State<D, MemorySpace>& state) override {
    Base::load(state);
    grid_ = microblocks_of(state, this->physics_, this->part_of(this->physics_.region));
    blocks_ = std::vector<BlockRows>(grid_.size());
    const auto block_of = this->block_of();
    for (LocalIndex i = 0; i < state.rows(); ++i) blocks_[block_of(i)].add(i);
  }

  void advance(Count steps) override {
    using Kokkos::Profiling::ScopedRegion;
    for (Count s = 0; s < steps; ++s) {
      {
        const ScopedRegion region("copse::collide::force");
        in_blocks("copse::collide::forces_of_blocks",
                  Accelerate<D, MemorySpace, Near>{this->pairs(), search(), this->acceleration_});
      }
      {
        const ScopedRegion region("copse::collide::move");
        in_blocks("copse::collide::move_blocks",
                  Move<D, MemorySpace>{this->pairs(), this->acceleration_});
      }
      const ScopedRegion region("copse::collide::migrate");
      static_cast<Derived&>(*this).migrate();
    }
    this->space_.fence("copse::collide::advance");
  }

  void ghosts_moved(double) override { static_cast<Derived&>(*this).migrate(); }

  using Near = NearBlocks<D, MemorySpace, BlockLists>;
  Near search() const { return {grid_, {blocks_.data()}, this->state_.position}; }

 protected:
  BlockOf<D, MemorySpace> block_of() const { return {grid_, this->state_.position}; }
  CountRange<ExecutionSpace> all_blocks() const { return {this->space_, 0, grid_.size()}; }

  template <class Body>
  void in_blocks(const char* label, const Body& body) const {
    Kokkos::parallel_for(label, all_blocks(), InBlock<BlockLists, Body>{{blocks_.data()}, body});
  }

  CellGrid<D, double> grid_;
  std::vector<BlockRows> blocks_;
};

}  // namespace copse::collide
