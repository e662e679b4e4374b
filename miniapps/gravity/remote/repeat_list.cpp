#include "repeat_list.hpp"

namespace copse::gravity {
namespace {

/// Calls f(child) for every child.
template <class F>
void for_children(const OctreeNode& node, F&& f) {
  for (Node c = 0; c < node.child_count; ++c) f(node.first_child + c);
}

class RepeatLister {
 public:
  RepeatLister(const HostTree& tree, const std::vector<std::uint8_t>& roots)
      : tree_(tree), roots_(roots), parents_(roots.size()), arrived_(roots.size()) {
    for (Node i = 0; i < roots.size(); ++i)
      for_children(tree.nodes(i), [&](Node child) { parents_[child] = i; });
    arrived_[0] = 1;
  }

  std::vector<Repeat> list(const std::vector<NodeBounds>& buckets) {
    for (Node root = 0; root < roots_.size(); ++root) {  // parents come first
      if (roots_[root] == 0 || arrived_[root] == 0) continue;
      for (std::size_t b = 0; b < buckets.size(); ++b) resume({b, buckets[b]}, root);
    }
    return std::move(repeats_);
  }

 private:
  struct Bucket {
    std::size_t place;
    NodeBounds bounds;
  };

  bool opens(const Bucket& bucket, Node source) const {
    const BoxBound<3> box{bucket.bounds.lower, bucket.bounds.upper};
    return box.template min_distance2<OneLane>(tree_.gravity.monopole(source).centre) <=
           tree_.gravity.opening2(source);
  }

  bool opens_all_above(const Bucket& bucket, Node source) const {
    while (source != 0) {
      source = parents_[source];
      if (!opens(bucket, source)) return false;
    }
    return true;
  }

  /// A bucket meets the root of a subtree that has arrived.
  void resume(const Bucket& bucket, Node root) {
    if (!opens(bucket, root)) return;
    const bool repeats = !opens_all_above(bucket, root);
    if (tree_.nodes(root).is_leaf()) {
      if (repeats) repeats_.push_back({bucket.place, root, true});
      return;
    }
    for_children(tree_.nodes(root), [&](Node child) { descend(bucket, child, repeats); });
  }

  void descend(const Bucket& bucket, Node source, bool repeats) {
    const OctreeNode node = tree_.nodes(source);
    const bool opened = opens(bucket, source);
    if (opened && roots_[source] != 0) {
      arrived_[source] = 1;
    } else if (!opened || node.is_leaf()) {
      if (repeats) repeats_.push_back({bucket.place, source, opened});
    } else {
      for_children(node, [&](Node child) { descend(bucket, child, repeats); });
    }
  }

  const HostTree& tree_;
  const std::vector<std::uint8_t>& roots_;
  std::vector<Node> parents_;
  std::vector<std::uint8_t> arrived_;
  std::vector<Repeat> repeats_;
};

}  // namespace

std::vector<std::uint8_t> cache_roots(const HostTree& tree, Count levels) {
  std::vector<std::uint8_t> roots(tree.nodes.extent(0));
  std::vector<Count> depth(roots.size());
  for (Node i = 0; i < roots.size(); ++i) {
    const OctreeNode node = tree.nodes(i);
    roots[i] = i == 0 || (!node.is_leaf() && depth[i] % levels == 0);
    for_children(node, [&](Node child) { depth[child] = depth[i] + 1; });
  }
  return roots;
}

std::vector<Node> leaves_of(const HostTree& tree) {
  std::vector<Node> leaves;
  for (Node i = 0; i < tree.nodes.extent(0); ++i)
    if (tree.nodes(i).is_leaf()) leaves.push_back(i);
  return leaves;
}

std::vector<NodeBounds> boxes_of(const HostTree& tree, const std::vector<Node>& nodes) {
  std::vector<NodeBounds> boxes;
  for (const Node node : nodes) boxes.push_back(tree.bounds(node));
  return boxes;
}

std::vector<Repeat> list_repeats(const HostTree& tree, const std::vector<std::uint8_t>& roots,
                                 const std::vector<NodeBounds>& buckets) {
  return RepeatLister(tree, roots).list(buckets);
}

std::vector<Tally> tally_repeats(const HostTree& tree, const std::vector<Repeat>& repeats,
                                 std::size_t buckets) {
  std::vector<Tally> tallies(buckets);
  for (const Repeat& repeat : repeats) {
    Tally& tally = tallies[repeat.bucket];
    if (repeat.as_bodies)
      tally.bodies += tree.nodes(repeat.source).rows();
    else
      ++tally.cells;
    tally.mass += static_cast<double>(tree.gravity.monopole(repeat.source).mass);
  }
  return tallies;
}

Count count_unlike(const std::vector<Tally>& once, const std::vector<Tally>& stateless,
                   const std::vector<Tally>& listed) {
  Count unlike = 0;
  for (std::size_t b = 0; b < listed.size(); ++b)
    unlike += once[b].cells + listed[b].cells != stateless[b].cells ||
              once[b].bodies + listed[b].bodies != stateless[b].bodies;
  return unlike;
}

}  // namespace copse::gravity
