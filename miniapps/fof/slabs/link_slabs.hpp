#pragma once
/// \file
/// Joins the friends among a rank's particles, slab by slab (compare_groups.hpp).

#include "layers.hpp"

#include <atomic>
#include <vector>

namespace copse::fof {

/// Disjoint sets of particles. The root of a set is its smallest index. Safe for several threads.
class DisjointSets {
 public:
  explicit DisjointSets(Count n) : parent_(n) {
    for (Count i = 0; i < n; ++i) parent_[i] = static_cast<LocalIndex>(i);
  }

  LocalIndex root(LocalIndex i) {
    for (LocalIndex above = parent(i).load(relaxed); above != i; above = parent(i).load(relaxed)) {
      const LocalIndex next = parent(above).load(relaxed);
      // Parents only decrease; a parent that has changed meanwhile stays.
      if (next != above) parent(i).compare_exchange_weak(above, next, relaxed);
      i = next;
    }
    return i;
  }

  void unite(LocalIndex a, LocalIndex b) {
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      LocalIndex expected = a;
      if (parent(a).compare_exchange_strong(expected, b, relaxed)) return;
    }
  }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic_ref<LocalIndex> parent(LocalIndex i) { return std::atomic_ref(parent_[i]); }

  std::vector<LocalIndex> parent_;
};

/// Joins all friends of which one is in a layer that this rank owns and the other in that layer or
/// the two above.
void link_slabs(const LayerGrid& grid, const LayerParticles& here, Count slab_particles,
                DisjointSets& components);

}  // namespace copse::fof
