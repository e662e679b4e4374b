#pragma once
/// \file
/// The buckets' order without leaving the device: rows of steps in lexicographic order.
///
/// The paper's buckets (`buckets.hpp`) are a radix sort from the most significant digit that stops
/// at small buckets. Stable sorts from the least significant end give the order in which it would
/// end if it did not stop: four steps of 16 bits make a 64-bit key, the earliest uppermost, and the
/// last four steps of a row are sorted first. Up to the order inside buckets of at most 32 queries
/// this is the paper's schedule. Rows that are equal in all recorded steps stay in input order.
///
/// One sort instead of one for every four steps: `signature.hpp`.

#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Steps that fit into one 64-bit key.
inline constexpr Count key_steps = 4;

/// Steps `first` to `first` + 3 of a row as one number, the earliest uppermost; 0 beyond the row.
template <class Steps>
KOKKOS_FUNCTION std::uint64_t steps_key(const Steps& steps, Count query, Count first) {
  std::uint64_t key = 0;
  for (Count i = first; i < first + key_steps; ++i)
    key = key << 16 | (i < steps.extent(1) ? steps(query, i) : Step{0});
  return key;
}

namespace detail {
template <class MemorySpace>
struct StepsKeys {
  ConstStepMatrix<MemorySpace> steps;
  const LocalIndex* order;
  std::uint64_t* keys;
  Count first;
  KOKKOS_FUNCTION void operator()(Count i) const { keys[i] = steps_key(steps, order[i], first); }
};
}  // namespace detail

/// The lexicographic order of the rows of `steps`, on any backend. `order` has as many elements as
/// `steps` has rows and need not be set.
///
/// ceil(steps / 4) sorts of `queries` 64-bit keys. Workspace: 8 bytes a query, and what the sort
/// needs.
template <class ExecutionSpace>
void device_buckets(const ExecutionSpace& space,
                    const ConstStepMatrix<typename ExecutionSpace::memory_space>& steps,
                    const ScheduleView<typename ExecutionSpace::memory_space>& order,
                    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = order.extent(0);
  const auto keys = workspace.template get<std::uint64_t>("schedule::keys", n);
  input_order(space, order);
  for (Count word = (steps.extent(1) + key_steps - 1) / key_steps; word > 0; --word) {
    Kokkos::parallel_for(
        "copse::schedule::steps_key", Kokkos::RangePolicy<ExecutionSpace>(space, 0, n),
        detail::StepsKeys<MemorySpace>{steps, order.data(), keys.data(), (word - 1) * key_steps});
    sort_by_key(space, keys, order, workspace);
  }
}

}  // namespace copse
