#pragma once
/// \file
/// Trees of other ranks that arrive on request, in rounds ([Liu 2019] sections 5.2 and 5.3): what
/// all ways with requests have in common.
///
/// A round: each rank flags missing nodes and requests their parts from the owners. An answer has
/// the subtree of `--cache-depth` levels below the node, and all bodies of its leaves. It is put in
/// the node's place; the parts of deeper nodes are missing until they are requested. Rounds end
/// when no rank requests a node. They are collective: a rank without requests answers the others.
///
/// A node has one slot per rank and is requested once, so every message is a tree.

#include "../remote_tree.hpp"
#include <copse/backend/backends.hpp>

#include <vector>

namespace copse::gravity {

/// A request for the parts of a node: its slot on the rank that requests them, and its number in
/// the forest of its owner.
struct SubtreeRequest {
  LocalIndex slot, node;
};

template <class ExecutionSpace>
class FetchedTrees : public RemoteTree<ExecutionSpace> {
 public:
  using Base = RemoteTree<ExecutionSpace>;
  using typename Base::MemorySpace;

  FetchedTrees(const ExecutionSpace& space, CountedMessages& messages, Count levels)
      : Base(space, messages), levels_(levels) {}

  void start(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own,
             Count most_bytes) override;

 protected:
  using Base::cost_, Base::joined_, Base::messages_, Base::own_bodies_, Base::own_nodes_,
      Base::roots_, Base::space_, Base::splined_, Base::top_nodes_, Base::tree_, Base::words_,
      Base::workspace_;
  using typename Base::Flags;
  using typename Base::Neighbour;
  using typename Base::Slots;

  /// Flags of all nodes of the joined tree, cleared: the caller sets those of the missing nodes to
  /// request.
  Flags clear_flags();
  /// Requests the parts of the flagged nodes and inserts the answers; the nodes that arrive are the
  /// last ones of the array. \return false if no rank flagged a node.
  /// Collective. \throws InputError as `plan`, std::logic_error if an answer is incomplete
  bool fetch(const Flags& wanted);

  /// The boxes of the groups of targets that may open missing nodes.
  Kokkos::View<TargetBox*, Kokkos::LayoutLeft, MemorySpace> boundary_boxes(
      Method<ExecutionSpace>& method) const;

  /// Slots of the nodes whose parts the last `fetch` brought, ascending.
  const Slots& arrived() const { return arrived_; }

 private:
  ExchangePlan ask(const Flags& wanted);
  std::vector<Neighbour> answers(const ExchangePlan& plan);
  void extend();
  void refuse_unanswered();

  Count levels_, most_bytes_ = 0;
  BodyTree<MemorySpace> own_;
  Slots arrived_;  ///< slots of the last `fetch`, ascending
  Kokkos::View<SubtreeRequest*, Kokkos::LayoutLeft, MemorySpace> asked_;  ///< by source
};

/// Marks nodes whose parts are missing by 1, others by 0.
template <class MemorySpace>
struct MarkMissing {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  LocalIndex missing;  ///< the row of missing nodes
  Kokkos::View<std::uint8_t*, MemorySpace> marks;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    const OctreeNode node = nodes(i);
    marks(i) = node.is_leaf() && node.begin == missing;
  }
};

// The ways, each in a file of its own.
template <class ExecutionSpace>
class RequestedTrees;
template <class ExecutionSpace>
class SparseTrees;
template <class ExecutionSpace>
class ApproximateTrees;
template <class ExecutionSpace>
class StatelessTrees;

/// Makes one of these. Instantiated in the file of each, even if that is merged with users of it,
/// which see no complete class. \param levels of a subtree
template <template <class> class Way, class ExecutionSpace>
std::unique_ptr<RemoteTree<ExecutionSpace>> make_way(const ExecutionSpace& space,
                                                     CountedMessages& messages, Count levels) {
  return std::make_unique<Way<ExecutionSpace>>(space, messages, levels);
}

#define COPSE_MAKE_WAY(Space, Way) \
  template std::unique_ptr<RemoteTree<Space>> make_way<Way>(const Space&, CountedMessages&, Count)
#define COPSE_DECLARE_WAYS(Space)                 \
  extern COPSE_MAKE_WAY(Space, RequestedTrees);   \
  extern COPSE_MAKE_WAY(Space, SparseTrees);      \
  extern COPSE_MAKE_WAY(Space, ApproximateTrees); \
  extern COPSE_MAKE_WAY(Space, StatelessTrees);
COPSE_FOR_EACH_BACKEND(COPSE_DECLARE_WAYS)
#undef COPSE_DECLARE_WAYS

}  // namespace copse::gravity
