#pragma once
/// \file
/// Four versions of sums over segments of rows whose lengths have nothing in common: a few of a
/// million rows, most of about ten.
///
/// Values and sums are integers, so every version gives the same bits in whatever order it adds.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::book {

/// Segment s is the rows [begin(s), begin(s + 1)); every row is in one, a segment may have none.
template <class MemorySpace>
struct SegmentedValues {
  Kokkos::View<const Count*, MemorySpace> begin{};          ///< [segments + 1], 0 first
  Kokkos::View<const std::uint32_t*, MemorySpace> value{};  ///< [rows]

  KOKKOS_FUNCTION Count segments() const { return begin.extent(0) - 1; }
};

/// Modulo 2^64.
template <class MemorySpace>
using Sums = Kokkos::View<std::uint64_t*, MemorySpace>;

/// Who adds up what.
enum class Summing {
  by_thread,  ///< 1: a thread takes a segment
  by_team,    ///< 2: a team takes a segment
  by_tile,    ///< 3: a team takes as many rows as any other, a thread a segment's piece of them
  scanned,    ///< 4: so does a thread; for devices, as a host's team is one thread anyway
};

/// Fills `sums` ([segments]). Waits for the result.
template <class ExecutionSpace>
void sum_segments(const ExecutionSpace& space, Summing summing,
                  const SegmentedValues<typename ExecutionSpace::memory_space>& rows,
                  const Sums<typename ExecutionSpace::memory_space>& sums);

}  // namespace copse::book
