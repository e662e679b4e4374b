#pragma once
/// \file
/// Friends of friends over MPI ranks, with any method on each.
///
/// 1. Particles go to domains of equal numbers (domains.hpp).
/// 2. Of two neighbouring ranks one gets the particles of the other that are within reach of its
///    domain, as ghosts (ghosts.hpp).
/// 3. Each rank links its own particles and ghosts, as if there were no others.
/// 4. A ghost tells that a group here and a group on its own rank are parts of one; these links are
///    resolved over all ranks (merge_fragments.hpp).
/// 5. Labels go back to where particles came from.
///
/// Why the groups are those of one rank: two friends in one domain are linked there in step 3; two
/// friends in two domains are linked, one of them a ghost, on the one rank that gets ghosts of the
/// other, and step 4 joins the groups of that ghost on both ranks. Nothing else is linked but
/// ghosts, with the same test. Labels are smallest rows in the order of all ranks, so they do not
/// depend on domains, ranks, method or backend.

#include "../linker.hpp"
#include "counted_messages.hpp"
#include "distinct_links.hpp"
#include "domains.hpp"
#include "fault.hpp"
#include "fragments.hpp"
#include "merge_fragments.hpp"
#include "nearest_groups.hpp"
#include <copse/algorithms/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <string>
#include <vector>

namespace copse::fof {

/// What linking cost this rank; bytes are those sent to other ranks.
struct DistributedLinkCost {
  Count own = 0;              ///< particles of the domain
  Count ghosts = 0;           ///< of other ranks, that this one got
  Count links = 0;            ///< between its fragments and those of other ranks, found here
  Count domain_bytes = 0;     ///< of particles that go to their domains
  Count histogram_bytes = 0;  ///< this rank's part of sums over ranks, to cut the domains
  Count ghost_bytes = 0;
  Count merge_bytes = 0;  ///< names of ghosts' fragments, links, and their labels
  Count label_bytes = 0;
  int merge_rounds = 0;  ///< exchanges for step 4
  double compute_seconds = 0.0;
  double communicate_seconds = 0.0;
  double wait_seconds = 0.0;  ///< in a barrier before every collective
};

struct DistributedLinkOptions {
  bool count_members = false;  ///< so that bring_members can be called
  DomainOptions domains = {};
  Fault fault = Fault::none;
};

template <class ExecutionSpace>
class DistributedLinker {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  /// A method that labels the particles of one rank.
  using LocalLink =
      std::function<void(const LinkProblem<MemorySpace>&, const Labels<MemorySpace>&)>;

  DistributedLinker(const Communicator& comm, const ExecutionSpace& space)
      : space_(space), messages_(comm), domains_(comm, space) {}

  /// Labels the particles of all ranks; rows are counted by rank, then by row. `mine` may be empty;
  /// its friendship must be the same everywhere, with velocities on all ranks if it has a velocity
  /// factor. `box` holds all positions. Collective. Returns when the labels are written.
  ///
  /// Bytes a particle (Real = float), beside those of the method for own particles and ghosts: 66,
  /// with velocities 79, and 16 more if members are counted. A ghost takes 24 (36) where it is sent
  /// and at most 68 (80) where it arrives. The builder of the domains has a sample only.
  /// \throws InputError as the method, DistributedOrbBuilder::build and select_ghosts do, or if a
  ///         rank would hold too many particles
  void link(const LinkProblem<MemorySpace>& mine, const Box<3>& box, const LocalLink& local_link,
            const GlobalLabels<MemorySpace>& labels, const DistributedLinkOptions& options = {});

  /// The members of the group of each particle of the last call of `link`, which must have counted
  /// them. Collective.
  void bring_members(const GroupSizes<MemorySpace>& members);

  /// For each of `others`, particles of this rank that were not linked, the label that the last
  /// call of `link` gave the group of the linked particle nearest to it, or no_group. Costs and
  /// throws as find_nearest_groups. Collective.
  void find_groups_near(const Points<3, MemorySpace>& others, const Friendship& friendship,
                        const GlobalLabels<MemorySpace>& groups);

  const DistributedLinkCost& cost() const { return cost_; }

  /// Bytes on one of `ranks` ranks with `rows` particles, beside the particles themselves and what
  /// a method takes; ghosts, of which there is no telling, are not counted.
  static Count estimate_bytes(Count rows, int ranks, bool velocities);

 private:
  /// Which particles left and arrived as ghosts.
  struct Ghosts {
    Kokkos::View<LocalIndex*, MemorySpace> sent;  ///< rows of the domain, by rank
    ExchangePlan plan;
  };

  Ghosts plan_ghosts(const Domain<MemorySpace>& domain, const Friendship& rule, Fault fault);
  LinkProblem<MemorySpace> with_ghosts(const Domain<MemorySpace>& domain, const Ghosts& ghosts,
                                       const Friendship& rule);
  /// Own points and ghosts behind them, in `room`, whose first rows the own points are, or else in
  /// an array called after `name`.
  Points<3, MemorySpace> append_ghosts(const std::string& name, const Points<3, MemorySpace>& own,
                                       const Points<3, MemorySpace>& room, const Ghosts& ghosts);
  void link_locally(const LocalLink& local_link, const LinkProblem<MemorySpace>& problem,
                    const Labels<MemorySpace>& labels);
  std::vector<FragmentLink> find_links(const Fragments<ExecutionSpace>& fragments,
                                       const Ghosts& ghosts, Fault fault);
  void sum_up_cost();

  ExecutionSpace space_;
  CountedMessages messages_;
  DomainExchange<ExecutionSpace> domains_;
  Workspace<MemorySpace> workspace_;
  LinkedDomain<MemorySpace> linked_;  ///< as the last call of `link` left it
  GroupSizes<MemorySpace> members_;   ///< of the domain's particles, if counted
  DistributedLinkCost cost_;
};

}  // namespace copse::fof
