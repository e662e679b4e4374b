#include "distributed_linker.hpp"

#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace copse::fof {
template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::link(const LinkProblem<MemorySpace>& mine,
                                             const Box<3>& box, const LocalLink& local_link,
                                             const DomainOptions& domains) {
  cost_ = {};
  if (messages_.ranks() == 1) {
    cost_.own = mine.size();
    linked_.position = mine.position;
    local_ = workspace_.template get<LocalIndex>("fof::local_labels", mine.size());
    return local_link(mine, local_);
  }
  messages_.take_traffic();
  messages_.clock().start();
  Domain<MemorySpace> domain;
  Points<3, MemorySpace> velocity_room;
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::domains");
    domain = migration_.move(mine.position, box, messages_, domains);
    if (mine.friendship.velocity_factor > 0)
      velocity_room = migration_.move_along("velocity", mine.velocity, messages_);
    cost_.own = domain.size();
    cost_.domain_bytes = messages_.take_traffic().bytes + migration_.cost().particle_bytes_sent;
    cost_.histogram_bytes = migration_.cost().bytes_reduced;
  }
  LinkProblem<MemorySpace> problem;
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::ghosts");
    choose_ghosts(domain, mine.friendship);
    problem = with_ghosts(domain, velocity_room, mine.friendship);
    cost_.ghosts = ghosts_.size();
    cost_.ghost_bytes = messages_.take_traffic().bytes;
  }
  local_ = workspace_.template get<LocalIndex>("fof::local_labels", problem.size());
  link_locally(local_link, problem, local_);
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::merge");
    const Fragments<ExecutionSpace> fragments(space_, workspace_, domain.id, local_, false);
    links_ = find_links(fragments);
    app::corruptible(links_, messages_.comm());
    auto merged = merge(fragments);
    app::corruptible(merged, messages_.comm());
    cost_.links = links_.size();
    fragments.enter(merged);
    linked_.position = domain.position;
    linked_.id = domain.id;
    linked_.label = fragments.labels();
    const Traffic traffic = messages_.take_traffic();
    cost_.merge_bytes = traffic.bytes;
    cost_.merge_rounds = traffic.exchanges;
  }
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::return_labels");
    labels_ = workspace_.template get<GlobalId>("fof::labels", mine.size());
    migration_.bring_back(linked_.label, labels_, messages_);
    cost_.label_bytes = messages_.take_traffic().bytes;
  }
  messages_.clock().stop();
  sum_up_cost();
}

template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::choose_ghosts(const Domain<MemorySpace>& domain,
                                                      Friendship rule) {
  app::corruptible(rule, messages_.comm());
  ghosts_.choose(domain.position, GhostSides::one, MayBeFriends{rule}, messages_);
  linked_.bounds = ghosts_.domains();
  const Count rows = domain.size() + ghosts_.size();
  if (messages_.allreduce(rows, Reduction::max) > max_particles_per_rank)
    throw InputError("a rank would hold more than 2^32 particles and ghosts: use more ranks");
}

template <class ExecutionSpace>
auto DistributedLinker<ExecutionSpace>::with_space_for_ghosts(const std::string& name, Count own,
                                                              const Points<3, MemorySpace>& room)
    -> Points<3, MemorySpace> {
  const Count n = own + ghosts_.size();
  if (n <= room.extent(0)) return first_points(room, n);
  const Points<3, MemorySpace> all(
      workspace_.template get<Real>("fof::linked_" + name, 3 * n).data(), n);
  for (int a = 0; a < 3; ++a)
    Kokkos::deep_copy(space_, Kokkos::subview(all, std::pair(Count{0}, own), a),
                      Kokkos::subview(room, std::pair(Count{0}, own), a));
  return all;
}

template <class ExecutionSpace>
auto DistributedLinker<ExecutionSpace>::with_ghosts(const Domain<MemorySpace>& domain,
                                                    const Points<3, MemorySpace>& velocity_room,
                                                    const Friendship& rule)
    -> LinkProblem<MemorySpace> {
  const Count n = domain.size();
  const auto column = [&](const Points<3, MemorySpace>& all) {
    const Points<3, MemorySpace> arrivals =
        Kokkos::subview(all, std::pair(n, n + ghosts_.size()), Kokkos::ALL);
    return GhostColumn<Points<3, MemorySpace>, Points<3, MemorySpace>>{first_points(all, n),
                                                                       arrivals};
  };
  LinkProblem<MemorySpace> problem;
  problem.friendship = rule;
  problem.position = with_space_for_ghosts("position", n, domain.position_room);
  if (rule.velocity_factor > 0) {
    problem.velocity = with_space_for_ghosts("velocity", n, velocity_room);
    ghosts_.exchange(messages_, column(problem.position), column(problem.velocity));
  } else {
    ghosts_.exchange(messages_, column(problem.position));
  }
  return problem;
}

template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::link_locally(const LocalLink& local_link,
                                                     const LinkProblem<MemorySpace>& problem,
                                                     const Labels<MemorySpace>& labels) {
  // A method may reject its options only on ranks that have particles; all ranks must throw.
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
    const Fragments<ExecutionSpace>& fragments) {
  const Count got = ghosts_.size();
  const auto received = workspace_.template get<GlobalId>("fof::received_names", got);
  messages_.exchange(ghosts_.plan(), fragments.names(ghosts_.rows()), received);
  return distinct_links(space_, fragments.names_of_ghosts(got), received, ghosts_.plan().receive,
                        workspace_);
}

template <class ExecutionSpace>
std::vector<FragmentLabel> DistributedLinker<ExecutionSpace>::merge(
    const Fragments<ExecutionSpace>& fragments) {
  return merge_fragments(
      links_, [&](const std::vector<GlobalId>& names) { return fragments.members_of(names); },
      messages_);
}

template <class ExecutionSpace>
auto DistributedLinker<ExecutionSpace>::labels() -> GlobalLabels<MemorySpace> {
  if (messages_.ranks() > 1) return labels_;
  const Count n = local_.extent(0);
  const auto labels = workspace_.template get<GlobalId>("fof::labels", n);
  const auto local = local_;
  Kokkos::parallel_for(
      "copse::fof::widen_labels", CountRange<ExecutionSpace>(space_, 0, n),
      KOKKOS_LAMBDA(const Count i) { labels(i) = local(i); });
  space_.fence("copse::fof::widen_labels");
  return labels;
}

template <class ExecutionSpace>
auto DistributedLinker<ExecutionSpace>::members() -> GroupSizes<MemorySpace> {
  const bool alone = messages_.ranks() == 1;
  const Count n = alone ? local_.extent(0) : labels_.extent(0);
  const Fragments<ExecutionSpace> fragments(space_, workspace_, alone ? labels() : linked_.id,
                                            local_, true);
  if (alone) return fragments.members();
  fragments.enter(merge(fragments));
  const auto members = workspace_.template get<Count>("fof::members", n);
  migration_.bring_back(fragments.members(), members, messages_);
  return members;
}

template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::find_groups_near(const Points<3, MemorySpace>& others,
                                                         const Friendship& friendship,
                                                         const GlobalLabels<MemorySpace>& groups) {
  if (messages_.ranks() == 1) {
    const Count n = local_.extent(0);
    linked_.label = labels();
    const auto id = workspace_.template get<GlobalId>("fof::rows", n);
    linked_.id = id;
    linked_.bounds = {domain_bound(space_, linked_.position)};
    Kokkos::parallel_for(
        "copse::fof::number_rows", CountRange<ExecutionSpace>(space_, 0, n),
        KOKKOS_LAMBDA(const Count i) { id(i) = i; });
  }
  find_nearest_groups(space_, linked_, others, friendship, groups, messages_, workspace_);
}

template <class ExecutionSpace>
Count DistributedLinker<ExecutionSpace>::estimate_bytes(Count rows, int ranks, bool velocities) {
  // As in link(), without the local labels, which are counted with the method.
  const Count numbers = 2 * sizeof(GlobalId);
  return rows * (numbers + sizeof(GlobalId)) + rows / 8 +
         Migration<ExecutionSpace>::estimate_bytes(rows, ranks, velocities ? 2 : 1);
}

template <class ExecutionSpace>
void DistributedLinker<ExecutionSpace>::sum_up_cost() {
  // Subtract the time of the domain builder's clock, which ran inside this one.
  const DistributedCost& domains = migration_.cost();
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
