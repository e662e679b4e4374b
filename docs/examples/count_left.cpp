#include "count_left.hpp"

#include <copse/backend/backends.hpp>

#include <cstdint>
#include <utility>

namespace copse::book {

// [begin branching]
Count count_left_branching(const Real* keys, Count n, Real cut) {
  Count left = 0;
  for (Count i = 0; i < n; ++i) {
    if (keys[i] <= cut) {
      left = left + 1;
      // Keeps the branch: compilers would otherwise turn it into version 2.
      asm volatile("" : "+r"(left));
    }
  }
  return left;
}
// [end branching]

// [begin adding]
Count count_left_adding(const Real* keys, Count n, Real cut) {
  Count left = 0;
  for (Count begin = 0; begin < n; begin += 4096) {
    const Count end = begin + 4096 < n ? begin + 4096 : n;
    std::uint32_t some = 0;  // as wide as a key: vectors compare and add lane by lane
    for (Count i = begin; i < end; ++i) some += keys[i] <= cut;
    left += some;
  }
  return left;
}
// [end adding]

namespace {

// [begin reduced]
template <class ExecutionSpace>
struct CountReduced {
  Keys<ExecutionSpace> keys;
  Real cut;

  KOKKOS_FUNCTION void operator()(Count i, Count& left) const { left += keys(i) <= cut; }
};
// [end reduced]

// [begin sixteen]
struct alignas(4 * sizeof(Real)) Four {
  Real key[4];
};

/// Sixteen keys of a sweep. On a host they are consecutive. On a device item t of T takes four
/// groups of four, T groups apart, so that adjacent threads load adjacent groups.
template <class ExecutionSpace>
struct Sixteen {
  static constexpr int size = 16;
  Real key[size];

  KOKKOS_FUNCTION Sixteen(const Keys<ExecutionSpace>& keys, Count t, Count items) {
    if constexpr (runs_on_host<ExecutionSpace>) {
      for (int k = 0; k < size; ++k) key[k] = keys(16 * t + static_cast<Count>(k));
    } else {
      const Four* groups = reinterpret_cast<const Four*>(keys.data());  // Views are aligned
      Four group[4];
      for (int g = 0; g < 4; ++g) group[g] = groups[t + static_cast<Count>(g) * items];
      for (int g = 0; g < 4; ++g) {
        for (int k = 0; k < 4; ++k) key[4 * g + k] = group[g].key[k];
      }
    }
  }
};
// [end sixteen]

// [begin wide]
template <class ExecutionSpace>
struct CountWide {
  Keys<ExecutionSpace> keys;
  Count items;
  Real cut;

  KOKKOS_FUNCTION void operator()(Count t, Count& left) const {
    const Sixteen<ExecutionSpace> some(keys, t, items);
    std::uint32_t few = 0;
    for (int k = 0; k < some.size; ++k) few += some.key[k] <= cut;
    left += few;
  }
};
// [end wide]

// [begin seven]
template <class ExecutionSpace>
struct CountSeven {
  using value_type = Count[];  // Kokkos reduces an array of value_count elements
  unsigned value_count = 7;
  Keys<ExecutionSpace> keys;
  Count items;
  SevenCuts cuts;

  KOKKOS_FUNCTION void operator()(Count t, Count* left) const {
    const Sixteen<ExecutionSpace> some(keys, t, items);
    for (int c = 0; c < 7; ++c) {
      std::uint32_t few = 0;
      for (int k = 0; k < some.size; ++k) few += some.key[k] <= cuts[c];
      left[c] += few;
    }
  }
};
// [end seven]

template <class ExecutionSpace>
using Rows = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;

/// Counts the keys that remain after the groups of sixteen.
template <class ExecutionSpace>
Keys<ExecutionSpace> left_over_keys(const Keys<ExecutionSpace>& keys) {
  return Kokkos::subview(keys, std::pair(keys.extent(0) / 16 * 16, keys.extent(0)));
}

}  // namespace

template <class ExecutionSpace>
Count count_left_reduced(const ExecutionSpace& space, Keys<ExecutionSpace> keys, Real cut) {
  Count left = 0;
  // [begin launch]
  Kokkos::parallel_reduce("copse::book::count_reduced",
                          Rows<ExecutionSpace>(space, 0, keys.extent(0)),
                          CountReduced<ExecutionSpace>{keys, cut}, left);
  // [end launch]
  return left;
}

template <class ExecutionSpace>
Count count_left_wide(const ExecutionSpace& space, Keys<ExecutionSpace> keys, Real cut) {
  const Count items = keys.extent(0) / 16;
  Count left = 0;
  Kokkos::parallel_reduce("copse::book::count_wide", Rows<ExecutionSpace>(space, 0, items),
                          CountWide<ExecutionSpace>{keys, items, cut}, left);
  return left + count_left_reduced(space, left_over_keys<ExecutionSpace>(keys), cut);
}

template <class ExecutionSpace>
SevenCounts count_left_of_seven(const ExecutionSpace& space, Keys<ExecutionSpace> keys,
                                const SevenCuts& cuts) {
  const Count items = keys.extent(0) / 16;
  CountSeven<ExecutionSpace> kernel;
  kernel.keys = keys;
  kernel.items = items;
  kernel.cuts = cuts;
  SevenCounts left{};
  Kokkos::parallel_reduce(
      "copse::book::count_seven", Rows<ExecutionSpace>(space, 0, items), kernel,
      Kokkos::View<Count*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(left.data(), 7));
  space.fence("copse::book::count_seven");  // Kokkos does not wait for a result in a View
  for (int c = 0; c < 7; ++c)
    left[c] += count_left_reduced(space, left_over_keys<ExecutionSpace>(keys), cuts[c]);
  return left;
}

#define COPSE_INSTANTIATE(SPACE)                                             \
  template Count count_left_reduced<SPACE>(const SPACE&, Keys<SPACE>, Real); \
  template Count count_left_wide<SPACE>(const SPACE&, Keys<SPACE>, Real);    \
  template SevenCounts count_left_of_seven<SPACE>(const SPACE&, Keys<SPACE>, const SevenCuts&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::book
