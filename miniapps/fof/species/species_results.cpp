#include "species_results.hpp"

#include "../distributed/joined_groups.hpp"
#include "attach.hpp"
#include "verify_attached.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Timer.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace copse::fof {
namespace {

Points<3, Kokkos::HostSpace> positions_of_others(const LinkedInput& input) {
  const Points<3, Kokkos::HostSpace> position("copse::fof::other_positions",
                                              input.others.extent(0));
  for (Count k = 0; k < input.others.extent(0); ++k)
    for (int a = 0; a < 3; ++a) position(k, a) = input.all.position(input.others(k), a);
  return position;
}

template <class ExecutionSpace>
Labels<Kokkos::HostSpace> attach_on(const ExecutionSpace& space, const LinkedInput& input,
                                    const Labels<Kokkos::HostSpace>& of_linked) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto there = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(MemorySpace{}, view);
  };
  const auto nearest = find_nearest_linked(space, there(input.particles.position),
                                           there(positions_of_others(input)), input.friendship);
  const auto labels =
      attach_labels(space, there(input.rows), there(input.others), there(of_linked), nearest);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, labels);
}

}  // namespace

CountedGroups<Kokkos::HostSpace> attach_others(app::Session& session, const Communicator& comm,
                                               const LinkedInput& input,
                                               const MeasuredLinking& linking) {
  if (!input.partial)
    return {linking.labels, comm.size() > 1 ? linking.members() : GroupSizes<Kokkos::HostSpace>()};
  const Kokkos::Timer timer;
  Attached found;
  const auto joined = linking.groups_near(positions_of_others(input));
  for (Count k = 0; k < joined.extent(0); ++k) found.others += joined(k) != no_group ? 1 : 0;
  found.groups = join_groups(comm, {input.rows, input.others, linking.labels, joined});
  const double seconds = comm.allreduce(timer.seconds(), Reduction::max);
  app::corruptible(found, comm, input);
  const Count others = comm.allreduce(Count{input.others.extent(0)}, Reduction::sum);
  const Count attached = comm.allreduce(found.others, Reduction::sum);
  session.report().results()["species"] = {{"linked", input.total_linked},
                                           {"others", others},
                                           {"attached", attached},
                                           {"seconds", seconds}};
  session.print(fmt::format(
      "{} of {} other particles attached to the group of their nearest linked particle in {}",
      attached, others, app::format_seconds(seconds)));
  if (session.options().verify)
    session.print(
        verify_attached(comm, input, linking.labels, found.groups.labels, session.verification()));
  return found.groups;
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
