#include <copse/backend/error.hpp>
#include <copse/traversal/schedule/sched_heuristic.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace copse {

HostSchedule nearest_neighbour_schedule(const DifferenceTable& difference) {
  const Count n = difference.size();
  if (n > sched_heuristic_limit)
    throw InputError("the heuristics for SCHED take at most " +
                     std::to_string(sched_heuristic_limit) + " queries, not " + std::to_string(n));
  HostSchedule order(n);
  std::iota(order.begin(), order.end(), LocalIndex{0});
  for (Count i = 1; i < n; ++i) {
    // Smallest difference first, then smallest query: the queries left are in no order.
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

HostSchedule two_opt(const DifferenceTable& difference, HostSchedule order) {
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

}  // namespace copse
