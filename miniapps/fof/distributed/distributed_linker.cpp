#include "distributed_linker.hpp"

#include "ghosts.hpp"
#include <copse/algorithms/gather_rows.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/rank_agreement.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

namespace copse::fof {
namespace {

/// Gives each ghost the name of the next one from the same rank.
template <class MemorySpace>
void mix(const GlobalLabels<MemorySpace>& names, const ExchangePlan::Side& from) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, names);
  for (std::size_t rank = 0; rank < from.counts.size(); ++rank) {
    GlobalId* const first = host.data() + from.offsets[rank];
    if (from.counts[rank] > 0) std::rotate(first, first + 1, first + from.counts[rank]);
  }
  Kokkos::deep_copy(names, host);
}

}  // namespace

template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::link(const LinkProblem<MemorySpace>& mine,
                                             const Box<3>& box, const LocalLink& local_link,
                                             const GlobalLabels<MemorySpace>& labels,
                                             const DistributedLinkOptions& options) {
  const Fault fault = options.fault;
  cost_ = {};
  messages_.take_traffic();
  messages_.clock().start();
  Domain<MemorySpace> domain;
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::domains");
    domain = domains_.distribute(mine, box, messages_, options.domains);
    cost_.own = domain.size();
    cost_.domain_bytes = messages_.take_traffic().bytes + domains_.cost().particle_bytes_sent;
    cost_.histogram_bytes = domains_.cost().bytes_reduced;
  }
  Ghosts ghosts;
  LinkProblem<MemorySpace> problem;
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::ghosts");
    ghosts = plan_ghosts(domain, mine.friendship, fault);
    problem = with_ghosts(domain, ghosts, mine.friendship);
    cost_.ghosts = ghosts.plan.receive.total();
    cost_.ghost_bytes = messages_.take_traffic().bytes;
  }
  const Labels<MemorySpace> local =
      workspace_.template get<LocalIndex>("fof::local_labels", problem.size());
  link_locally(local_link, problem, local);
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::merge");
    const Fragments<ExecutionSpace> fragments(space_, workspace_, domain.id, local,
                                              options.count_members);
    auto links = find_links(fragments, ghosts, fault);
    auto merged = merge_fragments(
        links, [&](const std::vector<GlobalId>& names) { return fragments.members_of(names); },
        messages_);
    cost_.links = links.size();
    if (fault == Fault::kept_fragments && messages_.rank() > 0) merged.clear();
    fragments.enter(merged);
    linked_.position = domain.position;
    linked_.id = domain.id;
    linked_.label = fragments.labels();
    members_ = fragments.members();
    const Traffic traffic = messages_.take_traffic();
    cost_.merge_bytes = traffic.bytes;
    cost_.merge_rounds = traffic.exchanges;
  }
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::return_labels");
    domains_.bring_back(linked_.label, labels, messages_);
    cost_.label_bytes = messages_.take_traffic().bytes;
  }
  messages_.clock().stop();
  sum_up_cost();
}

template <class ExecutionSpace>
auto DistributedLinker<ExecutionSpace>::plan_ghosts(const Domain<MemorySpace>& domain,
                                                    const Friendship& rule, Fault fault) -> Ghosts {
  const BoxBound<3> bound = domain_bound(space_, domain.position);
  messages_.clock().communicate(messages_.comm(), [&] {
    linked_.bounds = messages_.comm().allgatherv(std::span<const BoxBound<3>>(&bound, 1));
  });
  Friendship reach = rule;
  if (fault == Fault::lost_ghosts) reach.reach2 = 0;
  auto order =
      select_ghosts(space_, domain.position, linked_.bounds, messages_.rank(), reach, workspace_);
  Ghosts ghosts{order.rows, messages_.plan(std::move(order.counts))};
  const Count rows = domain.size() + ghosts.plan.receive.total();
  if (messages_.allreduce(rows, Reduction::max) > max_particles_per_rank)
    throw InputError("a rank would hold more than 2^32 particles and ghosts: use more ranks");
  return ghosts;
}

template <class ExecutionSpace>
Points<3, typename ExecutionSpace::memory_space> DistributedLinker<ExecutionSpace>::append_ghosts(
    const std::string& name, const Points<3, MemorySpace>& own, const Points<3, MemorySpace>& room,
    const Ghosts& ghosts) {
  const auto points = [&](const std::string& what, Count n) {
    return Points<3, MemorySpace>(
        workspace_.template get<Real>("fof::" + what + name, 3 * n).data(), n);
  };
  const Count n = own.extent(0);
  const Count got = ghosts.plan.receive.total();
  const bool fits = n + got <= room.extent(0);
  const Points<3, MemorySpace> all =
      fits ? first_points(room, n + got) : points("linked_", n + got);
  const Points<3, MemorySpace> packed = points("sent_", ghosts.sent.extent(0));
  gather_rows("copse::fof::pack_ghosts", space_, own, packed, ghosts.sent);
  for (int a = 0; a < 3 && !fits; ++a)
    Kokkos::deep_copy(space_, Kokkos::subview(all, std::pair(Count{0}, n), a),
                      Kokkos::subview(own, Kokkos::ALL, a));
  const Points<3, MemorySpace> arrivals = Kokkos::subview(all, std::pair(n, n + got), Kokkos::ALL);
  messages_.exchange(ghosts.plan, packed, arrivals);
  return all;
}

template <class ExecutionSpace>
LinkProblem<typename ExecutionSpace::memory_space> DistributedLinker<ExecutionSpace>::with_ghosts(
    const Domain<MemorySpace>& domain, const Ghosts& ghosts, const Friendship& rule) {
  LinkProblem<MemorySpace> problem;
  problem.friendship = rule;
  problem.position = append_ghosts("position", domain.position, domain.position_room, ghosts);
  if (rule.velocity_factor > 0)
    problem.velocity = append_ghosts("velocity", domain.velocity, domain.velocity_room, ghosts);
  space_.fence("copse::fof::with_ghosts");
  return problem;
}

template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::link_locally(const LocalLink& local_link,
                                                     const LinkProblem<MemorySpace>& problem,
                                                     const Labels<MemorySpace>& labels) {
  // A method may refuse its options on the ranks that have particles; all must hear of it.
  std::exception_ptr refusal;
  try {
    local_link(problem, labels);
  } catch (...) {
    refusal = std::current_exception();
  }
  messages_.clock().communicate(messages_.comm(), [&] {
    together(messages_.comm().handle(), [&] {
      if (refusal) std::rethrow_exception(refusal);
    });
  });
}

template <class ExecutionSpace>
std::vector<FragmentLink> DistributedLinker<ExecutionSpace>::find_links(
    const Fragments<ExecutionSpace>& fragments, const Ghosts& ghosts, Fault fault) {
  const Count got = ghosts.plan.receive.total();
  const auto received = workspace_.template get<GlobalId>("fof::received_names", got);
  messages_.exchange(ghosts.plan, fragments.names(ghosts.sent), received);
  if (fault == Fault::lost_links) return {};
  if (fault == Fault::mixed_ghosts) mix(received, ghosts.plan.receive);
  return distinct_links(space_, fragments.names_of_ghosts(got), received, ghosts.plan.receive,
                        workspace_);
}

template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::bring_members(const GroupSizes<MemorySpace>& members) {
  domains_.bring_back(members_, members, messages_);
}

template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::find_groups_near(const Points<3, MemorySpace>& others,
                                                         const Friendship& friendship,
                                                         const GlobalLabels<MemorySpace>& groups) {
  find_nearest_groups(space_, linked_, others, friendship, groups, messages_, workspace_);
}

template <class ExecutionSpace>
Count DistributedLinker<ExecutionSpace>::estimate_bytes(Count rows, int ranks, bool velocities) {
  // What link() says, without the local labels, which are the method's.
  const Count numbers = 2 * sizeof(GlobalId);
  return rows * (numbers + sizeof(GlobalId)) + rows / 8 +
         DomainExchange<ExecutionSpace>::estimate_bytes(rows, ranks, velocities);
}

template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::sum_up_cost() {
  // The builder of the domains has its own clock, which ran inside this one.
  const DistributedCost& domains = domains_.cost();
  const CollectiveClock& clock = messages_.clock();
  cost_.communicate_seconds = clock.communicate_seconds() + domains.communicate_seconds;
  cost_.wait_seconds = clock.wait_seconds() + domains.wait_seconds;
  cost_.compute_seconds =
      clock.compute_seconds() - domains.communicate_seconds - domains.wait_seconds;
}

#define COPSE_INSTANTIATE(Space) template class DistributedLinker<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
