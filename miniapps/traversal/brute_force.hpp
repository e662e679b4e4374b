#pragma once
/// \file
/// The oracle of all benchmarks: all pairs of sampled queries and all points, on the host.
/// Distances are defined as in walks (tree/bounds.hpp), but computed in a plain loop without trees,
/// packets or schedules.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace copse::traversal {

template <int Dim>
using HostPoints = Points<Dim, Kokkos::HostSpace>;

/// The queries to check: all, or an evenly spaced sample that keeps the number of pairs within
/// `most_pairs`.
inline std::vector<Count> checked_queries(Count queries, Count points,
                                          Count most_pairs = Count{1} << 30) {
  const Count wanted = std::max<Count>(64, most_pairs / std::max<Count>(points, 1));
  std::vector<Count> chosen;
  const Count n = std::min(queries, wanted);
  for (Count i = 0; i < n; ++i) chosen.push_back(queries / n * i + queries % n * i / n);
  if (n > 0) chosen.back() = queries - 1;  // the last packet may be partial
  return chosen;
}

template <int Dim>
Real plain_distance2(const HostPoints<Dim>& a, Count i, const HostPoints<Dim>& b, Count j) {
  Real sum = (a(i, 0) - b(j, 0)) * (a(i, 0) - b(j, 0));
  for (int axis = 1; axis < Dim; ++axis)
    sum = std::fma(a(i, axis) - b(j, axis), a(i, axis) - b(j, axis), sum);
  return sum;
}

/// Calls `wrong(query)` for each chosen query, in parallel, and returns the sum of its results.
template <class Wrong>
Count count_wrong(const std::vector<Count>& chosen, const Wrong& wrong) {
  Count sum = 0;
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_reduce(
      "copse::traversal::brute_force",
      Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>>(0, chosen.size()),
      [&](const std::size_t i, Count& here) { here += wrong(chosen[i]); }, sum);
  return sum;
}

/// A copy in host memory.
template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
}

/// Increments a count in the backend's memory, for --sabotage.
template <class CountView>
void add_one(const CountView& count) {
  typename CountView::non_const_value_type value = 0;
  Kokkos::deep_copy(value, count);
  Kokkos::deep_copy(count, value + 1);
}

/// Hashes one number into a fingerprint.
inline std::uint64_t mix(std::uint64_t fingerprint, std::uint64_t value) {
  fingerprint = (fingerprint ^ value) * 0xff51afd7ed558ccdull;
  return fingerprint ^ fingerprint >> 29;
}

}  // namespace copse::traversal
