#pragma once
/// \file
/// SCHED, the problem that schedulers approximate: order the queries to minimise the sum of
/// differences between consecutive walks. Solved exactly for a few queries and approximately for
/// some thousands, as a reference for the library's schedulers.
///
/// With d(p, q) = |t(p) symmetric-difference t(q)|, where t(p) is the set of nodes that query p
/// visits, a schedule is an open path through all queries and its cost Delta is the length of the
/// path. d is a metric, so SCHED is the travelling salesman path problem, and NP-hard: [Liu 2019]
/// section 3.1.1 reduces the Hamiltonian path problem to it, and test_hamiltonian_path.cpp carries
/// out the reduction.
///
/// Sources: Held and Karp, "A dynamic programming approach to sequencing problems", J. SIAM 10,
/// 1962 (the optimum); Croes, "A method for solving traveling-salesman problems", Operations
/// Research 6, 1958 (2-opt; on an open path, reversing a segment at either end exchanges one edge).

#include <copse/backend/error.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace copse::test {

/// A schedule on the host.
using HostSchedule = std::vector<LocalIndex>;

/// Differences between the walks of all pairs of n queries: symmetric, zero diagonal, 4 n^2 bytes.
class DifferenceTable {
 public:
  /// O(queries^2 x words).
  explicit DifferenceTable(const ConstVisitMatrix<Kokkos::HostSpace>& visits);

  Count size() const { return n_; }
  std::uint32_t operator()(Count p, Count q) const { return difference_[p * n_ + q]; }

  /// Delta of a schedule of all queries or a subset.
  Count cost(const HostSchedule& order) const;

 private:
  Count n_;
  std::vector<std::uint32_t> difference_;
};

inline DifferenceTable::DifferenceTable(const ConstVisitMatrix<Kokkos::HostSpace>& visits)
    : n_(visits.extent(0)), difference_(n_ * n_) {
  for (Count p = 0; p < n_; ++p)
    for (Count q = 0; q < p; ++q) {
      std::uint32_t sum = 0;
      for (Count w = 0; w < visits.extent(1); ++w)
        sum += static_cast<std::uint32_t>(Kokkos::popcount(visits(p, w) ^ visits(q, w)));
      difference_[p * n_ + q] = difference_[q * n_ + p] = sum;
    }
}

inline Count DifferenceTable::cost(const HostSchedule& order) const {
  Count sum = 0;
  for (Count i = 1; i < order.size(); ++i) sum += (*this)(order[i - 1], order[i]);
  return sum;
}

/// Size limit of the heuristics: their table of differences then takes 1 GiB.
inline constexpr Count sched_heuristic_limit = 16384;

/// Greedy: starts with query 0 and appends the query that differs least from the last one; ties go
/// to the smallest index. O(n^2).
/// \throws InputError if the instance has more than `sched_heuristic_limit` queries.
inline HostSchedule nearest_neighbour_schedule(const DifferenceTable& difference) {
  const Count n = difference.size();
  if (n > sched_heuristic_limit)
    throw InputError("the heuristics for SCHED take at most " +
                     std::to_string(sched_heuristic_limit) + " queries, not " + std::to_string(n));
  HostSchedule order(n);
  std::iota(order.begin(), order.end(), LocalIndex{0});
  for (Count i = 1; i < n; ++i) {
    // Compares difference, then query index, because the remaining queries are unordered.
    const auto nearer = [&, last = order[i - 1]](LocalIndex a, LocalIndex b) {
      const auto da = difference(last, a), db = difference(last, b);
      return da != db ? da < db : a < b;
    };
    std::iter_swap(
        order.begin() + static_cast<std::ptrdiff_t>(i),
        std::min_element(order.begin() + static_cast<std::ptrdiff_t>(i), order.end(), nearer));
  }
  return order;
}

/// Reverses segments of `order` while that lowers its cost. The result costs no more than `order`,
/// and no single reversal lowers it further. O(n^2) per sweep.
inline HostSchedule two_opt(const DifferenceTable& difference, HostSchedule order) {
  const Count n = order.size();
  bool improved = true;
  while (improved) {
    improved = false;
    for (Count i = 0; i + 1 < n; ++i)
      for (Count j = i + 1; j < n; ++j) {
        Count before = 0, after = 0;
        if (i > 0) {
          before += difference(order[i - 1], order[i]);
          after += difference(order[i - 1], order[j]);
        }
        if (j + 1 < n) {
          before += difference(order[j], order[j + 1]);
          after += difference(order[i], order[j + 1]);
        }
        if (after >= before) continue;
        std::reverse(order.begin() + static_cast<std::ptrdiff_t>(i),
                     order.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        improved = true;
      }
  }
  return order;
}

/// Size limit of `sched_optimum`: 4 MiB of states. Two more queries take four times the memory and
/// slightly more than four times the time.
inline constexpr Count sched_optimum_limit = 16;

/// best(S, q), the minimum cost of a path through the queries of S that ends at q in S:
/// best(S, q) = min over p in S without q of best(S without q, p) + d(p, q).
class SubsetPaths {
 public:
  explicit SubsetPaths(const DifferenceTable& difference)
      : difference_(difference), n_(difference.size()), best_(n_ << n_, unreached) {
    for (Count q = 0; q < n_; ++q) at(Count{1} << q, q) = 0;
    // Every subset of `set` is a smaller number, so it is already computed.
    for (Count set = 1; set < Count{1} << n_; ++set)
      for (Count q = 0; q < n_; ++q)
        if ((set >> q & 1) != 0 && set != Count{1} << q)
          at(set, q) = length(set, q, predecessor(set, q));
  }

  HostSchedule shortest() const {
    if (n_ == 0) return {};
    Count set = (Count{1} << n_) - 1;
    Count last = 0;
    for (Count q = 1; q < n_; ++q)
      if (at(set, q) < at(set, last)) last = q;
    HostSchedule order{static_cast<LocalIndex>(last)};
    while (order.size() < n_) {
      const Count before = predecessor(set, last);
      set ^= Count{1} << last;
      last = before;
      order.push_back(static_cast<LocalIndex>(last));
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t& at(Count set, Count q) { return best_[set * n_ + q]; }
  std::uint32_t at(Count set, Count q) const { return best_[set * n_ + q]; }

  /// Length of the path through `set` that ends with the step from p to q.
  std::uint32_t length(Count set, Count q, Count p) const {
    return at(set ^ Count{1} << q, p) + difference_(p, q);
  }
  /// The query before q on a shortest path through `set`; ties go to the smallest index.
  Count predecessor(Count set, Count q) const {
    const Count others = set ^ Count { 1 } << q;
    Count best = n_;
    for (Count p = 0; p < n_; ++p)
      if ((others >> p & 1) != 0 && (best == n_ || length(set, q, p) < length(set, q, best)))
        best = p;
    return best;
  }

  const DifferenceTable& difference_;
  Count n_;
  std::vector<std::uint32_t> best_;
};

/// An optimal schedule; ties are broken deterministically. O(2^n n^2) time, 4 n 2^n bytes.
/// \throws InputError if the instance has more than `sched_optimum_limit` queries.
inline HostSchedule sched_optimum(const DifferenceTable& difference) {
  if (difference.size() > sched_optimum_limit)
    throw InputError("the exact optimum of SCHED is found for at most " +
                     std::to_string(sched_optimum_limit) + " queries, not " +
                     std::to_string(difference.size()));
  return SubsetPaths(difference).shortest();
}

}  // namespace copse::test
