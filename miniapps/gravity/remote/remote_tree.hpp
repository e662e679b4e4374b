#pragma once
/// \file
/// What every way to get parts of other ranks' trees has in common: one array of nodes, which any
/// method walks from node 0,
///   [top | own nodes below the coarse leaves | nodes of other ranks, as they arrived]
/// and one of bodies: [own, in tree order | one of mass NaN | of other ranks, as they arrived].
///
/// A node whose children or bodies are elsewhere is a leaf with the body of mass NaN as its only
/// row: a target that opens it gets NaN, which `refuse_missing` turns into an error that names the
/// node. Its `first_child` is its number in the forest of its owner, `unused` the owner's rank.
///
/// Such a node gets its parts in place: a message says in which slot it is (OpenedTop).

#include "../methods.hpp"
#include "node_columns.hpp"
#include "top_tree.hpp"

#include <Kokkos_Core.hpp>

#include <memory>
#include <vector>

namespace copse::gravity {

struct OpenedNode;
struct Placement;

/// What the parts of other ranks' trees cost this rank.
struct RemoteCost {
  Count bytes_sent = 0, bytes_received = 0;  ///< nodes and bodies
  Count nodes_held = 0, bodies_held = 0;     ///< of other ranks
  Count bytes_held = 0;  ///< most at once: theirs, messages, and copies while arrays grow
  int destinations = 0, sources = 0;  ///< messages with nodes
  Count own_nodes = 0, top_nodes = 0;
  Count rounds = 0, requests = 0;  ///< requests: subtrees this rank asked for
  Count pending = 0;               ///< most pairs of group and node at once, of `sparse`
};

/// What the walks of a rank, or of all, added twice, in interactions of a body with a node or a
/// body.
struct Repeated {
  Count cells = 0, bodies = 0;            ///< twice
  Count cells_once = 0, bodies_once = 0;  ///< in one walk of all that arrived
  double most_mass = 0.0;                 ///< largest mass that a bucket meets / all masses
  // If compared with the recursion (repeat_list.hpp):
  Count unlike_recursion = 0;  ///< buckets whose repeats are others
  double mass_error = 0.0;     ///< largest error of the masses that potentials show / all masses
};

template <class ExecutionSpace>
class RemoteTree {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  RemoteTree(const ExecutionSpace& space, CountedMessages& messages)
      : space_(space), messages_(messages) {}
  virtual ~RemoteTree() = default;
  RemoteTree(const RemoteTree&) = delete;
  RemoteTree& operator=(const RemoteTree&) = delete;

  /// Joins the top and this rank's forest, whose roots are its coarse leaves in curve order. The
  /// result can be walked for the targets of `interior`. Collective.
  /// \param most_bytes of other ranks' nodes and bodies, 0: no limit
  virtual void start(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own,
                     Count most_bytes) = 0;
  /// Adds all that `method` needs for the targets of `boundary`. Targets in neither list get their
  /// `fields` here. Collective.
  /// \throws InputError on every rank if one of them would hold more than `most_bytes`
  virtual void finish(Method<ExecutionSpace>& method, const GravityFields<MemorySpace>& fields) = 0;

  /// The own bodies as targets, and all that act on them; until `finish` only what is here.
  const BodyTree<MemorySpace>& tree() const { return tree_; }
  /// Targets of coarse leaves that open no leaf of another rank, ascending, and the others.
  const QueryList<MemorySpace>& interior() const { return interior_; }
  const QueryList<MemorySpace>& boundary() const { return boundary_; }

  /// \throws std::logic_error that names the node, if a field of `targets` is NaN because a walk
  /// opened a node that is not here
  void refuse_missing(const QueryList<MemorySpace>& targets,
                      const GravityFields<MemorySpace>& fields) const;

  /// What the walks of `finish` added twice. \param length a softening, far longer than all
  /// distances \param compares with the recursion
  virtual Repeated repeated(Method<ExecutionSpace>&, double /*length*/, bool /*compares*/) {
    return {};
  }

  const RemoteCost& cost() const { return cost_; }

 protected:
  using Flags = Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace>;
  using Slots = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;
  /// A rank that gets some of our nodes.
  struct Neighbour {
    int rank = 0;
    EssentialSizes sizes;
    Kokkos::View<OpenedNode*, Kokkos::LayoutLeft, MemorySpace> list;
    Slots slots;  ///< PackOpened::slots
  };

  /// Notes the sizes and columns of both trees, and which boxes open what.
  void probe(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own);
  /// Joins both trees. \param nodes, bodies of others, for which there is room
  void join(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own, Count nodes,
            Count bodies);
  /// Fills `interior` and `boundary`.
  void split_targets(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own);

  /// Lists the flagged nodes of the forest for a rank, which has some of them in `slots`.
  Neighbour list_opened(const BodyTree<MemorySpace>& own, int rank, const Flags& opened,
                        const Slots& slots);
  /// Agrees on the sizes of messages, adds them to the cost, and fills words_ and arriving_.
  /// \param grows the arrays, which exist twice meanwhile
  /// \throws InputError on every rank if one of them would hold more than `most_bytes`
  void plan(const std::vector<Neighbour>& destinations, Count most_bytes, bool grows);
  /// Writes the messages by words_.
  void pack(const BodyTree<MemorySpace>& own, const std::vector<Neighbour>& destinations,
            MessageWord* send);
  /// Adds the messages to the joined tree, after as many nodes and bodies of others.
  void unpack(MessageWord* received, Count nodes, Count bodies);

  /// Calls f with the joined tree as a visitor of its criterion that only tests.
  template <class F>
  void with_tests(const F& f) const {
    const auto make = [&]<bool Relative>(std::bool_constant<Relative>) {
      return BarnesHut<1, MemorySpace, Relative>{
          OctreeView<MemorySpace>(tree_.octree), tree_.gravity, {}, {}, {}, {0, splined_, {}}};
    };
    if (tree_.gravity.is_relative())
      f(make(std::true_type{}));
    else
      f(make(std::false_type{}));
  }
  /// \throws InputError on every rank, with the memory needed \param bytes the largest of any rank
  [[noreturn]] void refuse_memory(Count most_bytes, Count bytes, Count node_bytes,
                                  Count body_bytes);
  LocalIndex missing_row_here() const { return static_cast<LocalIndex>(own_bodies_); }
  Count first_remote_node() const { return top_nodes_ + own_nodes_ - roots_; }

  ExecutionSpace space_;
  CountedMessages& messages_;
  Workspace<MemorySpace> workspace_;
  BodyTree<MemorySpace> tree_;
  NodeColumns joined_, of_top_, of_forest_;
  Kokkos::View<const std::int32_t*, MemorySpace> root_of_;        ///< TwoTrees::root_of
  Flags found_;                                                   ///< ProbeTop::found
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> splined_;  ///< not empty: spline softening
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> lengths_;
  Count top_nodes_ = 0, roots_ = 0, own_nodes_ = 0, own_bodies_ = 0;
  std::vector<EssentialSizes> arriving_;  ///< [ranks]
  ExchangePlan words_;
  QueryList<MemorySpace> interior_, boundary_;
  RemoteCost cost_;
};

}  // namespace copse::gravity
