#include "attach_over_ranks.hpp"

#include "../species/species_results.hpp"
#include "joined_groups.hpp"
#include "verify_distributed.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>

namespace copse::fof {
namespace {

template <class ExecutionSpace>
GlobalLabels<Kokkos::HostSpace> groups_of_others(const LinkedInput& input,
                                                 DistributedLinker<ExecutionSpace>& linker) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = input.others.extent(0);
  const Points<3, Kokkos::HostSpace> position("copse::fof::other_positions", n);
  for (Count k = 0; k < n; ++k)
    for (int a = 0; a < 3; ++a) position(k, a) = input.all.position(input.others(k), a);
  const GlobalLabels<MemorySpace> groups(
      Kokkos::view_alloc("copse::fof::groups_of_others", Kokkos::WithoutInitializing), n);
  linker.find_groups_near(Kokkos::create_mirror_view_and_copy(MemorySpace{}, position),
                          input.friendship, groups);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, groups);
}

/// Of all ranks, the first particle that has joined a group has not.
void lose_attached(const Communicator& comm, const GlobalLabels<Kokkos::HostSpace>& joined,
                   Count attached) {
  if (comm.exclusive_scan(attached) > 0 || attached == 0) return;
  GlobalId* const end = joined.data() + joined.extent(0);
  *std::find_if(joined.data(), end, [](GlobalId group) { return group != no_group; }) = no_group;
}

}  // namespace

template <class ExecutionSpace>
CountedGroups<Kokkos::HostSpace> attach_over_ranks(
    app::Session& session, const Communicator& comm, const Request& request,
    const LinkedInput& input, DistributedLinker<ExecutionSpace>& linker,
    const GlobalLabels<Kokkos::HostSpace>& of_linked) {
  const Kokkos::Timer timer;
  const auto joined = groups_of_others(input, linker);
  const Count unattached =
      static_cast<Count>(std::count(joined.data(), joined.data() + joined.extent(0), no_group));
  const Count attached = joined.extent(0) - unattached;
  if (request.sabotage == lost_attachment_sabotage) lose_attached(comm, joined, attached);
  const auto groups = join_groups(comm, {input.rows, input.others, of_linked, joined});
  const double seconds = timer.seconds();
  report_attached(
      session, {input.total_linked, comm.allreduce(Count{input.others.extent(0)}, Reduction::sum),
                comm.allreduce(attached, Reduction::sum), comm.allreduce(seconds, Reduction::max)});
  if (session.options().verify)
    session.print(verify_attached_over_ranks(session, comm, input, of_linked, groups.labels));
  return groups;
}

#define COPSE_INSTANTIATE(Space)                                              \
  template CountedGroups<Kokkos::HostSpace> attach_over_ranks(                \
      app::Session&, const Communicator&, const Request&, const LinkedInput&, \
      DistributedLinker<Space>&, const GlobalLabels<Kokkos::HostSpace>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
