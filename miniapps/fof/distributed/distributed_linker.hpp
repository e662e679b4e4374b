#pragma once
/// \file
/// Friends of friends over any number of MPI ranks, with any method on each rank. A single rank
/// links its particles in place and skips steps 1, 2, 4 and 5.
///
/// 1. Particles move to domains of equal particle counts (copse/domains/migration.hpp).
/// 2. Of two neighbouring ranks, one receives the other's particles that are within reach of its
///    domain, as one-sided ghosts (copse/domains/ghosts.hpp): a pair of friends in two domains must
///    meet on only one rank.
/// 3. Each rank links its own particles and ghosts, independently of other ranks.
/// 4. A ghost shows that a local group and a group on the ghost's own rank are parts of one group.
///    These links are resolved over all ranks (merge_fragments.hpp).
/// 5. Labels return to the ranks that the particles came from.
///
/// The groups equal those of a single rank. Two friends in one domain are linked there in step 3.
/// Two friends in two domains are linked on the one rank that receives the other particle as a
/// ghost, and step 4 joins the groups of that ghost on both ranks. Nothing else is linked, and the
/// test is the same. Labels are the smallest particle indices in rank order, so they do not depend
/// on domains, ranks, method or backend.

#include "../linker.hpp"
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

/// Cost of a linking on this rank; bytes are those sent to other ranks.
struct DistributedLinkCost {
  Count own = 0;              ///< particles of the domain
  Count ghosts = 0;           ///< ghosts received from other ranks
  Count links = 0;            ///< links found here between own and remote fragments
  Count domain_bytes = 0;     ///< particles sent to their domains
  Count histogram_bytes = 0;  ///< this rank's share of the reductions that cut the domains
  Count ghost_bytes = 0;
  Count merge_bytes = 0;  ///< names of ghosts' fragments, links and final labels
  Count label_bytes = 0;
  int merge_rounds = 0;  ///< exchanges in step 4
  double compute_seconds = 0.0;
  double communicate_seconds = 0.0;
  double wait_seconds = 0.0;  ///< time in the barrier before each collective
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

  /// Links the particles of all ranks; particles are numbered in rank order. `mine` may be empty.
  /// Its friendship must be the same on all ranks; with a velocity factor all ranks need
  /// velocities. `box` contains all positions. Collective. Returns when the labels are known.
  ///
  /// Bytes per particle (Real = float), in addition to those of the method for own particles and
  /// ghosts: 66, with velocities 79, and 24 more once members are counted. A ghost takes 24 (36) on
  /// the sender and at most 80 (104) on the receiver. The domain builder keeps only a sample.
  /// \throws InputError as the method, DistributedOrbBuilder::build and select_ghosts do, or if a
  /// rank would hold too many particles
  void link(const LinkProblem<MemorySpace>& mine, const Box<3>& box, const LocalLink& local_link,
            const DomainOptions& domains = {});

  /// Labels of this rank's particles from the last call of `link`; valid until the next call.
  GlobalLabels<MemorySpace> labels();

  /// The group size of each of this rank's particles. Merges the fragments again with their sizes,
  /// without linking. Collective. Valid until the next call.
  GroupSizes<MemorySpace> members();

  /// For each of `others`, this rank's unlinked particles: the label, from the last call of `link`,
  /// of the group of its nearest linked particle, or no_group. Cost and exceptions as
  /// find_nearest_groups. Collective.
  void find_groups_near(const Points<3, MemorySpace>& others, const Friendship& friendship,
                        const GlobalLabels<MemorySpace>& groups);

  const DistributedLinkCost& cost() const { return cost_; }

  /// Bytes on one of `ranks` ranks with `rows` particles, in addition to the particles and the
  /// method. Ghosts are not included, because their number is not known in advance.
  static Count estimate_bytes(Count rows, int ranks, bool velocities);

 private:
  void choose_ghosts(const Domain<MemorySpace>& domain, Friendship rule);
  /// Own particles followed by the ghosts.
  LinkProblem<MemorySpace> with_ghosts(const Domain<MemorySpace>& domain,
                                       const Points<3, MemorySpace>& velocity_room,
                                       const Friendship& rule);
  /// The first `own` points of `room`, with space for the ghosts behind them: in `room` if they
  /// fit, otherwise a copy in an array with label `name`.
  Points<3, MemorySpace> with_space_for_ghosts(const std::string& name, Count own,
                                               const Points<3, MemorySpace>& room);
  void link_locally(const LocalLink& local_link, const LinkProblem<MemorySpace>& problem,
                    const Labels<MemorySpace>& labels);
  std::vector<FragmentLink> find_links(const Fragments<ExecutionSpace>& fragments);
  std::vector<FragmentLabel> merge(const Fragments<ExecutionSpace>& fragments);
  void sum_up_cost();

  ExecutionSpace space_;
  CountedMessages messages_;
  Migration<ExecutionSpace> migration_;
  GhostLayer<ExecutionSpace> ghosts_;
  Workspace<MemorySpace> workspace_;
  // State from the last call of `link`:
  Labels<MemorySpace> local_;        ///< of own particles and ghosts, local indices
  std::vector<FragmentLink> links_;  ///< to fragments of other ranks, found here
  LinkedDomain<MemorySpace> linked_;
  GlobalLabels<MemorySpace> labels_;  ///< of this rank's particles; only on several ranks
  DistributedLinkCost cost_;
};

}  // namespace copse::fof
