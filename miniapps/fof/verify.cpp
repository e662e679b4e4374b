#include "verify.hpp"

#include "reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace copse::fof {
namespace {

/// Labels that are no label: of a row that does not exist, larger than the row, or of a row that
/// has another label.
Count count_impossible(const Labels<Kokkos::HostSpace>& labels) {
  const Count n = labels.extent(0);
  Count wrong = 0;
  for (Count i = 0; i < n; ++i)
    if (labels(i) > i || labels(labels(i)) != labels(i)) ++wrong;  // in this order: rows exist
  return wrong;
}

/// Rows between two planes across an axis, as a problem of their own.
struct Slab {
  std::vector<LocalIndex> rows;
  std::vector<bool> near_plane;  ///< [rows] within the linking length of a plane
  LinkProblem<Kokkos::HostSpace> problem;
  Box<3> box;
};

Slab cut_slab(const LinkedInput& input, Count wanted) {
  const auto& position = input.particles.position;
  const Count n = position.extent(0);
  Slab slab;
  slab.box = input.particles.box;
  const int axis = slab.box.longest_axis();
  std::vector<Real> along(n);
  for (Count i = 0; i < n; ++i) along[i] = position(i, axis);
  const Count first = (n - wanted) / 2;
  std::nth_element(along.begin(), along.begin() + static_cast<std::ptrdiff_t>(first), along.end());
  const Real low = along[first];
  std::nth_element(along.begin(), along.begin() + static_cast<std::ptrdiff_t>(first + wanted - 1),
                   along.end());
  const Real high = along[first + wanted - 1];
  const auto reach = static_cast<Real>(input.links.length * 1.001);
  for (Count i = 0; i < n; ++i) {
    const Real x = position(i, axis);
    if (x < low || x > high) continue;
    slab.rows.push_back(static_cast<LocalIndex>(i));
    slab.near_plane.push_back(x - low < reach || high - x < reach);
  }
  const LinkProblem<Kokkos::HostSpace> whole = input.problem();
  const Count rows = slab.rows.size();
  slab.problem.friendship = whole.friendship;
  slab.problem.position = Points<3, Kokkos::HostSpace>("copse::fof::slab_position", rows);
  if (whole.has_velocity())
    slab.problem.velocity = Points<3, Kokkos::HostSpace>("copse::fof::slab_velocity", rows);
  for (Count k = 0; k < rows; ++k)
    for (int a = 0; a < 3; ++a) {
      slab.problem.position(k, a) = whole.position(slab.rows[k], a);
      if (whole.has_velocity()) slab.problem.velocity(k, a) = whole.velocity(slab.rows[k], a);
    }
  return slab;
}

std::string verify_slab(const LinkedInput& input, const Labels<Kokkos::HostSpace>& labels,
                        app::Verification& verification, Count wanted) {
  const Slab slab = cut_slab(input, wanted);
  const std::vector<LocalIndex> reference = reference_labels(slab.problem, slab.box);
  const Count rows = slab.rows.size();
  // A group of the reference is whole if none of its members is near a plane.
  std::vector<bool> complete(rows, true);
  for (Count k = 0; k < rows; ++k)
    if (slab.near_plane[k]) complete[reference[k]] = false;
  Count torn = 0;
  for (Count k = 0; k < rows; ++k)
    if (labels(slab.rows[k]) != labels(slab.rows[reference[k]])) ++torn;
  // Members that the whole input has of each group, which a complete one has all in the slab.
  std::vector<Count> members(labels.extent(0), 0), in_slab(labels.extent(0), 0);
  for (Count i = 0; i < labels.extent(0); ++i) ++members[labels(i)];
  Count others = 0, whole = 0;
  for (Count k = 0; k < rows; ++k)
    if (complete[reference[k]]) ++in_slab[labels(slab.rows[k])];
  for (Count k = 0; k < rows; ++k)
    if (reference[k] == k && complete[k]) {
      ++whole;
      const LocalIndex label = labels(slab.rows[k]);
      if (label != slab.rows[k] || in_slab[label] != members[label]) ++others;
    }
  verification.check("friends_in_different_groups", static_cast<double>(torn));
  verification.check("groups_unlike_the_reference", static_cast<double>(others));
  // Else nothing was compared: the linking length makes one group of everything.
  verification.require("some_groups_lie_in_the_slab", whole > 0);
  return fmt::format("verified with the {} particles of a slab, which holds {} groups wholly", rows,
                     whole);
}

}  // namespace

std::string verify_labels(const LinkedInput& input, const Labels<Kokkos::HostSpace>& labels,
                          app::Verification& verification, Count limit) {
  const Count n = labels.extent(0);
  const Count impossible = count_impossible(labels);
  if (!verification.check("labels_that_are_no_smallest_row", static_cast<double>(impossible)))
    return "labels are no labels, nothing else was compared";
  if (n > limit) return verify_slab(input, labels, verification, limit / 2);
  const std::vector<LocalIndex> reference = reference_labels(input.problem(), input.particles.box);
  Count torn = 0, wrong = 0;
  for (Count i = 0; i < n; ++i) {
    if (labels(i) != labels(reference[i])) ++torn;
    if (labels(i) != reference[i]) ++wrong;
  }
  verification.check("friends_in_different_groups", static_cast<double>(torn));
  verification.check("groups_unlike_the_reference", static_cast<double>(wrong));
  return fmt::format("verified all {} particles", n);
}

}  // namespace copse::fof
