/// The self-join walk by lanes, with all 32 lanes evaluated by one host thread, against a loop over
/// all leaves.

#include <copse/traversal/join_by_lanes.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <vector>

namespace copse::test {
namespace {

/// A leaf wants some of the leaves; pairing it with one leaf joins it to all leaves of that colour.
struct Wishes {
  BalancedHeap tree{};
  std::vector<bool> wanted{};  ///< [leaves]
  std::vector<int> colour{};   ///< [leaves]

  Count leaf_number(Node leaf) const { return leaf - tree.leaf_slots(); }
};

struct RecordingVisitor {
  BalancedHeap tree;
  const Wishes* wishes;
  std::vector<Node>* met;

  template <class L>
  struct State {
    Node leaf;
  };
  template <class L>
  State<L> start(Node leaf, int) const {
    return {leaf};
  }
  template <class L>
  bool reaches(const State<L>&, Node node) const {
    Node first = node, last = node;
    while (!tree.is_leaf(first)) {
      first = 2 * first;
      last = 2 * last + 1;
    }
    for (Node leaf = first; leaf <= last; ++leaf)
      if (wishes->leaf_number(leaf) < tree.leaves() && wishes->wanted[wishes->leaf_number(leaf)])
        return true;
    return false;
  }
  bool seems_joined(const State<OneLane>&, Node) const { return false; }
  template <class L>
  bool joined(State<L>&, Node node) const {
    return std::any_of(met->begin(), met->end(), [&](Node other) {
      return wishes->colour[wishes->leaf_number(other)] ==
             wishes->colour[wishes->leaf_number(node)];
    });
  }
  template <class L>
  void pair(State<L>&, Node other) const {
    met->push_back(other);
  }
};

std::vector<Node> walk(const Wishes& wishes, Node leaf) {
  std::vector<Node> met;
  std::vector<Node> room(BalancedHeap::stack_size);
  const RecordingVisitor visitor{wishes.tree, &wishes, &met};
  detail::JoinByLanes<RecordingVisitor>(visitor, leaf, 0, room.data()).run(leaf);
  return met;
}

std::vector<Node> expected(const Wishes& wishes, Node leaf) {
  std::vector<Node> met;
  std::vector<bool> seen(wishes.colour.size(), false);
  const auto last = static_cast<Node>(wishes.tree.leaf_slots() + wishes.tree.leaves());
  for (Node other = leaf + 1; other < last; ++other) {
    const Count number = wishes.leaf_number(other);
    if (!wishes.wanted[number] || seen[static_cast<std::size_t>(wishes.colour[number])]) continue;
    seen[static_cast<std::size_t>(wishes.colour[number])] = true;
    met.push_back(other);
  }
  return met;
}

void check_every_leaf(Count leaves, double share, int colours) {
  Wishes wishes;
  wishes.tree = balanced_heap(leaves, 1);
  std::mt19937 random(static_cast<unsigned>(leaves));
  std::bernoulli_distribution wants(share);
  for (Count i = 0; i < leaves; ++i) {
    wishes.wanted.push_back(wants(random));
    wishes.colour.push_back(colours > 0 ? static_cast<int>(random() % colours)
                                        : static_cast<int>(i));
  }
  wishes.colour.resize(std::max<Count>(leaves, static_cast<Count>(colours)));
  for (Count i = 0; i < leaves; ++i) {
    const auto leaf = static_cast<Node>(wishes.tree.leaf_slots() + i);
    REQUIRE(walk(wishes, leaf) == expected(wishes, leaf));
  }
}

}  // namespace

TEST_CASE("a leaf is joined with the later leaves that pass its test, in their order",
          "[self-join]") {
  for (const Count leaves : {1, 2, 3, 5, 31, 32, 33, 64, 100, 257, 1000}) {
    CAPTURE(leaves);
    check_every_leaf(leaves, 1.0, 0);
    check_every_leaf(leaves, 0.1, 0);
  }
}

TEST_CASE("a leaf that an earlier leaf has already joined is skipped", "[self-join]") {
  for (const Count leaves : {33, 257, 1000}) {
    CAPTURE(leaves);
    check_every_leaf(leaves, 0.7, 9);
  }
}

}  // namespace copse::test
