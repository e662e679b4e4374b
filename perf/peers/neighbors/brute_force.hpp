#pragma once
/// \file
/// The independent check of neighbour searches: all distances of a few queries.

#include "neighbor_search.hpp"

#include <limits>

namespace copse::peers {

/// Relative difference of the squared distances of the j-th nearest points that two searches found,
/// or one search and brute force. A library that computes in Real may take the farther of two
/// points: by at most 1.41 epsilon (30 runs with 300 to 10^6 particles, uniform, normal, plummer,
/// soneira-peebles and nfw; nanoflann, ANN, ArborX and the suite).
inline constexpr double nearest_tolerance =
    4 * static_cast<double>(std::numeric_limits<Real>::epsilon());
/// NearSphere::radius_error: at most 0.78 epsilon in the same runs, where two libraries differ.
inline constexpr double radius_tolerance =
    2 * static_cast<double>(std::numeric_limits<Real>::epsilon());

/// In double, from exact coordinates.
double squared_distance(const Point& x, const Point& y);

/// How far two numbers that are not negative differ, as a part of the larger: from 0 to 1.
double relative_difference(double a, double b);

/// The points around the sphere of a query.
struct NearSphere {
  static constexpr double width = 1e-2;  ///< part of the radius

  Count inside = 0;            ///< points that are inside, not near the sphere
  std::vector<double> around;  ///< distances over the radius, near the sphere, ascending

  /// By which part the radius must change so that as many points are inside as were counted; 1 if
  /// it is more than `width`.
  double radius_error(Count counted) const;
};

/// O(n)
NearSphere near_sphere(const std::vector<Point>& points, const Point& query, Real radius);

/// How wrong answers are; no more than rounding if they are right.
struct AnswerErrors {
  /// The largest relative difference of squared distances: of the j-th nearest of a query that was
  /// found, and of the true one. 1 if a query has a point twice, or none.
  double nearest = 0;
  double radius = 0;  ///< the largest `radius_error`
};

/// The true answers for queries evenly spread over all: as many as 2^25 distances allow, at least
/// 64 or all. O(n) each.
class BruteForce {
 public:
  BruteForce(const std::vector<Point>& points, const std::vector<Point>& queries, int k,
             Real radius);

  /// Judges the results of a NeighborSearch.
  AnswerErrors errors_of(const std::vector<LocalIndex>& rows,
                         const std::vector<LocalIndex>& counts) const;

 private:
  struct Truth {
    std::size_t query;
    std::vector<double> nearest;  ///< the k smallest squared distances, ascending
    NearSphere sphere;
  };

  double nearest_error(const Truth& truth, const LocalIndex* rows) const;

  const std::vector<Point>& points_;
  const std::vector<Point>& queries_;
  std::vector<Truth> truths_;
};

}  // namespace copse::peers
