#pragma once
/// \file
/// What a point model is, and the kernel that turns one into rows.
///
/// A model is a small struct, copied to the device, with
///  - `Coordinates<Dim> operator()(GlobalId i) const`: where point i is. It may only use correctly
///    rounded operations (see `generators.hpp`), and of point i only its own random stream.
///
/// Models are for point_models.cpp alone, which is compiled so that nothing is contracted.

#include <copse/particles/points.hpp>
#include <copse/particles/random_variates.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::point_models {

template <int Dim>
using Coordinates = Kokkos::Array<double, Dim>;

/// The stream of point i, from which a model draws all it needs for it.
KOKKOS_FORCEINLINE_FUNCTION RandomStream stream_of_point(std::uint64_t seed, GlobalId i) {
  return RandomStream(seed, RandomPurpose::point, i);
}

/// The stream of entry k of a model's table.
KOKKOS_FORCEINLINE_FUNCTION RandomStream stream_of_entry(std::uint64_t seed, std::uint64_t k) {
  return RandomStream(seed, RandomPurpose::point_table, k);
}

/// A table that was made on the host, where kernels can read it.
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

/// Weights turned into the upper ends of the parts of [0, 1] that they divide it into.
inline std::vector<double> upper_ends(const std::vector<double>& weights) {
  double total = 0.0;
  for (const double w : weights) total += w;
  std::vector<double> ends;
  double sum = 0.0;
  for (const double w : weights) ends.push_back((sum += w) / total);
  return ends;
}

/// The part that u lies in, by bisection; the last one for u at its upper end.
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

/// x brought back into [0, length] by mirrors at both ends.
KOKKOS_FORCEINLINE_FUNCTION double mirrored(double x, double length) {
  const double there_and_back = 2.0 * length;
  const double y = x - there_and_back * Kokkos::floor(x / there_and_back);
  return y < length ? y : there_and_back - y;
}

template <int Dim, class MemorySpace, class Model>
struct WritePoints {
  Model model;
  Points<Dim, MemorySpace> points;
  Count first;

  KOKKOS_FUNCTION void operator()(const Count row) const {
    const Coordinates<Dim> x = model(first + row);
    for (int a = 0; a < Dim; ++a) points(row, a) = static_cast<Real>(x[a]);
  }
};

/// Work model: sizeof(Real) Dim bytes written a point; nothing is read except a model's table.
template <int Dim, class ExecutionSpace, class Model>
Points<Dim, typename ExecutionSpace::memory_space> write_points(const ExecutionSpace& space,
                                                                const Model& model, Count first,
                                                                Count count) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Points<Dim, MemorySpace> points(
      Kokkos::view_alloc("copse::particles::points", Kokkos::WithoutInitializing), count);
  Kokkos::parallel_for(
      "copse::particles::generate_points",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, count),
      WritePoints<Dim, MemorySpace, Model>{model, points, first});
  space.fence("copse::particles::generate_points");
  return points;
}

}  // namespace copse::point_models
