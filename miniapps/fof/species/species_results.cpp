#include "species_results.hpp"

#include "attach.hpp"
#include "verify_attached.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Timer.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace copse::fof {
namespace {

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

void report_attached(app::Session& session, const AttachedTotals& totals) {
  session.report().results()["species"] = {{"linked", totals.linked},
                                           {"others", totals.others},
                                           {"attached", totals.attached},
                                           {"seconds", totals.seconds}};
  session.print(fmt::format("{} of {} other particles attached to the group of the nearest in {}",
                            totals.attached, totals.others, app::format_seconds(totals.seconds)));
}

WholeResult attach_others(app::Session& session, const Request& request, const LinkedInput& input,
                          const MeasuredLinking& linking) {
  if (!input.partial) return {input, linking};
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
  report_attached(session, {input.rows.extent(0), input.others.extent(0), attached, seconds});
  if (session.options().verify)
    session.print(verify_attached(input, linking.labels, labels, session.verification()));
  whole.input.particles = input.all;
  return whole;
}

void attach_levels(const Request& request, const LinkedInput& input, const std::string& backend,
                   std::vector<SubLevel>& levels) {
  if (!input.partial) return;
  for (SubLevel& level : levels)
    dispatch_backend(backend, [&](auto space) {
      level.labels = attach_on(space, input_of_level(request, input, level.level), level.labels);
    });
}

}  // namespace copse::fof
