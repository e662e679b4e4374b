#pragma once
/// \file
/// Local essential trees: what every other rank needs of this rank's nodes and bodies, sent once,
/// before anyone walks ([Salmon 1991], [Warren, Salmon 1993]).
///
/// A rank's targets lie in the boxes of its coarse leaves, which every rank knows. The sender walks
/// its own nodes for each of these boxes as a walk does for the box of a group, with the same test,
/// so what a group inside the box can open is opened here: rounding is monotone, and a box within
/// another is never nearer. Of an opened inner node its children travel, of an opened leaf its
/// bodies.
///
/// The receiver has one array of nodes, which any method walks from node 0:
///   [top | own nodes below the coarse leaves | nodes of rank 0 | of rank 1 | ...]
/// and one of bodies: [own, in tree order | of rank 0 | ... | one of mass NaN]. A node whose
/// children or bodies are elsewhere has that last body as its only row: who opens it gets NaN,
/// which `refuse_missing` turns into an error that names the node.

#include "node_columns.hpp"
#include "top_tree.hpp"
#include <copse/backend/mpi/neighbour_exchange.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <vector>

namespace copse::gravity {

/// What one exchange of essential trees cost this rank.
struct EssentialCost {
  Count bytes_sent = 0, bytes_received = 0;
  Count nodes_held = 0, bodies_held = 0;  ///< of other ranks
  Count bytes_held = 0;                   ///< their size in the arrays that are walked
  int destinations = 0, sources = 0;      ///< ranks with a message
  Count own_nodes = 0, top_nodes = 0;
};

template <class ExecutionSpace>
class EssentialTrees {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  EssentialTrees(const ExecutionSpace& space, CountedMessages& messages)
      : space_(space), messages_(messages) {}

  /// Joins the top and this rank's forest, whose roots are its coarse leaves in curve order, and
  /// sends what others need. The result can be walked for the targets of `interior`. Collective.
  /// \param most_bytes of other ranks' nodes and bodies, 0: no limit
  /// \throws InputError on every rank if one of them would hold more
  void start(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own, Count most_bytes);
  /// Waits for the messages and adds them to the tree.
  void finish();

  /// The own bodies as targets, and all that act on them; until `finish` only what is here.
  const BodyTree<MemorySpace>& tree() const { return tree_; }
  /// Targets of coarse leaves that open no leaf of another rank, ascending, and the others.
  const QueryList<MemorySpace>& interior() const { return interior_; }
  const QueryList<MemorySpace>& boundary() const { return boundary_; }

  /// \throws std::logic_error that names the node, if a field of `targets` is NaN because a walk
  /// opened a node that is not here
  void refuse_missing(const QueryList<MemorySpace>& targets,
                      const GravityFields<MemorySpace>& fields) const;

  const EssentialCost& cost() const { return cost_; }

 private:
  struct Neighbour;

  void probe_top(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own);
  void find_needed(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own, int rank);
  void plan(const NodeFormat& format, Count most_bytes);
  void join(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own);
  void pack(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own);
  void split_targets(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own);

  ExecutionSpace space_;
  CountedMessages& messages_;
  Workspace<MemorySpace> workspace_;
  BodyTree<MemorySpace> tree_;
  Kokkos::View<OctreeNode*, MemorySpace> all_nodes_;
  NodeColumns joined_, of_top_, of_forest_;
  Kokkos::View<const std::int32_t*, MemorySpace> root_of_;              ///< TwoTrees::root_of
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> found_;  ///< ProbeTop::found
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> splined_;  ///< not empty: spline softening
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> lengths_;
  Count top_nodes_ = 0, roots_ = 0, own_nodes_ = 0, own_bodies_ = 0;
  std::vector<std::shared_ptr<Neighbour>> destinations_;
  std::vector<EssentialSizes> arriving_;  ///< [ranks]
  ExchangePlan words_;
  std::unique_ptr<NeighbourExchange<MessageWord, MemorySpace>> exchange_;
  QueryList<MemorySpace> interior_, boundary_;
  EssentialCost cost_;
};

}  // namespace copse::gravity
