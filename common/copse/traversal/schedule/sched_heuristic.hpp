#pragma once
/// \file
/// Good schedules of medium instances of SCHED, to judge the fast schedulers by where the optimum
/// is out of reach: go to the nearest query that is left, then mend by exchanging two edges.
///
/// Source: Croes, "A method for solving traveling-salesman problems", Operations Research 6, 1958
/// (2-opt), here for an open path: turning round a stretch at either end exchanges one edge.

#include <copse/traversal/schedule/sched.hpp>

namespace copse {

/// Largest instance of the heuristics: the table of differences then takes 1 GiB.
inline constexpr Count sched_heuristic_limit = 16384;

/// Starts with query 0 and goes on with the query that differs least from the last, the first of
/// several. O(n^2).
/// \throws InputError if the instance has more than `sched_heuristic_limit` queries.
HostSchedule nearest_neighbour_schedule(const DifferenceTable& difference);

/// Turns stretches of `order` round as long as that lowers its cost. The result costs no more than
/// `order`, and no turn of one stretch would lower it. O(n^2) per sweep.
HostSchedule two_opt(const DifferenceTable& difference, HostSchedule order);

}  // namespace copse
