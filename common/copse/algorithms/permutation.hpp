#pragma once
/// \file
/// Lists of rows: the identity, the inverse of a permutation, and columns gathered in the order of
/// a list. None synchronises.

#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse {

/// Bytes that rows at random can be read from or written to without leaving the L2 cache of a
/// device. An H200 has 50 MB, which it shares with what is read in order.
inline constexpr Count device_cache_bytes = Count{32} << 20;

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
    } else if constexpr (From::rank() == 1) {
      const auto x = from(row);
      for (std::size_t a = 0; a < To::static_extent(1); ++a) to(i, a) = x[a];
    } else {
      for (std::size_t a = 0; a < To::static_extent(1); ++a) to(i, a) = from(row, a);
    }
  }
};

template <class From, class Rows>
struct JoinCoordinates {
  From from;
  Rows points;

  KOKKOS_FUNCTION void operator()(Count row) const {
    for (std::size_t a = 0; a < From::static_extent(1); ++a) points(row)[a] = from(row, a);
  }
};

/// Reads a block of points, all in flight, before it writes one coordinate after the other.
template <class Points, class To, class Rows>
struct GatherPoints {
  static constexpr Count block = 64;

  Points points;
  To to;
  Rows rows;

  KOKKOS_FUNCTION void operator()(Count item) const {
    const Count begin = item * block;
    const Count left = rows.extent(0) - begin;
    const Count count = left < block ? left : block;
    typename Points::non_const_value_type x[block];
    for (Count k = 0; k < count; ++k) x[k] = points(rows(begin + k));
    for (std::size_t a = 0; a < To::static_extent(1); ++a)
      for (Count k = 0; k < count; ++k) to(begin + k, a) = x[k][a];
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
/// lists or points [n][Dim], or `from` is a list of Kokkos::Array<Real, Dim>; they must not
/// overlap. gather_points_through_rows() is faster for more points than fit a cache.
template <class ExecutionSpace, class From, class To, class Rows>
void gather_rows(const std::string& label, const ExecutionSpace& space, const From& from,
                 const To& to, const Rows& rows) {
  Kokkos::parallel_for(label, CountRange<ExecutionSpace>(space, 0, rows.extent(0)),
                       detail::GatherRows<From, To, Rows>{from, to, rows});
}

/// The same for points, in two kernels. The first copies the points to `scratch`, which has a
/// Kokkos::Array<Real, Dim> for each row of `from`. A random point is then in one cache line and
/// one page instead of Dim, or in one or two sectors of a device instead of Dim. Each coordinate is
/// read and written twice. `to` may be `from`.
template <class ExecutionSpace, class From, class To, class Rows, class Scratch>
void gather_points_through_rows(const std::string& label, const ExecutionSpace& space,
                                const From& from, const To& to, const Rows& rows,
                                const Scratch& scratch) {
  using Range = CountRange<ExecutionSpace>;
  Kokkos::parallel_for("copse::permute::join_coordinates", Range(space, 0, from.extent(0)),
                       detail::JoinCoordinates<From, Scratch>{from, scratch});
  if constexpr (runs_on_host<ExecutionSpace>) {
    using Gather = detail::GatherPoints<Scratch, To, Rows>;
    const Count blocks = (rows.extent(0) + Gather::block - 1) / Gather::block;
    Kokkos::parallel_for(label, Range(space, 0, blocks), Gather{scratch, to, rows});
  } else {
    gather_rows(label, space, scratch, to, rows);
  }
}

}  // namespace copse
