#pragma once
/// \file
/// The scheduling matrix: what an inspection of the top of the tree records for each query.
///
/// The top tree has C leaves, numbered 0 to C - 1 in depth-first order (not by heap index, so that
/// the numbers work for trees of every shape). There are two kinds of matrix:
///
/// - *Visits*, for unguided walks, which all visit the leaves in this order: bit c % 64 of word c /
///   64 of row q is set if query q reached leaf c. Bits from C on are clear.
/// - *Steps*, for guided walks, where each query has its own order: element i of row q is one more
///   than the number of the i-th leaf that query q reached, and 0 after the last.
///
/// A *schedule* is a permutation `order` of the queries: order(i) is the i-th query to walk.
///
/// Source: [Liu 2019] section 3.2.1 (table 3.1, figures 3.3 and 3.4), which stores 4-byte elements:
/// 32 times the memory for visits and twice for steps.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

using VisitWord = std::uint64_t;
using Step = std::uint16_t;

/// Columns of one word of visits.
inline constexpr Count visit_word_columns = 64;

/// [queries][words of 64 columns]
template <class MemorySpace>
using VisitMatrix = Kokkos::View<VisitWord**, Kokkos::LayoutLeft, MemorySpace>;
template <class MemorySpace>
using ConstVisitMatrix = Kokkos::View<const VisitWord**, Kokkos::LayoutLeft, MemorySpace>;

/// [queries][maximum steps recorded]
template <class MemorySpace>
using StepMatrix = Kokkos::View<Step**, Kokkos::LayoutLeft, MemorySpace>;
template <class MemorySpace>
using ConstStepMatrix = Kokkos::View<const Step**, Kokkos::LayoutLeft, MemorySpace>;

/// [queries]
template <class MemorySpace>
using ScheduleView = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

/// Number of words for `columns` columns of visits.
KOKKOS_INLINE_FUNCTION constexpr Count visit_words(Count columns) {
  return (columns + visit_word_columns - 1) / visit_word_columns;
}

}  // namespace copse
