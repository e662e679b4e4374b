#pragma once
/// \file
/// What the bisection engines reorder, and the room they need to do so.
///
/// An engine swaps the handles after every movement, so the result is in `points` and the spares
/// hold junk. It is told what else moves along with the points by the type of the arrays:
///
///     arrays.points, arrays.spare_points   // handles of [n][dim]
///     arrays.rows(), arrays.spare_rows()   // where the other column lies; null: there is none
///     arrays.columns()                     // all of it, for segmented_partition
///     arrays.swap()                        // after a movement
///     arrays.number(space)                 // before the first: rows are called by their index

#include <copse/algorithms/columns.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace copse {

namespace detail {
struct NumberRows {
  LocalIndex* out;
  KOKKOS_FUNCTION void operator()(Count i) const { out[i] = static_cast<LocalIndex>(i); }
};
}  // namespace detail

/// permutation(i) = i: the order before anything moved.
template <class ExecutionSpace, class Permutation>
void number_rows(const ExecutionSpace& space, const Permutation& permutation) {
  Kokkos::parallel_for("copse::bisect::number_rows",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, permutation.extent(0)),
                       detail::NumberRows{permutation.data()});
}

/// Points and a column that moves along: `Row` is what the permutation says of a row, its index
/// before and whatever else travels with it.
template <int Dim, class MemorySpace, class RowType = LocalIndex>
struct BisectionArrays {
  using Row = RowType;
  static constexpr int dim = Dim;
  Points<Dim, MemorySpace>& points;
  Points<Dim, MemorySpace>& spare_points;
  Kokkos::View<Row*, MemorySpace>& permutation;
  Kokkos::View<Row*, MemorySpace>& spare_permutation;

  Row* rows() const { return permutation.data(); }
  Row* spare_rows() const { return spare_permutation.data(); }
  auto columns() const {
    return with_points(with_column(no_columns(), permutation, spare_permutation), points,
                       spare_points);
  }
  void swap() const {
    std::swap(points, spare_points);
    std::swap(permutation, spare_permutation);
  }
  template <class ExecutionSpace>
  void number(const ExecutionSpace& space) const {
    number_rows(space, permutation);
  }
};

/// Points alone, which then cannot tell where they came from: a quarter fewer bytes to keep and to
/// move.
template <int Dim, class MemorySpace>
struct PointArrays {
  using Row = LocalIndex;
  static constexpr int dim = Dim;
  Points<Dim, MemorySpace>& points;
  Points<Dim, MemorySpace>& spare_points;

  static Row* rows() { return nullptr; }
  static Row* spare_rows() { return nullptr; }
  auto columns() const { return with_points(no_columns(), points, spare_points); }
  void swap() const { std::swap(points, spare_points); }
  template <class ExecutionSpace>
  void number(const ExecutionSpace&) const {}
};

}  // namespace copse
