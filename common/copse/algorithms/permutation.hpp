#pragma once
/// \file
/// Lists of rows: the identity, the inverse of a permutation, and columns gathered in the order of
/// a list. Each is one kernel; none synchronises.

#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse {

namespace detail {

template <class Rows>
struct NumberRows {
  Rows rows;

  KOKKOS_FUNCTION void operator()(Count i) const {
    rows(i) = static_cast<typename Rows::non_const_value_type>(i);
  }
};

template <class MemorySpace>
struct InvertPermutation {
  Kokkos::View<const LocalIndex*, MemorySpace> permutation;
  Kokkos::View<LocalIndex*, MemorySpace> inverse;

  KOKKOS_FUNCTION void operator()(const Count row) const {
    inverse(permutation(row)) = static_cast<LocalIndex>(row);
  }
};

template <class From, class To, class Rows>
struct GatherRows {
  From from;
  To to;
  Rows rows;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const Count row = rows(i);
    if constexpr (To::rank() == 1) {
      to(i) = from(row);
    } else {
      for (std::size_t a = 0; a < To::static_extent(1); ++a) to(i, a) = from(row, a);
    }
  }
};

}  // namespace detail

/// rows(i) = i, in a kernel named `label`.
template <class ExecutionSpace, class Rows>
void number_rows(const std::string& label, const ExecutionSpace& space, const Rows& rows) {
  Kokkos::parallel_for(label, CountRange<ExecutionSpace>(space, 0, rows.extent(0)),
                       detail::NumberRows<Rows>{rows});
}

/// inverse(permutation(row)) = row. `permutation` must be a permutation; this is not checked. Per
/// row, 4 bytes are read in order and 4 written at random.
template <class ExecutionSpace, class MemorySpace>
void invert_permutation(const ExecutionSpace& space,
                        const Kokkos::View<LocalIndex*, MemorySpace>& permutation,
                        const Kokkos::View<LocalIndex*, MemorySpace>& inverse) {
  Kokkos::parallel_for("copse::permute::invert",
                       CountRange<ExecutionSpace>(space, 0, permutation.extent(0)),
                       detail::InvertPermutation<MemorySpace>{permutation, inverse});
}

/// to(i) = from(rows(i)) for every row of `rows`, in a kernel named `label`. `from` and `to` are
/// lists or points [n][Dim] and must not overlap.
template <class ExecutionSpace, class From, class To, class Rows>
void gather_rows(const std::string& label, const ExecutionSpace& space, const From& from,
                 const To& to, const Rows& rows) {
  Kokkos::parallel_for(label, CountRange<ExecutionSpace>(space, 0, rows.extent(0)),
                       detail::GatherRows<From, To, Rows>{from, to, rows});
}

}  // namespace copse
