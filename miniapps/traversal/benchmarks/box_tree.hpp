#pragma once
/// \file
/// The trees that benchmarks build as --tree and --bucket-size ask for.

#include "../request.hpp"
#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/tree/balanced_builder.hpp>

namespace copse::traversal {

/// Points in a leaf. Measured on a host with AVX-512 (1e6 uniform points, CPU seconds of 8 nearest
/// neighbours and of counting 34): 8: 0.56, 0.26; 16: 0.52, 0.20; 32: 0.51, 0.17; 64: 0.53, 0.17.
inline constexpr std::uint32_t best_bucket_size = 32;

inline BalancedOptions balanced_options(const Request& request) {
  return {.bucket_size = request.bucket_size > 0 ? request.bucket_size : best_bucket_size};
}

/// Boxes around points in the order of a kd-tree or of a curve.
template <class Builder, class PointSet>
auto build_box_tree(Builder& builder, const PointSet& points, const Request& request) {
  const BalancedOptions options = balanced_options(request);
  if (request.tree == BoxTreeKind::hilbert)
    return builder.curve_tree(points, Curve::hilbert, options);
  if (request.tree == BoxTreeKind::morton)
    return builder.curve_tree(points, Curve::morton, options);
  return builder.kd_tree(points, options);
}

}  // namespace copse::traversal
