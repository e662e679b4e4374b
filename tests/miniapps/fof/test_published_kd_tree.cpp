/// The kd-tree of [Wood 2014]: construction (algorithm 5) and search (eqs. 3.6, 3.7, 4.2 and 4.3,
/// algorithm 6, kernels of the appendix), as printed. Distances and joins are correct here, so all
/// errors come from the tree.

#include "few_particles.hpp"

#include <algorithm>
#include <optional>

namespace copse::fof::test {
namespace {

/// Each fault of the printed forms, enabled separately.
struct Printing {
  bool branches_of_chapter_4 = false;  ///< eqs. 4.2 and 4.3; the appendix uses 3.6 and 3.7
  bool children_on_own_axis = false;   ///< algorithm 5, lines 12 to 14
  bool starts_at_query = false;        ///< `cur` of algorithm 6 is a particle, not the root
  bool leaf_tests_list_only = false;   ///< algorithm 6, lines 13 to 20
  std::optional<Real> branch_range{};  ///< section 3.4.2: 1 instead of l
  int max_depth = 32;
};

struct Node {
  LocalIndex me = 0;
  Real split_value = 0;
  int level = 0;
  int left = -1, right = -1;
  std::vector<LocalIndex> list{};  ///< of a leaf: all particles below it
};

class PublishedTree {
 public:
  PublishedTree(const FewParticles& particles, const Printing& printing)
      : particles_(particles), printing_(printing) {
    std::vector<LocalIndex> rows(particles.size());
    std::iota(rows.begin(), rows.end(), LocalIndex{0});
    build(rows, 0);
  }

  /// Calls found(j) for each particle that a search tests and `linked` accepts.
  template <class Linked, class Found>
  void search(LocalIndex self, Real range, Linked&& linked, Found&& found) const {
    const RealVector& query = particles_.position[self];
    const auto test = [&](LocalIndex j) {
      if (j != self && linked(self, j)) found(j);
    };
    range = printing_.branch_range.value_or(range);
    std::vector<int> to_visit{printing_.starts_at_query ? node_of(self) : 0};
    while (!to_visit.empty()) {
      const int current = to_visit.back();
      to_visit.pop_back();
      if (current < 0) {
        ++visits_of_no_node_;
        continue;
      }
      const Node& node = nodes_[static_cast<std::size_t>(current)];
      if (node.left == -1) {
        for (const LocalIndex j : node.list) test(j);
        if (!printing_.leaf_tests_list_only) test(node.me);
        continue;
      }
      test(node.me);
      const Real q = query[static_cast<std::size_t>(node.level % 3)];
      const bool left = printing_.branches_of_chapter_4 ? node.split_value > q + range
                                                        : node.split_value > q - range;
      const bool right = printing_.branches_of_chapter_4 ? node.split_value < q - range
                                                         : node.split_value < q + range;
      if (left) to_visit.push_back(node.left);
      if (right) to_visit.push_back(node.right);
    }
  }

  /// Number of visits to a missing child: the listing tests only for a left child, and would read
  /// before the start of its array.
  int visits_of_no_node() const { return visits_of_no_node_; }

 private:
  int build(std::vector<LocalIndex> rows, int level) {
    if (rows.empty()) return -1;
    const int splits_on = printing_.children_on_own_axis && level > 0 ? (level - 1) % 3 : level % 3;
    const auto axis = static_cast<std::size_t>(splits_on);
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
    std::nth_element(rows.begin(), middle, rows.end(), [&](LocalIndex a, LocalIndex b) {
      return particles_.position[a][axis] < particles_.position[b][axis];
    });
    const auto number = nodes_.size();
    nodes_.push_back(
        {.me = *middle, .split_value = particles_.position[*middle][axis], .level = level});
    const std::vector<LocalIndex> below(rows.begin(), middle), above(middle + 1, rows.end());
    if (level == printing_.max_depth) {
      nodes_[number].list = below;
      nodes_[number].list.insert(nodes_[number].list.end(), above.begin(), above.end());
      return static_cast<int>(number);
    }
    const int left = build(below, level + 1), right = build(above, level + 1);
    nodes_[number].left = left;
    nodes_[number].right = right;
    return static_cast<int>(number);
  }

  int node_of(LocalIndex row) const {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                    [&](const Node& node) { return node.me == row; });
    return static_cast<int>(found - nodes_.begin());
  }

  const FewParticles& particles_;
  Printing printing_;
  std::vector<Node> nodes_;
  mutable int visits_of_no_node_ = 0;
};

/// Groups from the searches of all particles.
Groups published_groups(const FewParticles& particles, const LinkingLengths& links,
                        const Printing& printing) {
  const PublishedTree tree(particles, printing);
  const auto linked = [&](LocalIndex i, LocalIndex j) {
    if (!particles.velocity.empty()) return phase_distance(particles, i, j, links) < 1;
    return distance(particles.position[i], particles.position[j]) < static_cast<Real>(links.length);
  };
  std::vector<Edge> edges;
  for (LocalIndex i = 0; i < particles.size(); ++i)
    tree.search(i, static_cast<Real>(links.length), linked,
                [&](LocalIndex j) { edges.emplace_back(i, j); });
  return groups_of(particles.size(), edges);
}

/// Friends 0 and 2, with a stranger between them on the first axis, which is the root.
const FewParticles two_and_stranger{{RealVector{0, 0, 0}, RealVector{1, 9, 0}, RealVector{2, 0, 0}},
                                    {}};
const LinkingLengths link_of_three{.length = 3, .velocity = no_velocity_link};

TEST_CASE("Published search without its faults finds the groups") {
  CHECK(published_groups(two_and_stranger, link_of_three, {}) == Groups{0, 1, 0});
  CHECK(right_groups(two_and_stranger, link_of_three) == Groups{0, 1, 0});
}

TEST_CASE(
    "Published equations 4.2 and 4.3 leave out both children where the ball lies on the plane") {
  CHECK(published_groups(two_and_stranger, link_of_three, {.branches_of_chapter_4 = true}) ==
        Groups{0, 1, 2});
}

TEST_CASE("Published search that starts at a particle sees only what is below it") {
  CHECK(published_groups(two_and_stranger, link_of_three, {.starts_at_query = true}) ==
        Groups{0, 1, 2});
}

TEST_CASE("Published leaves that hold a list do not test their own particle") {
  CHECK(published_groups(two_and_stranger, link_of_three, {.leaf_tests_list_only = true}) ==
        Groups{0, 1, 2});
  // A tree of depth 0 is a list of all other particles: only the root itself is never tested.
  CHECK(published_groups(two_and_stranger, link_of_three,
                         {.leaf_tests_list_only = true, .max_depth = 0}) == Groups{0, 1, 0});
}

TEST_CASE("Published range of 1 for searches in 6-D misses friends more than 2 apart") {
  const FewParticles particles{{RealVector{0, 0, 0}, RealVector{2, 0, 0}, RealVector{4, 0, 0}},
                               {RealVector{0, 0, 0}, RealVector{9, 0, 0}, RealVector{0, 0, 0}}};
  const LinkingLengths links{.length = 5, .velocity = 1};
  CHECK(published_groups(particles, links, {.branch_range = Real(1)}) == Groups{0, 1, 2});
  CHECK(published_groups(particles, links, {}) == Groups{0, 1, 0});
  CHECK(right_groups(particles, links) == Groups{0, 1, 0});
}

TEST_CASE(
    "Published construction splits children on their parent's axis, which no search expects") {
  // Friends 0 and 1 are first and second on x, so both are in the left subtree of particle 2. It is
  // split at x = 2, which the search compares with y: far from the friends at y = 20.
  FewParticles particles{{RealVector{0, 20, 0}, RealVector{1, 20, 0}}, {}};
  for (int i = 2; i < 8; ++i) particles.position.push_back({Real(i), Real(30 - i), Real(10 * i)});
  const LinkingLengths links{.length = 1.5, .velocity = no_velocity_link};
  CHECK(published_groups(particles, links, {.children_on_own_axis = true}) ==
        Groups{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(published_groups(particles, links, {}) == Groups{0, 0, 2, 3, 4, 5, 6, 7});
  CHECK(right_groups(particles, links) == Groups{0, 0, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("Published search follows a right child that a node of two particles does not have") {
  const FewParticles pair{{RealVector{0, 0, 0}, RealVector{1, 0, 0}}, {}};
  const PublishedTree tree(pair, {});
  tree.search(
      1, 3, [](LocalIndex, LocalIndex) { return true; }, [](LocalIndex) {});
  CHECK(tree.visits_of_no_node() == 1);
}

}  // namespace
}  // namespace copse::fof::test
