#pragma once
/// \file
/// Measures of schedule quality, computed from the scheduling matrix alone.
///
/// Both measures are integers and so the same on every backend:
/// - `total_difference`, the objective Delta of [Liu 2019] section 3.1.1: the number of top leaves
///   that exactly one of two consecutive queries reaches, summed over the schedule;
/// - `packet_visits`: the number of top leaves reached by packets of `width` consecutive queries,
///   times the width. Lanes in lockstep visit the union of their leaves, so this is the work of a
///   lockstep walk in the top tree, idle lanes included. Divided by the number of set bits in the
///   matrix it is the work expansion over single walks.
///
/// Delta ignores packets, so a schedule may have a smaller Delta and more packet visits.

#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

namespace copse::test {

/// [queries]
template <class MemorySpace>
using ConstSchedule = Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

template <class MemorySpace>
struct NeighbourDifference {
  ConstVisitMatrix<MemorySpace> visits;
  const LocalIndex* order;
  KOKKOS_FUNCTION void operator()(Count i, Count& sum) const {
    for (Count w = 0; w < visits.extent(1); ++w)
      sum += static_cast<Count>(Kokkos::popcount(visits(order[i], w) ^ visits(order[i + 1], w)));
  }
};

template <class MemorySpace>
struct PacketUnion {
  ConstVisitMatrix<MemorySpace> visits;
  const LocalIndex* order;
  Count n;
  Count width;
  KOKKOS_FUNCTION void operator()(Count packet, Count& sum) const {
    const Count begin = packet * width;
    const Count end = begin + width < n ? begin + width : n;
    for (Count w = 0; w < visits.extent(1); ++w) {
      VisitWord any = 0;
      for (Count i = begin; i < end; ++i) any |= visits(order[i], w);
      sum += width * static_cast<Count>(Kokkos::popcount(any));
    }
  }
};

template <class MemorySpace>
struct VisitsOfSteps {
  ConstStepMatrix<MemorySpace> steps;
  VisitMatrix<MemorySpace> visits;
  KOKKOS_FUNCTION void operator()(Count q) const {
    for (Count w = 0; w < visits.extent(1); ++w) visits(q, w) = 0;
    for (Count i = 0; i < steps.extent(1) && steps(q, i) != 0; ++i) {
      const Count column = steps(q, i) - Count{1};
      visits(q, column / visit_word_columns) |= VisitWord{1} << column % visit_word_columns;
    }
  }
};

/// Delta of `order` over the rows of `visits`. O(queries x words).
template <class ExecutionSpace>
Count total_difference(const ExecutionSpace& space,
                       const ConstVisitMatrix<typename ExecutionSpace::memory_space>& visits,
                       const ConstSchedule<typename ExecutionSpace::memory_space>& order) {
  Count sum = 0;
  const Count n = order.extent(0);
  if (n < 2) return sum;
  using Kernel = NeighbourDifference<typename ExecutionSpace::memory_space>;
  Kokkos::parallel_reduce("copse::schedule::total_difference",
                          Kokkos::RangePolicy<ExecutionSpace>(space, 0, n - 1),
                          Kernel{visits, order.data()}, Kokkos::Sum<Count>(sum));
  return sum;
}

/// Top leaves visited by packets of `width` queries, times `width`, in the schedule `order`; a
/// partial last packet counts in full. O(queries x words).
template <class ExecutionSpace>
Count packet_visits(const ExecutionSpace& space,
                    const ConstVisitMatrix<typename ExecutionSpace::memory_space>& visits,
                    const ConstSchedule<typename ExecutionSpace::memory_space>& order,
                    Count width) {
  Count sum = 0;
  const Count n = order.extent(0);
  using Kernel = PacketUnion<typename ExecutionSpace::memory_space>;
  Kokkos::parallel_reduce("copse::schedule::packet_visits",
                          Kokkos::RangePolicy<ExecutionSpace>(space, 0, (n + width - 1) / width),
                          Kernel{visits, order.data(), n, width}, Kokkos::Sum<Count>(sum));
  return sum;
}

/// Converts `steps` to a matrix of visits for the measures above. `visits` has as many rows as
/// `steps` and a bit for every leaf that may occur in `steps`.
template <class ExecutionSpace>
void visits_of_steps(const ExecutionSpace& space,
                     const ConstStepMatrix<typename ExecutionSpace::memory_space>& steps,
                     const VisitMatrix<typename ExecutionSpace::memory_space>& visits) {
  using Kernel = VisitsOfSteps<typename ExecutionSpace::memory_space>;
  Kokkos::parallel_for("copse::schedule::visits_of_steps",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, steps.extent(0)),
                       Kernel{steps, visits});
}

}  // namespace copse::test
