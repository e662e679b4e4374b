#pragma once
/// \file
/// The interface of a point model, and the kernel that writes its rows.
///
/// A model is a small struct, copied to the device, with
///  - `Coordinates<Dim> operator()(GlobalId i) const`: the position of point i. It may use only
///    correctly rounded operations (see `generators.hpp`), and only the random stream of point i.
///
/// Only point_models.cpp, which is compiled without contraction, may use models.

#include <copse/backend/backends.hpp>
#include <copse/particles/points.hpp>
#include <copse/particles/random_variates.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::point_models {

template <int Dim>
using Coordinates = Kokkos::Array<double, Dim>;

/// The random stream of point i; a model draws all numbers for that point from it.
KOKKOS_FORCEINLINE_FUNCTION RandomStream stream_of_point(std::uint64_t seed, GlobalId i) {
  return RandomStream(seed, RandomPurpose::point, i);
}

/// The random stream of entry k of a model's table.
KOKKOS_FORCEINLINE_FUNCTION RandomStream stream_of_entry(std::uint64_t seed, std::uint64_t k) {
  return RandomStream(seed, RandomPurpose::point_table, k);
}

/// Copies a table from the host to memory that kernels can read.
template <class MemorySpace, class T>
Kokkos::View<const T*, MemorySpace> table_in(const std::vector<T>& entries) {
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> on_host(entries.data(),
                                                                                   entries.size());
  Kokkos::View<T*, MemorySpace> copy(
      Kokkos::view_alloc("copse::particles::model_table", Kokkos::WithoutInitializing),
      entries.size());
  Kokkos::deep_copy(copy, on_host);
  return copy;
}

/// Divides [0, 1] into parts proportional to the weights and returns their upper ends.
inline std::vector<double> upper_ends(const std::vector<double>& weights) {
  double total = 0.0;
  for (const double w : weights) total += w;
  std::vector<double> ends;
  double sum = 0.0;
  for (const double w : weights) ends.push_back((sum += w) / total);
  return ends;
}

/// The part that contains u, by bisection; the last one for u at its upper end.
template <class MemorySpace>
KOKKOS_FUNCTION std::size_t part_of(const Kokkos::View<const double*, MemorySpace>& ends,
                                    double u) {
  std::size_t begin = 0;
  std::size_t end = ends.extent(0) - 1;
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (ends(middle) > u)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

/// Maps x into [0, length] by mirroring at both ends.
KOKKOS_FORCEINLINE_FUNCTION double mirrored(double x, double length) {
  const double there_and_back = 2.0 * length;
  const double y = x - there_and_back * Kokkos::floor(x / there_and_back);
  return y < length ? y : there_and_back - y;
}

/// Work model: sizeof(Real) Dim bytes written per point; only the model's table is read.
template <int Dim, class ExecutionSpace, class Model>
Points<Dim, typename ExecutionSpace::memory_space> write_points(const ExecutionSpace& space,
                                                                const Model& model, Count first,
                                                                Count count) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Points<Dim, MemorySpace> points(
      Kokkos::view_alloc("copse::particles::points", Kokkos::WithoutInitializing), count);
  Kokkos::parallel_for(
      "copse::particles::generate_points", CountRange<ExecutionSpace>(space, 0, count),
      KOKKOS_LAMBDA(const Count row) {
        const Coordinates<Dim> x = model(first + row);
        for (int a = 0; a < Dim; ++a) points(row, a) = static_cast<Real>(x[a]);
      });
  space.fence("copse::particles::generate_points");
  return points;
}

}  // namespace copse::point_models
