#include <copse/backend/error.hpp>
#include <copse/traversal/schedule/sched_optimum.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace copse {

namespace {

class SubsetPaths {
 public:
  explicit SubsetPaths(const DifferenceTable& difference)
      : difference_(difference), n_(difference.size()), best_(n_ << n_, unreached) {
    for (Count q = 0; q < n_; ++q) at(Count{1} << q, q) = 0;
    // A subset is a larger number than every subset of it, so its parts are finished before it.
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

  /// Of the path through `set` that ends at q, coming from p.
  std::uint32_t length(Count set, Count q, Count p) const {
    return at(set ^ Count{1} << q, p) + difference_(p, q);
  }
  /// The query before q on a shortest path through `set`, the first of several.
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

}  // namespace

HostSchedule sched_optimum(const DifferenceTable& difference) {
  if (difference.size() > sched_optimum_limit)
    throw InputError("the exact optimum of SCHED is found for at most " +
                     std::to_string(sched_optimum_limit) + " queries, not " +
                     std::to_string(difference.size()));
  return SubsetPaths(difference).shortest();
}

}  // namespace copse
