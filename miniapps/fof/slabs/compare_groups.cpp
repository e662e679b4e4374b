#include "compare_groups.hpp"

#include "link_slabs.hpp"

#include <algorithm>

namespace copse::fof {
namespace {

/// Sends least[root] of particles to the ranks in `to`, and lowers that of the particles `from`.
/// \return true if one was lowered. Collective.
bool lower(const Communicator& comm, const std::vector<std::vector<LocalIndex>>& to,
           const std::vector<std::vector<LocalIndex>>& from, DisjointSets& components,
           std::vector<GlobalId>& least) {
  std::vector<Count> counts;
  for (const auto& rows : to) counts.push_back(rows.size());
  const ExchangePlan plan = comm.plan_exchange(counts);
  const auto room = [](Count n) {
    return GlobalLabels<Kokkos::HostSpace>(
        Kokkos::view_alloc("copse::fof::least", Kokkos::WithoutInitializing), n);
  };
  const auto send = room(plan.send.total()), received = room(plan.receive.total());
  Count k = 0;
  for (const auto& rows : to)
    for (const LocalIndex i : rows) send(k++) = least[components.root(i)];
  comm.alltoallv(plan, send, received);
  bool lowered = false;
  k = 0;
  for (const auto& rows : from)
    for (const LocalIndex i : rows) {
      GlobalId& mine = least[components.root(i)];
      lowered = lowered || received(k) < mine;
      mine = std::min(mine, received(k++));
    }
  return lowered;
}

}  // namespace

GroupDifferences compare_groups(const Communicator& comm, const LinkedInput& input,
                                const GlobalLabels<Kokkos::HostSpace>& labels,
                                Count slab_particles) {
  const LayerGrid grid(input.friendship, input.particles.box);
  const LayerParticles here = spread_by_layer(comm, grid, input.problem(), labels);
  const Count n = here.problem.size();
  DisjointSets components(n);
  link_slabs(grid, here, slab_particles, components);

  const bool alone = comm.size() == 1;
  std::vector<GlobalId> least;  // global index of each root, then the smallest of its component
  if (!alone) {
    least.assign(here.row.data(), here.row.data() + n);
    for (bool lowered = true; lowered;) {
      const bool below = lower(comm, here.copied_to, here.copies_of, components, least);
      const bool above = lower(comm, here.copies_of, here.copied_to, components, least);
      lowered = comm.allreduce(below || above ? 1 : 0, Reduction::max) > 0;
    }
  }
  GroupDifferences found;
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_reduce(
      "copse::fof::compare_groups", CountRange<Host>(Host(), 0, n),
      [&](Count i, Count& above, Count& torn, Count& unlike, Count& first) {
        const LocalIndex root = components.root(static_cast<LocalIndex>(i));
        torn += here.label(i) != here.label(root) ? 1 : 0;
        const std::uint32_t layer = grid.layer(here.problem.position, i);
        if (layer < here.first || layer >= here.end) return;
        const GlobalId row = alone ? i : here.row(i), right = alone ? root : least[root];
        above += here.label(i) > row ? 1 : 0;
        unlike += here.label(i) != right ? 1 : 0;
        first += row == right ? 1 : 0;
      },
      found.above_own_row, found.torn, found.unlike, found.components);
  found.components = comm.allreduce(found.components, Reduction::sum);
  return found;
}

}  // namespace copse::fof
