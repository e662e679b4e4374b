#include "species_results.hpp"

#include "attach.hpp"
#include "nearest_linked.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Timer.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace copse::fof {
namespace {

/// Pairs that --verify looks at, at most: a second or less.
constexpr Count most_pairs = 200'000'000;

/// The squared distance of two particles, written down once more.
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

/// Rows of all particles: the linked one nearest to a particle that was not, or nobody_near.
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

std::string check_attached(app::Session& session, const LinkedInput& input,
                           const Labels<Kokkos::HostSpace>& labels) {
  const Count linked = input.rows.extent(0), others = input.others.extent(0);
  const Count step = std::max<Count>(1, others * linked / most_pairs);
  Count wrong = 0, looked_at = 0;
  for (Count k = 0; k < others; k += step, ++looked_at) {
    const LocalIndex row = input.others(k);
    const LocalIndex nearest = nearest_by_all_pairs(input, row);
    if (labels(row) != (nearest == nobody_near ? row : labels(nearest))) ++wrong;
  }
  session.verification().check("attached_to_the_wrong_group", static_cast<double>(wrong));
  Count no_label = 0;
  for (Count i = 0; i < labels.extent(0); ++i)
    if (labels(i) > i || labels(labels(i)) != labels(i)) ++no_label;
  session.verification().check("labels_of_all_species_that_are_no_smallest_row",
                               static_cast<double>(no_label));
  return fmt::format("verified {} of the {} attached particles against all linked ones", looked_at,
                     others);
}

template <class ExecutionSpace>
Labels<Kokkos::HostSpace> attach_on(const ExecutionSpace& space, const LinkedInput& input,
                                    const Labels<Kokkos::HostSpace>& of_linked) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto there = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(MemorySpace{}, view);
  };
  Points<3, Kokkos::HostSpace> other_positions("copse::fof::other_positions",
                                               input.others.extent(0));
  for (Count k = 0; k < input.others.extent(0); ++k)
    for (int a = 0; a < 3; ++a) other_positions(k, a) = input.all.position(input.others(k), a);
  const auto nearest = find_nearest_linked(space, there(input.particles.position),
                                           there(other_positions), input.friendship);
  const auto labels =
      attach_labels(space, there(input.rows), there(input.others), there(of_linked), nearest);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, labels);
}

}  // namespace

WholeResult attach_others(app::Session& session, const Request& request, const LinkedInput& input,
                          const MeasuredLinking& linking) {
  if (!input.partial()) return {input, linking};
  WholeResult whole{input, linking};
  const Kokkos::Timer timer;
  dispatch_backend(linking.backend, [&](auto space) {
    whole.linking.labels = attach_on(space, input, linking.labels);
  });
  const double seconds = timer.seconds();
  const auto& labels = whole.linking.labels;
  Count attached = 0;
  std::vector<LocalIndex> linked_of_group(labels.extent(0), 0);
  for (Count k = 0; k < input.rows.extent(0); ++k) ++linked_of_group[labels(input.rows(k))];
  for (Count k = 0; k < input.others.extent(0); ++k)
    if (linked_of_group[labels(input.others(k))] > 0) ++attached;
  if (request.sabotage == lost_attachment_sabotage) {
    Count k = 0;
    while (k < input.others.extent(0) && labels(input.others(k)) == input.others(k)) ++k;
    if (k < input.others.extent(0)) labels(input.others(k)) = input.others(k);
  }
  session.report().results()["species"] = {{"linked", input.rows.extent(0)},
                                           {"others", input.others.extent(0)},
                                           {"attached", attached},
                                           {"seconds", seconds}};
  session.print(fmt::format("{} of {} other particles attached to the group of the nearest in {}",
                            attached, input.others.extent(0), app::format_seconds(seconds)));
  if (session.options().verify) session.print(check_attached(session, input, labels));
  whole.input.particles = input.all;
  return whole;
}

void attach_levels(const Request& request, const LinkedInput& input, const std::string& backend,
                   std::vector<SubLevel>& levels) {
  if (!input.partial()) return;
  for (SubLevel& level : levels)
    dispatch_backend(backend, [&](auto space) {
      level.labels = attach_on(space, input_of_level(request, input, level.level), level.labels);
    });
}

}  // namespace copse::fof
