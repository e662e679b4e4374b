#pragma once
/// \file
/// The oracles of the benchmarks: all pairs of sampled queries and all points, on the host.
/// Distances are defined as in walks (tree/bounds.hpp), but computed in a plain loop without trees,
/// packets or schedules. Also the fingerprints of results that all walks compute bit for bit.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/app/verification.hpp>
#include <copse/particles/points.hpp>
#include <copse/traversal/neighbor_list.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace copse::traversal {

template <int Dim>
using HostPoints = Points<Dim, Kokkos::HostSpace>;
using HostCounts = Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, Kokkos::HostSpace>;
/// `rows` holds input rows.
using HostNeighbors = NeighborLists<Kokkos::HostSpace>;

/// The queries to check, ascending: all, or an evenly spaced sample of `most_pairs` / `points`
/// queries, but at least 64. The last query is always among them.
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

/// Calls `wrong(query)` for each chosen query, in parallel, and returns the sum of the results.
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

/// Hashes one number into a fingerprint.
inline std::uint64_t mix(std::uint64_t fingerprint, std::uint64_t value) {
  fingerprint = (fingerprint ^ value) * 0xff51afd7ed558ccdull;
  return fingerprint ^ fingerprint >> 29;
}

inline std::uint64_t fingerprint(const HostCounts& counts) {
  std::uint64_t hash = 0;
  for (Count q = 0; q < counts.extent(0); ++q) hash = mix(hash, counts(q));
  return hash;
}
inline std::uint64_t fingerprint(const std::vector<Count>& pairs) {
  std::uint64_t hash = 0;
  for (const Count in_bin : pairs) hash = mix(hash, in_bin);
  return hash;
}
inline std::uint64_t fingerprint(const HostNeighbors& lists) {
  std::uint64_t hash = 0;
  for (Count q = 0; q < lists.rows.extent(0); ++q)
    for (Count j = 0; j < lists.rows.extent(1); ++j) {
      hash = mix(hash, lists.rows(q, j));
      hash = mix(hash, Kokkos::bit_cast<OrderedKey<Real>>(lists.distance2(q, j)));
    }
  return hash;
}

/// Checks the numbers of points within `radius2` of the queries.
template <int Dim>
void verify_counts(app::Verification& verification, const HostPoints<Dim>& points,
                   const HostPoints<Dim>& queries, const HostCounts& counts, Real radius2) {
  const auto chosen = checked_queries(queries.extent(0), points.extent(0));
  const Count wrong = count_wrong(chosen, [&](Count q) -> Count {
    std::uint32_t expected = 0;
    for (Count i = 0; i < points.extent(0); ++i)
      expected += plain_distance2<Dim>(queries, q, points, i) <= radius2;
    return counts(q) != expected;
  });
  verification.check("counts_equal_brute_force", static_cast<double>(wrong));
}

/// Checks that the distances are those of the nearest points, and that the rows are distinct points
/// at these distances.
template <int Dim>
void verify_neighbors(app::Verification& verification, const HostPoints<Dim>& points,
                      const HostPoints<Dim>& queries, const HostNeighbors& lists) {
  const Count n = points.extent(0);
  const Count k = lists.rows.extent(1);
  const auto chosen = checked_queries(queries.extent(0), n);
  const Count wrong_distances = count_wrong(chosen, [&](Count q) -> Count {
    std::vector<Real> all(std::max(n, k), Kokkos::Experimental::infinity_v<Real>);
    for (Count i = 0; i < n; ++i) all[i] = plain_distance2<Dim>(queries, q, points, i);
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end());
    for (Count j = 0; j < k; ++j)
      if (lists.distance2(q, j) != all[j]) return 1;
    return 0;
  });
  const Count wrong_rows = count_wrong(chosen, [&](Count q) -> Count {
    for (Count j = 0; j < std::min(k, n); ++j) {
      if (lists.rows(q, j) >= n) return 1;
      if (plain_distance2<Dim>(queries, q, points, lists.rows(q, j)) != lists.distance2(q, j))
        return 1;
      for (Count before = 0; before < j; ++before)
        if (lists.rows(q, before) == lists.rows(q, j)) return 1;
    }
    return 0;
  });
  verification.check("distances_equal_brute_force", static_cast<double>(wrong_distances));
  verification.check("neighbors_are_different_points_at_their_distances",
                     static_cast<double>(wrong_rows));
}

/// The pairs (query, point) per bin of separation, for the queries `chosen` and all points.
/// O(chosen * points).
template <int Dim>
std::vector<Count> pairs_by_brute_force(const HostPoints<Dim>& queries,
                                        const std::vector<Count>& chosen,
                                        const HostPoints<Dim>& points,
                                        const std::vector<Real>& edges) {
  std::vector<Real> edges2;
  for (const Real edge : edges) edges2.push_back(edge * edge);
  std::vector<Count> pairs(edges.size() - 1, 0);
  count_wrong(chosen, [&](Count q) -> Count {
    std::vector<Count> of_query(pairs.size(), 0);
    for (Count i = 0; i < points.extent(0); ++i) {
      const Real d2 = plain_distance2<Dim>(queries, q, points, i);
      if (d2 < edges2.front() || d2 >= edges2.back()) continue;
      ++of_query[static_cast<std::size_t>(std::upper_bound(edges2.begin(), edges2.end(), d2) -
                                          edges2.begin() - 1)];
    }
    for (std::size_t b = 0; b < pairs.size(); ++b) Kokkos::atomic_add(&pairs[b], of_query[b]);
    return 0;
  });
  return pairs;
}

}  // namespace copse::traversal
