#include "nearest_groups.hpp"

#include "../species/attach.hpp"
#include "../species/nearest_linked.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/domains/ghosts.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>

namespace copse::fof {
namespace {

/// The nearest linked particles for a list of queries.
template <class MemorySpace>
struct Answers {
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> distance2;
  GlobalLabels<MemorySpace> id;  ///< id of the particle, or no_group
  GlobalLabels<MemorySpace> group;
};

template <class MemorySpace>
Answers<MemorySpace> room_for_answers(Workspace<MemorySpace>& workspace, const std::string& name,
                                      Count n) {
  return {workspace.template get<Real>("fof::" + name + "_distance2", n),
          workspace.template get<GlobalId>("fof::" + name + "_id", n),
          workspace.template get<GlobalId>("fof::" + name + "_group", n)};
}

template <class MemorySpace>
struct AnswerNearest {
  Points<3, MemorySpace> position;
  GlobalLabels<MemorySpace> id;
  GlobalLabels<MemorySpace> group;
  Points<3, MemorySpace> asked;
  RowList<MemorySpace> nearest;
  Friendship rule;
  Answers<MemorySpace> answers;

  KOKKOS_FUNCTION void operator()(const Count k) const {
    const LocalIndex row = nearest(k);
    const bool near = row != nobody_near;
    answers.id(k) = near ? id(row) : no_group;
    answers.group(k) = near ? group(row) : no_group;
    answers.distance2(k) = 0;
    if (!near) return;
    const auto x = lane_point<OneLane, 3>(asked, static_cast<LocalIndex>(k));
    answers.distance2(k) =
        rule.template distance2<OneLane>(x, PointAt<3, MemorySpace>{position, row});
  }
};

/// Takes over the nearer answers of one rank, which has at most one per query particle.
template <class MemorySpace>
struct TakeNearer {
  Kokkos::View<const LocalIndex*, MemorySpace> rows;
  Answers<MemorySpace> answers;
  Count first;
  Answers<MemorySpace> best;

  KOKKOS_FUNCTION void operator()(const Count k) const {
    const Count answer = first + k;
    const Count row = rows(answer);
    if (answers.id(answer) == no_group) return;
    const Real d2 = answers.distance2(answer);
    const bool nearer = best.id(row) == no_group || d2 < best.distance2(row) ||
                        (d2 == best.distance2(row) && answers.id(answer) < best.id(row));
    if (!nearer) return;
    best.distance2(row) = d2;
    best.id(row) = answers.id(answer);
    best.group(row) = answers.group(answer);
  }
};

std::vector<Neighbour> domains_near(const BoxBound<3>& bound,
                                    const std::vector<BoxBound<3>>& domains,
                                    const MayBeFriends& near_enough) {
  std::vector<Neighbour> near;
  for (int rank = 0; rank < static_cast<int>(domains.size()); ++rank)
    if (near_enough(domains[rank], bound)) near.push_back({domains[rank], rank});
  return near;
}

}  // namespace

template <class ExecutionSpace>
void find_nearest_groups(const ExecutionSpace& space,
                         const LinkedDomain<typename ExecutionSpace::memory_space>& domain,
                         const Points<3, typename ExecutionSpace::memory_space>& others,
                         const Friendship& friendship,
                         const GlobalLabels<typename ExecutionSpace::memory_space>& groups,
                         CountedMessages& messages,
                         Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::Profiling::ScopedRegion region("copse::fof::nearest_groups");
  const MayBeFriends near_enough{friendship};
  const auto near = domains_near(domain_bound(space, others), domain.bounds, near_enough);
  auto order = select_near(space, others, near, messages.ranks(), near_enough, workspace);
  const ExchangePlan plan = messages.plan(std::move(order.counts));
  const Count sent = plan.send.total(), got = plan.receive.total();
  if (messages.allreduce(got, Reduction::max) > max_particles_per_rank)
    throw InputError("a rank would be asked about more than 2^32 particles: use more ranks");

  const auto points = [&](const char* name, Count n) {
    return Points<3, MemorySpace>(workspace.template get<Real>(name, 3 * n).data(), n);
  };
  const Points<3, MemorySpace> packed = points("fof::packed_others", sent);
  const Points<3, MemorySpace> asked = points("fof::asked_others", got);
  gather_rows("copse::fof::pack_others", space, others, packed, order.rows);
  messages.exchange(plan, packed, asked);

  const auto given = room_for_answers(workspace, "given", got);
  const auto nearest = find_nearest_linked(space, domain.position, asked, friendship);
  Kokkos::parallel_for("copse::fof::answer_nearest", CountRange<ExecutionSpace>(space, 0, got),
                       AnswerNearest<MemorySpace>{domain.position, domain.id, domain.label, asked,
                                                  nearest, friendship, given});
  const auto answers = room_for_answers(workspace, "received", sent);
  const ExchangePlan back{plan.receive, plan.send};
  messages.exchange(back, given.distance2, answers.distance2);
  messages.exchange(back, given.id, answers.id);
  messages.exchange(back, given.group, answers.group);

  const Count n = others.extent(0);
  const Answers<MemorySpace> best{workspace.template get<Real>("fof::best_distance2", n),
                                  workspace.template get<GlobalId>("fof::best_id", n), groups};
  Kokkos::parallel_for(
      "copse::fof::nobody_yet", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count row) {
        best.distance2(row) = 0;
        best.id(row) = no_group;
        best.group(row) = no_group;
      });
  // One rank after the other, so that no two answers for a particle race.
  for (int rank = 0; rank < messages.ranks(); ++rank) {
    if (plan.send.counts[rank] == 0) continue;
    Kokkos::parallel_for(
        "copse::fof::take_nearer", CountRange<ExecutionSpace>(space, 0, plan.send.counts[rank]),
        TakeNearer<MemorySpace>{order.rows, answers, plan.send.offsets[rank], best});
  }
  space.fence("copse::fof::nearest_groups");
}

#define COPSE_INSTANTIATE(Space)                                                                \
  template void find_nearest_groups(const Space&, const LinkedDomain<Space::memory_space>&,     \
                                    const Points<3, Space::memory_space>&, const Friendship&,   \
                                    const GlobalLabels<Space::memory_space>&, CountedMessages&, \
                                    Workspace<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
