#pragma once
/// \file
/// ChaNGa's binary tree, opening radii and walks, in double by recursion: an oracle of the tests.

#include "body_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace copse::test {

using Vector = std::array<double, 3>;

constexpr double oracle_theta = 0.7;

struct OracleNode {
  std::size_t begin = 0, end = 0;
  std::vector<std::size_t> children;
  Vector centre{}, lower{}, upper{};  ///< of mass, of the bodies' box
  double mass = 0.0, reach = 0.0, opening2 = 0.0;

  bool is_leaf() const { return children.empty(); }
  double rows() const { return static_cast<double>(end - begin); }
};

/// What a bucket interacts with, summed over all bodies.
struct OracleCounts {
  double cells = 0.0, bodies = 0.0, tests = 0.0;
};

/// What [Liu 2019] section 4.1 leaves open.
enum class Kind {
  changa,  ///< a node reaches to the farthest corner of its box; nodes of one child stay
  suite    ///< a node reaches no farther than its children need; there are no nodes of one child
};

/// The tree of [Liu 2019] section 4.1, halving the cube about the box.
class OracleTree {
 public:
  OracleTree(const HostBodies& bodies, std::size_t bucket_size, Kind kind)
      : bodies_(bodies), bucket_size_(bucket_size), kind_(kind), order_(bodies.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    Vector lower{};
    double side = 0.0;
    for (int a = 0; a < 3; ++a) {
      lower[std::size_t(a)] = double(bodies.box.lower[a]);
      side = std::max(side, double(bodies.box.upper[a]) - double(bodies.box.lower[a]));
    }
    split(add(0, order_.size()), lower, {side, side, side}, 0);
  }

  /// Every leaf tests nodes by its box.
  OracleCounts buckets() const {
    OracleCounts counts;
    for (const OracleNode& leaf : nodes_)
      if (leaf.is_leaf()) descend(leaf, 0, counts);
    return counts;
  }
  /// What buckets add twice if every inner node arrives with its children ([Liu 2019] section 5.4),
  /// by definition: a bucket opens the node, but not all nodes above it.
  OracleCounts repeats() const {
    OracleCounts counts;
    for (const OracleNode& leaf : nodes_)
      if (leaf.is_leaf()) repeat(leaf, 0, true, counts);
    return counts;
  }
  /// Nodes against nodes; undecided leaves join the lists of the whole target.
  OracleCounts node_to_node() const {
    OracleCounts counts;
    walk(nodes_[0], {0}, counts);
    return counts;
  }

 private:
  Vector position(std::size_t row) const {
    const auto i = order_[row];
    return {double(bodies_.position(i, 0)), double(bodies_.position(i, 1)),
            double(bodies_.position(i, 2))};
  }

  static double distance2(const Vector& a, const Vector& b) {
    double sum = 0.0;
    for (std::size_t d = 0; d < 3; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
  }

  std::size_t add(std::size_t begin, std::size_t end) {
    OracleNode node;
    node.begin = begin;
    node.end = end;
    node.lower.fill(INFINITY);
    node.upper.fill(-INFINITY);
    for (std::size_t row = begin; row < end; ++row) {
      const Vector x = position(row);
      const auto m = double(bodies_.mass(order_[row]));
      node.mass += m;
      for (std::size_t d = 0; d < 3; ++d) {
        node.centre[d] += m * x[d];
        node.lower[d] = std::min(node.lower[d], x[d]);
        node.upper[d] = std::max(node.upper[d], x[d]);
      }
    }
    for (double& c : node.centre) c /= node.mass;
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }

  void split(std::size_t number, Vector lower, Vector side, int level) {
    const std::size_t begin = nodes_[number].begin, end = nodes_[number].end;
    for (; end - begin > bucket_size_ && level < 63; ++level) {
      const auto axis = std::size_t(level % 3);
      side[axis] /= 2;
      const double middle = lower[axis] + side[axis];
      const auto first = order_.begin();
      const auto cut = static_cast<std::size_t>(
          std::stable_partition(
              first + std::ptrdiff_t(begin), first + std::ptrdiff_t(end),
              [&](std::size_t i) { return double(bodies_.position(i, int(axis))) < middle; }) -
          first);
      Vector upper_half = lower;
      upper_half[axis] = middle;
      if (kind_ == Kind::suite && (cut == begin || cut == end)) {
        if (cut == begin) lower = upper_half;
        continue;
      }
      if (begin < cut) adopt(number, begin, cut, lower, side, level + 1);
      if (cut < end) adopt(number, cut, end, upper_half, side, level + 1);
      break;
    }
    set_radius(nodes_[number]);
  }

  void adopt(std::size_t parent, std::size_t begin, std::size_t end, const Vector& lower,
             const Vector& side, int level) {
    const std::size_t child = add(begin, end);
    nodes_[parent].children.push_back(child);
    split(child, lower, side, level);
  }

  void set_radius(OracleNode& node) const {
    double farthest = 0.0;
    if (node.is_leaf()) {
      for (std::size_t row = node.begin; row < node.end; ++row)
        farthest = std::max(farthest, distance2(node.centre, position(row)));
    } else {
      farthest = max_distance2(node, node.centre);
      double by_children = 0.0;
      for (const std::size_t c : node.children)
        by_children = std::max(
            by_children, std::sqrt(distance2(node.centre, nodes_[c].centre)) + nodes_[c].reach);
      if (kind_ == Kind::suite) farthest = std::min(farthest, by_children * by_children);
    }
    node.reach = std::sqrt(farthest);
    const double radius = std::max(node.reach, 2.0 * node.reach / (std::sqrt(3.0) * oracle_theta));
    node.opening2 = node.rows() <= 6 ? INFINITY : radius * radius;
  }

  static double min_distance2(const OracleNode& box, const Vector& x) {
    double sum = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double apart = std::max({0.0, box.lower[d] - x[d], x[d] - box.upper[d]});
      sum += apart * apart;
    }
    return sum;
  }
  static double max_distance2(const OracleNode& box, const Vector& x) {
    double sum = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double apart = std::max(box.upper[d] - x[d], x[d] - box.lower[d]);
      sum += apart * apart;
    }
    return sum;
  }

  void descend(const OracleNode& leaf, std::size_t number, OracleCounts& counts) const {
    const OracleNode& source = nodes_[number];
    counts.tests += leaf.rows();
    if (min_distance2(leaf, source.centre) > source.opening2) {
      counts.cells += leaf.rows();
    } else if (source.is_leaf()) {
      counts.bodies += leaf.rows() * source.rows();
    } else {
      for (const std::size_t c : source.children) descend(leaf, c, counts);
    }
  }

  /// `opens_above`: the leaf opens all nodes above this one.
  void repeat(const OracleNode& leaf, std::size_t number, bool opens_above,
              OracleCounts& counts) const {
    const OracleNode& source = nodes_[number];
    const bool opens = min_distance2(leaf, source.centre) <= source.opening2;
    for (const std::size_t c : source.children) {
      const OracleNode& child = nodes_[c];
      if (opens && !opens_above) {
        if (min_distance2(leaf, child.centre) > child.opening2)
          counts.cells += leaf.rows();
        else if (child.is_leaf())
          counts.bodies += leaf.rows() * child.rows();
      }
      repeat(leaf, c, opens && opens_above, counts);
    }
  }

  void walk(const OracleNode& target, std::vector<std::size_t> sources,
            OracleCounts& counts) const {
    std::vector<std::size_t> deferred;
    while (!sources.empty()) {
      const OracleNode& source = nodes_[sources.back()];
      sources.pop_back();
      counts.tests += target.rows();
      if (min_distance2(target, source.centre) > source.opening2) {
        counts.cells += target.rows();
      } else if (source.is_leaf()) {
        counts.bodies += target.rows() * source.rows();
      } else if (target.is_leaf() || max_distance2(target, source.centre) <= source.opening2) {
        sources.insert(sources.end(), source.children.begin(), source.children.end());
      } else {
        deferred.push_back(std::size_t(&source - nodes_.data()));
      }
    }
    if (!target.is_leaf())
      for (const std::size_t c : target.children) walk(nodes_[c], deferred, counts);
  }

  const HostBodies& bodies_;
  std::size_t bucket_size_;
  Kind kind_;
  std::vector<std::size_t> order_;
  std::vector<OracleNode> nodes_;
};

}  // namespace copse::test
