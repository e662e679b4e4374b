#pragma once
/// \file
/// SCHED, the problem that schedulers solve approximately: order the queries so that the sum of
/// differences between consecutive walks is least.
///
/// With d(p, q) = |t(p) symmetric-difference t(q)|, t(p) being the nodes that query p visits, a
/// schedule is an open path through all queries and its cost Delta the path's length. d is a
/// metric, so SCHED is the travelling salesman's problem on a path, and NP-hard: [Liu 2019]
/// section 3.1.1 reduces the Hamiltonian path to it, and tests/common/traversal/test_sched.cpp
/// carries the reduction out.
///
/// This is the host's view of small instances, to judge schedulers by; `difference.hpp` computes
/// the cost of large schedules where the matrix is.

#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace copse {

/// A schedule on the host.
using HostSchedule = std::vector<LocalIndex>;

/// All differences between walks of n queries: symmetric, zero on the diagonal, 4 n^2 bytes.
class DifferenceTable {
 public:
  /// O(queries^2 x words).
  explicit DifferenceTable(const ConstVisitMatrix<Kokkos::HostSpace>& visits);

  Count size() const { return n_; }
  std::uint32_t operator()(Count p, Count q) const { return difference_[p * n_ + q]; }

  /// Delta of a schedule of all queries, or of some.
  Count cost(const HostSchedule& order) const;

 private:
  Count n_;
  std::vector<std::uint32_t> difference_;
};

}  // namespace copse
