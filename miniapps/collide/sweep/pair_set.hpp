#pragma once
/// \file
/// A set of unordered pairs of numbers: an open hash table with linear probing.
///
/// Invariant: between the home slot of a pair and the slot it is in, no slot is empty. Erasing
/// moves later pairs back instead of leaving marks. The table takes O(pairs), where the published
/// one has a byte for every two particles [Li, Scott, Twigg 2012, section 2.2.1].

#include <copse/backend/types.hpp>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse::collide {

class PairSet {
 public:
  using Number = std::uint32_t;

  /// No effect if the pair is in the set. Amortised O(1).
  void insert(Number i, Number j) {
    if (2 * (pairs_ + 1) > table_.size()) grow();
    const std::uint64_t pair = key(i, j);
    std::size_t slot = home(pair);
    for (; table_[slot] != empty; slot = next(slot))
      if (table_[slot] == pair) return;
    table_[slot] = pair;
    ++pairs_;
  }

  /// No effect if the pair is not in the set. O(1).
  void erase(Number i, Number j) {
    const std::uint64_t pair = key(i, j);
    std::size_t hole = home(pair);
    for (; table_[hole] != pair; hole = next(hole))
      if (table_[hole] == empty) return;
    --pairs_;
    for (std::size_t slot = next(hole); table_[slot] != empty; slot = next(slot)) {
      // A pair may move to the hole unless its home is behind it.
      const std::size_t from_home = (slot - home(table_[slot])) & (table_.size() - 1);
      const std::size_t from_hole = (slot - hole) & (table_.size() - 1);
      if (from_home < from_hole) continue;
      table_[hole] = table_[slot];
      hole = slot;
    }
    table_[hole] = empty;
  }

  /// Calls f(i, j) with i < j once for each pair, in an order that depends on the history.
  template <class F>
  void for_each(const F& f) const {
    for (const std::uint64_t pair : table_)
      if (pair != empty) f(static_cast<Number>(pair), static_cast<Number>(pair >> 32));
  }

  Count size() const { return pairs_; }

  void clear() {
    table_.assign(least_slots, empty);
    shift_ = 64 - std::countr_zero(least_slots);
    pairs_ = 0;
  }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  static constexpr std::size_t least_slots = 64;

  static std::uint64_t key(Number i, Number j) {
    if (i > j) std::swap(i, j);
    return std::uint64_t{j} << 32 | i;
  }
  std::size_t home(std::uint64_t pair) const {
    return static_cast<std::size_t>(((pair ^ (pair >> 29)) * 0x9E3779B97F4A7C15U) >> shift_);
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (table_.size() - 1); }

  void grow() {
    std::vector<std::uint64_t> old(2 * table_.size(), empty);
    old.swap(table_);
    --shift_;
    for (const std::uint64_t pair : old) {
      if (pair == empty) continue;
      std::size_t slot = home(pair);
      while (table_[slot] != empty) slot = next(slot);
      table_[slot] = pair;
    }
  }

  std::vector<std::uint64_t> table_ = std::vector<std::uint64_t>(least_slots, empty);
  int shift_ = 64 - std::countr_zero(least_slots);
  Count pairs_ = 0;
};

}  // namespace copse::collide
