#include "verify_attached.hpp"

#include "nearest_linked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace copse::fof {
namespace {

/// Maximum number of pairs tested: a second or less.
constexpr Count most_pairs = 200'000'000;

/// Squared distance of two particles, implemented independently.
Real apart2(const LinkedInput& input, LocalIndex i, LocalIndex j) {
  const auto& position = input.all.position;
  Real sum = 0;
  for (int a = 0; a < 3; ++a) {
    const Real d = std::fabs(position(i, a) - position(j, a));
    const Real least = std::min(d, input.friendship.period[a] - d);
    sum = a == 0 ? least * least : std::fma(least, least, sum);
  }
  return sum;
}

/// Index of the linked particle nearest to an unlinked one, or nobody_near.
LocalIndex nearest_by_all_pairs(const LinkedInput& input, LocalIndex other) {
  Real least = input.friendship.reach2;
  LocalIndex nearest = nobody_near;
  for (Count k = 0; k < input.rows.extent(0); ++k) {
    const Real d2 = apart2(input, input.rows(k), other);
    if (d2 < least) {
      least = d2;
      nearest = input.rows(k);
    }
  }
  return nearest;
}

/// Number of linked particles whose set of linked group members has changed.
Count count_moved(const LinkedInput& input, const Labels<Kokkos::HostSpace>& of_linked,
                  const Labels<Kokkos::HostSpace>& labels) {
  std::vector<LocalIndex> before(labels.extent(0), nobody_near);
  Count moved = 0;
  for (Count k = 0; k < input.rows.extent(0); ++k) {
    const LocalIndex label = labels(input.rows(k));
    LocalIndex& group = before[label];
    if (group == nobody_near) group = of_linked(k);
    moved += group != of_linked(k) || label != labels(input.rows(of_linked(k)));
  }
  return moved;
}

}  // namespace

std::string verify_attached(const LinkedInput& input, const Labels<Kokkos::HostSpace>& of_linked,
                            const Labels<Kokkos::HostSpace>& labels,
                            app::Verification& verification) {
  Count no_label = 0;
  for (Count i = 0; i < labels.extent(0); ++i)
    if (labels(i) > i || labels(labels(i)) != labels(i)) ++no_label;
  if (!verification.check("labels_of_all_species_that_are_no_smallest_row",
                          static_cast<double>(no_label)))
    return "the labels of all species are invalid; nothing else was compared";
  verification.check("linked_particles_in_other_groups_than_before",
                     static_cast<double>(count_moved(input, of_linked, labels)));
  const Count linked = input.rows.extent(0), others = input.others.extent(0);
  const Count step = std::max<Count>(1, others * linked / most_pairs);
  Count wrong = 0, looked_at = 0;
  for (Count k = 0; k < others; k += step, ++looked_at) {
    const LocalIndex row = input.others(k);
    const LocalIndex nearest = nearest_by_all_pairs(input, row);
    if (labels(row) != (nearest == nobody_near ? row : labels(nearest))) ++wrong;
  }
  verification.check("attached_to_the_wrong_group", static_cast<double>(wrong));
  return fmt::format("verified {} of the {} attached particles against all linked ones", looked_at,
                     others);
}

}  // namespace copse::fof
