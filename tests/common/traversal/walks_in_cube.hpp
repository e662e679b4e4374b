#pragma once
/// \file
/// Scheduling matrices of real walks: balls of one radius in the unit cube, which is bisected
/// cyclically into 2^depth top leaves.

#include "schedule_matrices.hpp"

#include <array>

namespace copse::test {

template <std::size_t Dim>
class WalksInCube {
 public:
  using Point = std::array<double, Dim>;

  WalksInCube(int depth, double radius) : depth_(depth), radius_(radius) {}

  Count leaves() const { return Count{1} << depth_; }

  /// Leaves within the radius in depth-first order, the left child first or, if `guided`, the child
  /// that contains the query.
  std::vector<Step> walk(const Point& query, bool guided) const {
    std::vector<Step> reached;
    Point lower{}, upper;
    upper.fill(1);
    visit(query, guided, lower, upper, 0, 0, reached);
    return reached;
  }

  /// Sort key of the query's position in a tree of 60 levels, as a hand-written sort would use.
  std::uint64_t tree_key(const Point& query) const {
    std::uint64_t key = 0;
    for (int level = 0; level < 60; ++level) {
      const double x = query[static_cast<std::size_t>(level) % Dim];
      const double cells = static_cast<double>(Count{1} << (static_cast<std::size_t>(level) / Dim));
      const double inside = x * cells - static_cast<double>(static_cast<Count>(x * cells));
      key = key << 1 | (inside >= 0.5 ? 1 : 0);
    }
    return key;
  }

 private:
  void visit(const Point& query, bool guided, Point& lower, Point& upper, int level, Count node,
             std::vector<Step>& reached) const {
    double distance = 0;
    for (std::size_t a = 0; a < Dim; ++a) {
      const double outside = std::max({lower[a] - query[a], query[a] - upper[a], 0.0});
      distance += outside * outside;
    }
    if (distance > radius_ * radius_) return;
    if (level == depth_) {
      reached.push_back(static_cast<Step>(node + 1));
      return;
    }
    const std::size_t axis = static_cast<std::size_t>(level) % Dim;
    const double middle = (lower[axis] + upper[axis]) / 2;
    const bool right_first = guided && query[axis] >= middle;
    for (const bool right : {right_first, !right_first}) {
      double& bound = right ? lower[axis] : upper[axis];
      const double before = bound;
      bound = middle;
      visit(query, guided, lower, upper, level + 1, 2 * node + (right ? 1 : 0), reached);
      bound = before;
    }
  }

  int depth_;
  double radius_;
};

template <std::size_t Dim>
std::vector<std::array<double, Dim>> random_points(Count n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::array<double, Dim>> points(n);
  for (auto& p : points)
    for (auto& x : p) x = static_cast<double>(random() >> 11) * 0x1p-53;
  return points;
}

/// The matrix of visits, for walks whose order does not matter.
inline VisitMatrix<Host> visits_of_walks(const StepRows& walks, Count leaves) {
  VisitMatrix<Host> visits("copse::test::visits", walks.size(), visit_words(leaves));
  for (Count q = 0; q < walks.size(); ++q)
    for (const Step step : walks[q]) visits(q, (step - 1) / 64) |= VisitWord{1} << (step - 1) % 64;
  return visits;
}

}  // namespace copse::test
