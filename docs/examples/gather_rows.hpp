#pragma once
/// \file
/// Five versions of permuting rows (x, y, z, id): row i of the result is row order(i) of the input.
/// They differ in the bytes that they move and in how many of them are in flight.
///
/// `order` must be a permutation of the rows.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::book {

template <class MemorySpace>
using Order = Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

/// Rows as four arrays.
template <class MemorySpace>
struct Columns {
  Kokkos::View<float*, Kokkos::LayoutLeft, MemorySpace> x, y, z;
  Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace> id;
};

// [begin row]
/// A contiguous row that lies in one sector and one cache line.
struct alignas(16) Row {
  float x, y, z;
  std::uint32_t id;
};
// [end row]

template <class MemorySpace>
using RowArray = Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace>;

/// Uninitialised columns of n rows.
template <class MemorySpace>
Columns<MemorySpace> make_columns(Count n);

/// Sets all rows to the same values.
template <class MemorySpace>
void fill(const Columns<MemorySpace>& columns, const Row& row) {
  Kokkos::deep_copy(columns.x, row.x);
  Kokkos::deep_copy(columns.y, row.y);
  Kokkos::deep_copy(columns.z, row.z);
  Kokkos::deep_copy(columns.id, row.id);
}

/// Version 1: four gathers, one from each column. Waits for the result, like all versions.
template <class ExecutionSpace>
void gather_columns(const ExecutionSpace& space,
                    const Columns<typename ExecutionSpace::memory_space>& from,
                    Order<typename ExecutionSpace::memory_space> order,
                    const Columns<typename ExecutionSpace::memory_space>& to);

/// Version 2: from columns to columns through rows. `between` has room for all rows.
template <class ExecutionSpace>
void gather_through_rows(const ExecutionSpace& space,
                         const Columns<typename ExecutionSpace::memory_space>& from,
                         Order<typename ExecutionSpace::memory_space> order,
                         const Columns<typename ExecutionSpace::memory_space>& to,
                         RowArray<typename ExecutionSpace::memory_space> between);

/// Version 3, for hosts: version 2 with 64 rows read before a column is written.
template <class ExecutionSpace>
void gather_by_blocks(const ExecutionSpace& space,
                      const Columns<typename ExecutionSpace::memory_space>& from,
                      Order<typename ExecutionSpace::memory_space> order,
                      const Columns<typename ExecutionSpace::memory_space>& to,
                      RowArray<typename ExecutionSpace::memory_space> between);

/// Versions 4 and 5: from rows to rows.
template <class ExecutionSpace>
void gather_rows(const ExecutionSpace& space, RowArray<typename ExecutionSpace::memory_space> from,
                 Order<typename ExecutionSpace::memory_space> order,
                 RowArray<typename ExecutionSpace::memory_space> to);

}  // namespace copse::book
