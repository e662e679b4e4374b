#pragma once
/// \file
/// Floating-point operations of gravity, as mini-apps report them and as work models use them.
///
/// Sums, differences, products, quotients and roots count one each, a fused multiply-add two.
/// Comparisons, choices, minima and maxima count none, nor do products with a constant 1 and sums
/// with a constant 0. A distance counts 9: 8 for its square, and one for its reciprocal root or, in
/// an opening test, for the comparison. The sum of two softening lengths, or with a squared one, is
/// left out: a pair of bodies has 21 flops, not 22. tests/common/gravity/test_flops.cpp counts the
/// operators of the code.

#include <array>
#include <cstddef>

namespace copse::flops {

inline constexpr int distance = 9;

/// Of add_mass (order 1) and add_multipole, by order.
inline constexpr std::array<int, 4> field{12, 45, 100, 169};
/// Of spline_factors, and of add_softened_mass.
inline constexpr int spline_factors = 39, softened_mass = 9;
/// Of add_to_local, by order.
inline constexpr std::array<int, 4> to_local{70, 240, 601, 1276};
/// Of add_shifted and field_of_local, by the order of the moments: ranks 2 to 5.
inline constexpr std::array<int, 4> shifted{72, 224, 598, 1404};
inline constexpr std::array<int, 4> of_local{52, 137, 287, 521};

/// The field of a body at a target.
constexpr int body(bool spline) {
  return spline ? distance - 1 + spline_factors + softened_mass : distance + field[0];
}
/// The field of a node. With spline softening some nodes act as spline-softened masses instead;
/// reports do not tell them apart.
constexpr int cell(std::size_t order) {
  return distance + field[order - 1];
}
/// Conversion of a node's moments to another node's local expansion.
constexpr int conversion(std::size_t order) {
  return distance + to_local[order - 1];
}
/// A parent's expansion is added to a child's, with the difference of their centres.
constexpr int shift(std::size_t order) {
  return 3 + shifted[order - 1];
}
/// A node's expansion is evaluated at a body and added to its field.
constexpr int evaluation(std::size_t order) {
  return 3 + of_local[order - 1] + 4;
}

/// Opening tests. A box of targets has three more differences than a single one; two nodes have the
/// sum of their radii, its square and a root.
inline constexpr int point_test = distance, box_test = distance + 3, node_test = distance + 3;
/// A test with spline softening has the square of the sum of both lengths besides.
inline constexpr int spline_test = 2;
/// Further flops of a test by the relative criterion: the product with the limit, and the distance
/// from the node's cube.
inline constexpr int relative_test = 14;

}  // namespace copse::flops
