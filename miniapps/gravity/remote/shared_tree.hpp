#pragma once
/// \file
/// The machine of gravity over ranks: one tree of the bodies of all ranks, of which every rank
/// builds a part and holds what its own bodies need.
///
///     SharedTree<Space> shared(comm, space, request, bucket_size);
///     shared.distribute(bodies, box, total);  // coarse tree, owners, migration
///     shared.build();                         // own forest
///     shared.compute_moments(false);          // its moments, and the top of the tree
///     shared.solve(method, fields);           // parts of others' trees arrive; walks
///
/// Steps and their results:
///  1. `coarse()`: the replicated top of the tree (domains/coarse_octree.hpp). Coarse leaves hold
///     at most coarse_leaf_bodies(N, P) bodies and have one owner: `owners()`, by ORB.
///  2. `bodies()`: this rank's bodies, by id (rank_bodies.hpp).
///  3. `own()`: the BodyTree of this rank: a forest whose roots are its coarse leaves in curve
///     order. Its nodes are those of the one-rank tree, bit by bit.
///  4. `top()`: nodes, moments and radii above, and the boxes of all coarse leaves (top_tree.hpp).
///  5. `remote()`: [top | own | of others] as one array of nodes, a BodyTree for any method whose
///     targets decide, and the way in which the nodes of others arrive (remote_tree.hpp).
///
/// Invariant: moments, radii, decisions and, on hosts, fields are those of one rank whose groups of
/// targets are confined to nodes of as many bodies (BodyTree::group_bodies), bit by bit.

#include "../methods.hpp"
#include "rank_bodies.hpp"
#include "remote_tree.hpp"
#include "top_tree.hpp"

#include <memory>
#include <vector>

namespace copse::gravity {

/// Most bodies of a coarse leaf. It is the same for up to 8 ranks, so that these have the same
/// tree. At least a bucket and a group of targets, at most BreadthGroups::node_bodies. In between,
/// a rank would have 64 full coarse leaves; it has two to six times as many, less full.
Count coarse_leaf_bodies(Count bodies, int ranks, Count bucket_size);

/// The way of `--remote`.
template <class ExecutionSpace>
std::unique_ptr<RemoteTree<ExecutionSpace>> make_remote_tree(const ExecutionSpace& space,
                                                             CountedMessages& messages,
                                                             const Request& request);

struct SharedSeconds {
  double compute_seconds = 0.0, communicate_seconds = 0.0, wait_seconds = 0.0;
  double walk_seconds = 0.0;      ///< of compute
  double interior_seconds = 0.0;  ///< of the walk, before nodes of others were here
  double late_seconds = 0.0;      ///< from then until all of them were

  SharedSeconds& seconds() { return *this; }
  SharedSeconds& operator+=(const SharedSeconds& more) {
    compute_seconds += more.compute_seconds;
    communicate_seconds += more.communicate_seconds;
    wait_seconds += more.wait_seconds;
    walk_seconds += more.walk_seconds;
    interior_seconds += more.interior_seconds;
    late_seconds += more.late_seconds;
    return *this;
  }
};

/// What the last tree and walk cost this rank, besides RemoteCost.
struct SharedCost : SharedSeconds {
  Count migrants = 0, bytes_of_others = 0;  ///< bodies that left; bytes sent besides the trees
  Count top_bytes = 0;  ///< moments and boxes of others' coarse leaves, received
  Count coarse_leaves = 0, own_leaves = 0;
  Count bodies = 0, interior_bodies = 0;
  double flops = 0.0;  ///< estimate of the walk, by which the next domains are cut
};

template <class ExecutionSpace>
class SharedTree {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  SharedTree(const Communicator& comm, const ExecutionSpace& space, const Request& request,
             std::uint32_t bucket_size)
      : space_(space),
        request_(request),
        bucket_size_(bucket_size),
        messages_(comm),
        migration_(space, messages_),
        builder_(space),
        remote_(make_remote_tree(space, messages_, request)) {}

  /// Cuts domains by the bodies' work, or by their number if they have none, and moves bodies to
  /// their owners. `box` is that of the bodies of all ranks, `total` their number. Collective, as
  /// all that follow.
  void distribute(const RankBodies<MemorySpace>& bodies, const Box<3>& box, Count total);
  /// Builds the own forest.
  void build();
  /// Computes the moments of the own forest and of the top. With `use_limits` nodes open by the
  /// bodies' pulls.
  void compute_moments(bool use_limits);
  /// Walks for the targets that need no nodes of other ranks, receives these nodes, and walks for
  /// the other targets. `fields` are those of `own()`, in its order.
  void solve(Method<ExecutionSpace>& method, const GravityFields<MemorySpace>& fields);
  /// Estimates the flops of each body's walk, for `distribute`: one group of each coarse leaf
  /// stands for all its bodies.
  void weigh();
  /// True if domains are cut by work; on one rank there is nothing to balance.
  bool balances_work() const { return request_.weights == "work" && messages_.ranks() > 1; }

  /// `cost` has the seconds between these two calls.
  void start_clock();
  void stop_clock();

  const CoarseOctree& coarse() const { return coarse_; }
  const std::vector<int>& owners() const { return owners_; }
  RankBodies<MemorySpace>& bodies() { return bodies_; }
  const BodyTree<MemorySpace>& own() const { return own_; }
  const TopTree<MemorySpace>& top() const { return top_; }
  RemoteTree<ExecutionSpace>& remote() { return *remote_; }
  const RemoteTree<ExecutionSpace>& remote() const { return *remote_; }
  CountedMessages& messages() { return messages_; }
  BodyTreeBuilder<ExecutionSpace>& builder() { return builder_; }
  const SharedCost& cost() const { return cost_; }

 private:
  Kokkos::View<const int*, MemorySpace> destinations(const Particles<MemorySpace>& particles);
  std::vector<double> leaf_weights(const Kokkos::View<const std::uint32_t*, MemorySpace>& leaf_of,
                                   const Column<MemorySpace>& work);

  ExecutionSpace space_;
  const Request& request_;
  std::uint32_t bucket_size_;
  CountedMessages messages_;
  BodyExchange<ExecutionSpace> migration_;
  BodyTreeBuilder<ExecutionSpace> builder_;
  std::unique_ptr<RemoteTree<ExecutionSpace>> remote_;
  Workspace<MemorySpace> workspace_;
  Box<3> box_;
  Count most_ = 0;
  CoarseOctree coarse_;
  std::vector<int> owners_;
  RankBodies<MemorySpace> bodies_;
  BodyTree<MemorySpace> own_;
  TopTree<MemorySpace> top_;
  SharedCost cost_;
};

}  // namespace copse::gravity
