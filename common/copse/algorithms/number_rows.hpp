#pragma once
/// \file
/// The identity as a list of rows.

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
}  // namespace detail

/// rows(i) = i, in one kernel named `label`. No synchronisation.
template <class ExecutionSpace, class Rows>
void number_rows(const std::string& label, const ExecutionSpace& space, const Rows& rows) {
  Kokkos::parallel_for(label, CountRange<ExecutionSpace>(space, 0, rows.extent(0)),
                       detail::NumberRows<Rows>{rows});
}

}  // namespace copse
