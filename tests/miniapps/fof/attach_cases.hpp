#pragma once
/// \file
/// Particles of which some are linked and the others attached, with the expected result by testing
/// all pairs.

#include "link_cases.hpp"

#include <fof/species/nearest_linked.hpp>
#include <functional>

namespace copse::fof::test {

struct Split {
  Sample linked, others;
  std::vector<LocalIndex> linked_rows, other_rows;

  std::size_t size() const { return linked_rows.size() + other_rows.size(); }
};

using IsLinked = std::function<bool(std::size_t row)>;

/// Every third particle is linked, starting with the second.
inline bool each_third(std::size_t row) {
  return row % 3 == 1;
}

inline Split split(const Sample& sample, const IsLinked& is_linked) {
  Split parts;
  parts.linked.box = parts.others.box = sample.box;
  for (std::size_t i = 0; i < sample.x.size(); ++i) {
    auto& part = is_linked(i) ? parts.linked : parts.others;
    part.x.push_back(sample.x[i]);
    (is_linked(i) ? parts.linked_rows : parts.other_rows).push_back(static_cast<LocalIndex>(i));
  }
  return parts;
}

/// For each of the others the nearest linked particle, or nobody_near.
inline std::vector<LocalIndex> nearest_by_all_pairs(const Split& parts, const Friendship& rule) {
  std::vector<LocalIndex> nearest(parts.others.x.size(), nobody_near);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    Real least = rule.reach2;
    for (std::size_t j = 0; j < parts.linked.x.size(); ++j) {
      Real sum = 0;
      for (int a = 0; a < 3; ++a) {
        const Real d = std::fabs(parts.others.x[i][a] - parts.linked.x[j][a]);
        const Real shorter = std::min(d, rule.period[a] - d);
        sum = std::fma(shorter, shorter, sum);
      }
      if (!(sum < least)) continue;
      least = sum;
      nearest[i] = static_cast<LocalIndex>(j);
    }
  }
  return nearest;
}

/// Labels of all particles, from the labels of the linked particles among themselves.
inline std::vector<LocalIndex> labels_with_others(const Split& parts,
                                                  const std::vector<LocalIndex>& groups,
                                                  const std::vector<LocalIndex>& nearest) {
  // The first particle of a group defines its label.
  const std::size_t n = parts.size();
  std::vector<std::size_t> group_of_row(n);
  for (std::size_t i = 0; i < n; ++i) group_of_row[i] = n + i;
  for (std::size_t k = 0; k < groups.size(); ++k) group_of_row[parts.linked_rows[k]] = groups[k];
  for (std::size_t k = 0; k < nearest.size(); ++k)
    if (nearest[k] != nobody_near) group_of_row[parts.other_rows[k]] = groups[nearest[k]];
  std::vector<LocalIndex> labels(n);
  for (std::size_t i = 0; i < n; ++i)
    labels[i] = static_cast<LocalIndex>(
        std::find(group_of_row.begin(), group_of_row.end(), group_of_row[i]) -
        group_of_row.begin());
  return labels;
}

/// A lattice of 8^3 particles, in rows along x, in a periodic box of side 1.
inline Sample lattice() {
  Sample sample;
  sample.box = unit_box<3>(true);
  for (int i = 0; i < 512; ++i)
    sample.x.push_back({static_cast<Real>(i % 8) / 8, static_cast<Real>(i / 8 % 8) / 8,
                        static_cast<Real>(i / 64) / 8});
  return sample;
}

}  // namespace copse::fof::test
