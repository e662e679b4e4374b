#include <copse/traversal/schedule/sched.hpp>

namespace copse {

DifferenceTable::DifferenceTable(const ConstVisitMatrix<Kokkos::HostSpace>& visits)
    : n_(visits.extent(0)), difference_(n_ * n_) {
  for (Count p = 0; p < n_; ++p)
    for (Count q = 0; q < p; ++q) {
      std::uint32_t sum = 0;
      for (Count w = 0; w < visits.extent(1); ++w)
        sum += static_cast<std::uint32_t>(Kokkos::popcount(visits(p, w) ^ visits(q, w)));
      difference_[p * n_ + q] = difference_[q * n_ + p] = sum;
    }
}

Count DifferenceTable::cost(const HostSchedule& order) const {
  Count sum = 0;
  for (Count i = 1; i < order.size(); ++i) sum += (*this)(order[i - 1], order[i]);
  return sum;
}

}  // namespace copse
