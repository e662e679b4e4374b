#pragma once
/// \file
/// The exact optimum of small instances of SCHED, by dynamic programming over subsets of queries.
///
/// best(S, q) is the least cost of a path through the queries of S that ends at q in S:
/// best(S, q) = min over p in S without q of best(S without q, p) + d(p, q).
///
/// Source: Held and Karp, "A dynamic programming approach to sequencing problems", J. SIAM 10,
/// 1962.

#include <copse/traversal/schedule/sched.hpp>

namespace copse {

/// Largest instance that `sched_optimum` takes: 4 MiB of states, and four times that and a bit more
/// time for every two queries beyond.
inline constexpr Count sched_optimum_limit = 16;

/// A schedule of least cost; among those the same one always. O(2^n n^2) time, 4 n 2^n bytes.
/// \throws InputError if the instance has more than `sched_optimum_limit` queries.
HostSchedule sched_optimum(const DifferenceTable& difference);

}  // namespace copse
