#pragma once
/// \file
/// The walk of the method "lists": on the host, nodes as targets against nodes as sources
/// ([Liu 2019] sections 4.1.2 and 4.1.3, figure 4.2; ChaNGa is [Menon and others 2015]).
///
/// A source whose ball (centre of mass, opening radius) contains the target's bounding box is
/// opened for all bodies below the target. One whose ball does not intersect the box is accepted
/// for all of them. One that intersects is deferred to the target's children. A target that is a
/// leaf, a bucket, opens what intersects.
///
/// Figure 4.2 loses the bodies of a *contained* leaf, because such a leaf appends no children; here
/// they join the list. Its caption exchanges accept and open.

#include <copse/gravity/gravity_tree.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/tree/bounds.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace copse::gravity {

/// What happens to a source leaf that intersects a target that is not a bucket.
enum class LeafRule : std::uint8_t {
  whole_outer,  ///< its bodies join the lists of all buckets below the target, as in ChaNGa
  deferred      ///< deferred like an inner node; then buckets decide as in the method "bucket"
};
inline constexpr std::array<const char*, 2> leaf_rule_names{"whole-outer", "deferred"};

/// A tree on the host, as the dual walk reads it.
struct HostTree {
  Kokkos::View<OctreeNode*, Kokkos::HostSpace> nodes;
  GravityTree<Kokkos::HostSpace> gravity;  ///< without bodies
  Kokkos::View<NodeBounds*, Kokkos::HostSpace> bounds;
  /// The shortest and longest spline softening length below each node; empty without them.
  std::vector<std::array<Real, 2>> lengths;
  Kokkos::Array<Real, 3> target_shift{};  ///< targets are at their places less this
};

/// What a bucket interacts with.
struct BucketLists {
  Node bucket = 0;
  std::vector<Node> cells;   ///< accepted nodes
  std::vector<Node> leaves;  ///< opened leaves, whose bodies act one by one
};

/// Opening tests, as done and as [Liu 2019] table 4.1 counts them: once per body of the target.
struct DualTests {
  Count done = 0;
  Count per_body = 0;
};

/// Calls `use(lists)` for every bucket in tree order; the lists are valid during the call.
/// Recursive; O(buckets * length of the lists). Memory: the lists of one path from the root.
template <class Use>
class DualWalk {
 public:
  DualWalk(const HostTree& tree, LeafRule rule, Use use) : tree_(tree), rule_(rule), use_(use) {}

  DualTests run() {
    walk(0, {0});
    return tests_;
  }

 private:
  /// `undecided` are sources whose ball intersected all ancestors' boxes.
  void walk(Node target, std::vector<Node> undecided) {
    const std::size_t cells = lists_.cells.size(), leaves = lists_.leaves.size();
    const OctreeNode node = tree_.nodes(target);
    const NodeBounds& bounds = tree_.bounds(target);
    BoxBound<3> box{bounds.lower, bounds.upper};
    for (int a = 0; a < 3; ++a) {
      box.lower[a] -= tree_.target_shift[a];
      box.upper[a] -= tree_.target_shift[a];
    }
    const auto [shortest, longest] =
        tree_.lengths.empty() ? std::array<Real, 2>{} : tree_.lengths[target];
    std::vector<Node> deferred;
    while (!undecided.empty()) {
      const Node source = undecided.back();
      undecided.pop_back();
      ++tests_.done;
      tests_.per_body += node.rows();
      const Kokkos::Array<Real, 3>& centre = tree_.gravity.monopole(source).centre;
      const bool intersects = box.template min_distance2<OneLane>(centre) <=
                              tree_.gravity.opening2_for(source, longest);
      if (!intersects) {
        lists_.cells.push_back(source);
        continue;
      }
      const bool opens = node.is_leaf() || box.template max_distance2<OneLane>(centre) <=
                                               tree_.gravity.opening2_for(source, shortest);
      const OctreeNode inner = tree_.nodes(source);
      if (inner.is_leaf() && (opens || rule_ == LeafRule::whole_outer)) {
        lists_.leaves.push_back(source);
      } else if (opens) {
        for (int c = inner.child_count; c-- > 0;)
          undecided.push_back(inner.first_child + static_cast<Node>(c));
      } else {
        deferred.push_back(source);
      }
    }
    if (node.is_leaf()) {
      lists_.bucket = target;
      use_(lists_);
    } else {
      for (int c = 0; c < node.child_count; ++c)
        walk(node.first_child + static_cast<Node>(c), deferred);
    }
    lists_.cells.resize(cells);
    lists_.leaves.resize(leaves);
  }

  const HostTree& tree_;
  LeafRule rule_;
  Use use_;
  BucketLists lists_;
  DualTests tests_;
};

}  // namespace copse::gravity
