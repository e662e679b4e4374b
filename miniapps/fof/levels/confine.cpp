#include "confine.hpp"

#include "../reference.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace copse::fof {
namespace {

/// Links the given particles on their own and sets their labels. `rows` is ascending.
void link_alone(const LinkProblem<Kokkos::HostSpace>& problem, const Box<3>& box,
                const std::vector<LocalIndex>& rows, const Labels<Kokkos::HostSpace>& labels) {
  LinkProblem<Kokkos::HostSpace> part;
  part.friendship = problem.friendship;
  part.position = Points<3, Kokkos::HostSpace>("copse::fof::part_position", rows.size());
  if (problem.has_velocity())
    part.velocity = Points<3, Kokkos::HostSpace>("copse::fof::part_velocity", rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (int a = 0; a < 3; ++a) {
      part.position(k, a) = problem.position(rows[k], a);
      if (problem.has_velocity()) part.velocity(k, a) = problem.velocity(rows[k], a);
    }
  const std::vector<LocalIndex> found = reference_labels(part, box);
  for (std::size_t k = 0; k < rows.size(); ++k) labels(rows[k]) = rows[found[k]];
}

}  // namespace

Count confine(const LinkProblem<Kokkos::HostSpace>& problem, const Box<3>& box,
              const Labels<Kokkos::HostSpace>& parents, const Labels<Kokkos::HostSpace>& labels) {
  const Count n = labels.extent(0);
  std::vector<bool> crosses(n, false);
  Count crossing = 0;
  for (Count i = 0; i < n; ++i) {
    const LocalIndex label = labels(i);
    if (parents(label) == parents(i) || crosses[label]) continue;
    crosses[label] = true;
    ++crossing;
  }
  if (crossing == 0) return 0;
  std::vector<LocalIndex> rows;
  for (Count i = 0; i < n; ++i)
    if (crosses[labels(i)]) rows.push_back(static_cast<LocalIndex>(i));
  const auto place = [&](LocalIndex row) { return std::tuple(labels(row), parents(row)); };
  std::sort(rows.begin(), rows.end(), [&](LocalIndex a, LocalIndex b) {
    return std::tuple_cat(place(a), std::tuple(a)) < std::tuple_cat(place(b), std::tuple(b));
  });
  // Collect all parts before any label changes.
  std::vector<std::vector<LocalIndex>> parts;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k == 0 || place(rows[k]) != place(rows[k - 1])) parts.emplace_back();
    parts.back().push_back(rows[k]);
  }
  for (const auto& part : parts) link_alone(problem, box, part, labels);
  return crossing;
}

}  // namespace copse::fof
