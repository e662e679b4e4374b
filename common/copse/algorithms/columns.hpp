#pragma once
/// \file
/// The columns that a partition moves: any number of (from, to) pairs of arrays with the same rows.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Columns of mixed types, moved out of place by one kernel. `for_each(f)` calls `f(from, to)` with
/// the pointers of each column (`for_each_on_host` if f is host code, which nvcc distinguishes). A
/// column's `from` and `to` must not overlap.
template <class... Ts>
struct Columns;

template <>
struct Columns<> {
  static constexpr std::size_t row_bytes = 0;
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(F&&) const {}
  template <class F>
  void for_each_on_host(F&&) const {}
};

template <class T, class... Rest>
struct Columns<T, Rest...> {
  /// Bytes of one row over all columns: a partition reads and writes each byte once.
  static constexpr std::size_t row_bytes = sizeof(T) + Columns<Rest...>::row_bytes;

  const T* from;
  T* to;
  Columns<Rest...> rest;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(F&& f) const {
    f(from, to);
    rest.for_each(f);
  }
  template <class F>
  void for_each_on_host(F&& f) const {
    f(from, to);
    rest.for_each_on_host(f);
  }
};

/// The empty list of columns, the start of a list built by `with_column` and `with_points`.
inline Columns<> no_columns() {
  return {};
}

/// `columns` plus one, given by two rank-1 Views of one value type.
template <class View, class... Ts>
auto with_column(const Columns<Ts...>& columns, const View& from, const View& to) {
  static_assert(View::rank() == 1);
  return Columns<typename View::non_const_value_type, Ts...>{from.data(), to.data(), columns};
}

/// `columns` plus one for each axis of two sets of points (see points.hpp).
template <int Axis = 0, class PointSet, class... Ts>
auto with_points(const Columns<Ts...>& columns, const PointSet& from, const PointSet& to) {
  if constexpr (Axis == static_cast<int>(PointSet::static_extent(1))) {
    return columns;
  } else {
    const Columns<typename PointSet::non_const_value_type, Ts...> more{
        from.data() + from.stride(1) * Axis, to.data() + to.stride(1) * Axis, columns};
    return with_points<Axis + 1>(more, from, to);
  }
}

}  // namespace copse
