#pragma once
/// \file
/// Four versions of sums over segments of very different lengths: a few segments of a million rows,
/// most of about ten.
///
/// Values and sums are integers, so every version gives the same bits in any order of addition.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::book {

/// Segment s is the rows [begin(s), begin(s + 1)); every row is in one, a segment may be empty.
template <class MemorySpace>
struct SegmentedValues {
  Kokkos::View<const Count*, MemorySpace> begin{};          ///< [segments + 1], 0 first
  Kokkos::View<const std::uint32_t*, MemorySpace> value{};  ///< [rows]

  KOKKOS_FUNCTION Count segments() const { return begin.extent(0) - 1; }
};

/// Modulo 2^64.
template <class MemorySpace>
using Sums = Kokkos::View<std::uint64_t*, MemorySpace>;

/// How the work is divided.
enum class Summing {
  by_thread,  ///< 1: one thread per segment
  by_team,    ///< 2: one team per segment
  by_tile,    ///< 3: teams take equal numbers of rows, a thread one segment's piece of them
  scanned,  ///< 4: threads take equal numbers of rows too; for devices (a host team is one thread)
};

/// Fills `sums` ([segments]). Waits for the result.
template <class ExecutionSpace>
void sum_segments(const ExecutionSpace& space, Summing summing,
                  const SegmentedValues<typename ExecutionSpace::memory_space>& rows,
                  const Sums<typename ExecutionSpace::memory_space>& sums);

}  // namespace copse::book
