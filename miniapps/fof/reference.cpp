#include "reference.hpp"

#include <algorithm>
#include <array>
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

/// Grid of cells at least one linking length wide. Only occupied cells are stored.
class CellGrid {
 public:
  CellGrid(const LinkProblem<Kokkos::HostSpace>& problem, const Box<3>& box) : box_(box) {
    const double reach = std::sqrt(static_cast<double>(problem.friendship.reach2)) * 1.001;
    for (int a = 0; a < 3; ++a) {
      const double fitting = std::floor(static_cast<double>(box.extent(a)) / reach);
      cells_[a] = static_cast<std::int64_t>(std::clamp(fitting, 1.0, 1048576.0));
      // With two periodic cells the left and right neighbours are the same cell.
      if (box.periodic[a] && cells_[a] < 3) cells_[a] = 1;
    }
    for (Count i = 0; i < problem.size(); ++i)
      rows_[key(cell_of(problem, static_cast<LocalIndex>(i)))].push_back(
          static_cast<LocalIndex>(i));
  }

  using Cell = std::array<std::int64_t, 3>;

  Cell cell_of(const LinkProblem<Kokkos::HostSpace>& problem, LocalIndex i) const {
    Cell cell{};
    for (int a = 0; a < 3; ++a) {
      const double extent = static_cast<double>(box_.extent(a));
      const double place =
          extent > 0.0
              ? (static_cast<double>(problem.position(i, a)) - static_cast<double>(box_.lower[a])) /
                    extent * static_cast<double>(cells_[a])
              : 0.0;
      cell[a] =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(place)), 0, cells_[a] - 1);
    }
    return cell;
  }

  /// Calls f(rows) with the particles of the cell and of each neighbour; f may remove particles.
  template <class F>
  void for_each_neighbour(const Cell& cell, F&& f) {
    Cell next{};
    visit_axis(cell, next, 0, f);
  }

 private:
  template <class F>
  void visit_axis(const Cell& cell, Cell& next, int axis, F&& f) {
    if (axis == 3) {
      const auto found = rows_.find(key(next));
      if (found != rows_.end()) f(found->second);
      return;
    }
    for (std::int64_t step = -1; step <= 1; ++step) {
      next[axis] = cell[axis] + step;
      if (box_.periodic[axis]) {
        if (cells_[axis] == 1 && step != 0) continue;
        next[axis] = (next[axis] + cells_[axis]) % cells_[axis];
      } else if (next[axis] < 0 || next[axis] >= cells_[axis]) {
        continue;
      }
      visit_axis(cell, next, axis + 1, f);
    }
  }

  static std::uint64_t key(const Cell& cell) {
    return static_cast<std::uint64_t>(cell[0]) << 42 | static_cast<std::uint64_t>(cell[1]) << 21 |
           static_cast<std::uint64_t>(cell[2]);
  }

  Box<3> box_;
  std::array<std::int64_t, 3> cells_{};
  std::unordered_map<std::uint64_t, std::vector<LocalIndex>> rows_;
};

}  // namespace

std::vector<LocalIndex> reference_labels(const LinkProblem<Kokkos::HostSpace>& problem,
                                         const Box<3>& box) {
  const Count n = problem.size();
  CellGrid grid(problem, box);  // holds the particles not yet in a group
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
      grid.for_each_neighbour(grid.cell_of(problem, i), [&](std::vector<LocalIndex>& rows) {
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
