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

/// The tree that builds and walks fastest. On a GPU a curve is sorted in a few passes over memory,
/// where a kd-tree takes some for every level, and its larger boxes cost walks less than that. With
/// more dimensions than 3 a curve has too few bits for each.
template <class Builder, int Dim>
constexpr BoxTreeKind best_box_tree() {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Builder::MemorySpace>::accessible;
  return on_host || Dim > 3 ? BoxTreeKind::kd : BoxTreeKind::hilbert;
}

/// Boxes around points in the order of a kd-tree or of a curve.
template <class Builder, class PointSet>
auto build_box_tree(Builder& builder, const PointSet& points, const Request& request) {
  const BalancedOptions options = balanced_options(request);
  constexpr int dim = static_cast<int>(PointSet::static_extent(1));
  const BoxTreeKind kind =
      request.tree == BoxTreeKind::automatic ? best_box_tree<Builder, dim>() : request.tree;
  if (kind == BoxTreeKind::kd) return builder.kd_tree(points, options);
  const Curve curve = kind == BoxTreeKind::morton ? Curve::morton : Curve::hilbert;
  return builder.curve_tree(points, curve, options);
}

}  // namespace copse::traversal
