#pragma once
/// \file
/// Friends of friends over any number of MPI ranks, with any method on each. One rank alone has no
/// neighbours: it links its particles where they are, and steps 1, 2, 4 and 5 do not exist.
///
/// 1. Particles go to domains of equal numbers (copse/domains/migration.hpp).
/// 2. Of two neighbouring ranks one gets the particles of the other that are within reach of its
///    domain, as one-sided ghosts (copse/domains/ghosts.hpp): a pair of friends in two domains has
///    to meet on one rank only.
/// 3. Each rank links its own particles and ghosts, as if there were no others.
/// 4. A ghost shows that a group here and a group on its own rank are parts of one; the links are
///    resolved over all ranks (merge_fragments.hpp).
/// 5. Labels go back to where particles came from.
///
/// Why the groups are those of one rank: two friends in one domain are linked there in step 3; two
/// friends in two domains are linked, one of them a ghost, on the one rank that gets ghosts of the
/// other, and step 4 joins the groups of that ghost on both ranks. Nothing else is linked but
/// ghosts, with the same test. Labels are smallest rows in the order of all ranks, so they do not
/// depend on domains, ranks, method or backend.

#include "../linker.hpp"
#include "../sabotage.hpp"
#include "distinct_links.hpp"
#include "fragments.hpp"
#include "merge_fragments.hpp"
#include "nearest_groups.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/domains/ghosts.hpp>
#include <copse/domains/migration.hpp>

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
      : space_(space), messages_(comm), migration_(comm, space), ghosts_(space) {}

  /// Links the particles of all ranks; rows are counted by rank, then by row. `mine` may be empty;
  /// its friendship must be the same everywhere, with velocities on all ranks if it has a velocity
  /// factor. `box` holds all positions. Collective. Returns when the labels are known.
  ///
  /// Bytes a particle (Real = float), beside those of the method for own particles and ghosts: 66,
  /// with velocities 79, and 24 more once members are counted. A ghost takes 24 (36) where it is
  /// sent and at most 80 (104) where it arrives. The builder of the domains has a sample only.
  /// \throws InputError as the method, DistributedOrbBuilder::build and select_ghosts do, or if a
  ///         rank would hold too many particles
  void link(const LinkProblem<MemorySpace>& mine, const Box<3>& box, const LocalLink& local_link,
            const DistributedLinkOptions& options = {});

  /// The labels of this rank's particles, of the last call of `link`; valid until the next.
  GlobalLabels<MemorySpace> labels();

  /// How many members the group of each of this rank's particles has. Merges the parts of groups
  /// once more, with their sizes, but links nothing. Collective. Valid until the next call.
  GroupSizes<MemorySpace> members();

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
  void choose_ghosts(const Domain<MemorySpace>& domain, Friendship rule, Fault fault);
  /// Own particles with the ghosts behind them.
  LinkProblem<MemorySpace> with_ghosts(const Domain<MemorySpace>& domain,
                                       const Points<3, MemorySpace>& velocity_room,
                                       const Friendship& rule);
  /// The first `own` points of `room` with space for the ghosts behind them: in `room` if they fit,
  /// else a copy in an array called after `name`.
  Points<3, MemorySpace> with_space_for_ghosts(const std::string& name, Count own,
                                               const Points<3, MemorySpace>& room);
  void link_locally(const LocalLink& local_link, const LinkProblem<MemorySpace>& problem,
                    const Labels<MemorySpace>& labels);
  std::vector<FragmentLink> find_links(const Fragments<ExecutionSpace>& fragments, Fault fault);
  std::vector<FragmentLabel> merge(const Fragments<ExecutionSpace>& fragments);
  void sum_up_cost();

  ExecutionSpace space_;
  CountedMessages messages_;
  Migration<ExecutionSpace> migration_;
  GhostLayer<ExecutionSpace> ghosts_;
  Workspace<MemorySpace> workspace_;
  // As the last call of `link` left them:
  Labels<MemorySpace> local_;        ///< of particles and ghosts among themselves
  std::vector<FragmentLink> links_;  ///< to fragments of other ranks, found here
  LinkedDomain<MemorySpace> linked_;
  GlobalLabels<MemorySpace> labels_;  ///< of this rank's particles; over several ranks
  DistributedLinkCost cost_;
};

}  // namespace copse::fof
