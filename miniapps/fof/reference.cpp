#include "reference.hpp"

#include <copse/grid/cell_grid.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace copse::fof {
namespace {

bool are_friends(const LinkProblem<Kokkos::HostSpace>& problem, LocalIndex i, LocalIndex j) {
  const auto& rule = problem.friendship;
  Real sum = 0;
  for (int a = 0; a < 3; ++a) {
    Real d = std::fabs(problem.position(i, a) - problem.position(j, a));
    d = std::min(d, rule.period[a] - d);
    sum = a == 0 ? d * d : std::fma(d, d, sum);
  }
  if (problem.has_velocity()) {
    Real speed2 = 0;
    for (int a = 0; a < 3; ++a) {
      const Real d = problem.velocity(i, a) - problem.velocity(j, a);
      speed2 = a == 0 ? d * d : std::fma(d, d, speed2);
    }
    sum = std::fma(speed2, rule.velocity_factor, sum);
  }
  return sum < rule.reach2;
}

/// The particles of a set by cells at least one linking length wide. Only occupied cells are
/// stored.
class ParticlesInCells {
 public:
  ParticlesInCells(const LinkProblem<Kokkos::HostSpace>& problem, const Box<3>& box)
      : problem_(problem) {
    // At most 2^20 cells per axis, also for a linking length of 0.
    double side =
        std::max(std::sqrt(static_cast<double>(problem.friendship.reach2)) * 1.001, 1e-300);
    Kokkos::Array<double, 3> lower, upper;
    bool periodic = false;  // on all axes if on one: more cells are near than need be
    for (int a = 0; a < 3; ++a) {
      lower[a] = static_cast<double>(box.lower[a]);
      upper[a] = static_cast<double>(box.upper[a]);
      periodic = periodic || box.periodic[a];
      side = std::max(side, (upper[a] - lower[a]) / 1048576.0);
    }
    grid_ = CellGrid<3, double>::cover(lower, upper, side, periodic, Count{1} << 60);
    for (Count i = 0; i < problem.size(); ++i)
      rows_[grid_.number(cell_of(static_cast<LocalIndex>(i)))].push_back(
          static_cast<LocalIndex>(i));
  }

  /// Calls f(rows) with the particles of the cells near a particle; f may remove some.
  template <class F>
  void for_each_near(LocalIndex i, const F& f) {
    grid_.for_each_near(cell_of(i), 1, [&](Count cell) {
      const auto found = rows_.find(cell);
      if (found != rows_.end()) f(found->second);
    });
  }

 private:
  Kokkos::Array<std::uint32_t, 3> cell_of(LocalIndex i) const {
    Kokkos::Array<double, 3> x;
    for (int a = 0; a < 3; ++a) x[a] = static_cast<double>(problem_.position(i, a));
    return grid_.coordinates(x);
  }

  const LinkProblem<Kokkos::HostSpace>& problem_;
  CellGrid<3, double> grid_;
  std::unordered_map<Count, std::vector<LocalIndex>> rows_;
};

}  // namespace

std::vector<LocalIndex> reference_labels(const LinkProblem<Kokkos::HostSpace>& problem,
                                         const Box<3>& box) {
  const Count n = problem.size();
  ParticlesInCells rest(problem, box);  // the particles not yet in a group
  std::vector<LocalIndex> labels(n);
  std::vector<bool> reached(n, false);
  std::vector<LocalIndex> front;
  for (Count first = 0; first < n; ++first) {
    if (reached[first]) continue;
    const auto label = static_cast<LocalIndex>(first);
    reached[first] = true;
    front.push_back(label);
    while (!front.empty()) {
      const LocalIndex i = front.back();
      front.pop_back();
      labels[i] = label;
      rest.for_each_near(i, [&](std::vector<LocalIndex>& rows) {
        const auto stays = [&](LocalIndex j) { return reached[j] || !are_friends(problem, i, j); };
        const auto kept = std::partition(rows.begin(), rows.end(), stays);
        for (auto j = kept; j != rows.end(); ++j) {
          reached[*j] = true;
          front.push_back(*j);
        }
        rows.erase(kept, rows.end());
      });
    }
  }
  return labels;
}

}  // namespace copse::fof
