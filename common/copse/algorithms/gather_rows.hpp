#pragma once
/// \file
/// Gathers rows of a column, or of all axes of a set of points, in a given order.

#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse {

namespace detail {
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

/// to(i) = from(rows(i)) for every row of `rows`, in one kernel named `label`. `from` and `to` are
/// lists or points [n][Dim] and must not overlap. No synchronisation.
template <class ExecutionSpace, class From, class To, class Rows>
void gather_rows(const std::string& label, const ExecutionSpace& space, const From& from,
                 const To& to, const Rows& rows) {
  Kokkos::parallel_for(label, CountRange<ExecutionSpace>(space, 0, rows.extent(0)),
                       detail::GatherRows<From, To, Rows>{from, to, rows});
}

}  // namespace copse
