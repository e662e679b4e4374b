#pragma once
/// \file
/// The grid of a space-filling curve over a box.
///
/// All axes use one cell width, the box's longest side over 2^curve_bits, so cells are cubes, and
/// points close on the curve are close in space for any shape of the box. Cells are bitwise equal
/// on every backend.

#include <copse/algorithms/morton_curve.hpp>
#include <copse/particles/box.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace copse {

enum class Curve : std::uint8_t {
  morton,  ///< cheapest keys; jumps between the parts of a cell
  hilbert  ///< cells adjacent on the curve are adjacent in space
};

/// Grid levels that suffice where only the proximity of consecutive points matters: cells of 2^-16
/// of the box. In two dimensions these are half of all levels, so a sort takes half as many passes.
/// Four levels (28 bits in seven dimensions) are too few for points on a few faces of their box:
/// 1229 instead of 300 nodes per packet of 16 (8 neighbours, stand-in for Covtype).
template <int Dim>
inline constexpr int coarse_curve_levels = std::min(16, curve_bits<Dim>);

/// The grid of a curve: 2^curve_bits<Dim> cells along each side of a cube that contains a box and
/// shares its lower corner.
template <int Dim>
struct CurveGrid {
  static_assert(Dim >= 1 && Dim <= 8, "curves have 1 to 8 dimensions");

  Kokkos::Array<double, Dim> lower{};
  /// Side of the cube: the box's longest side, rounded up to 24 significant bits so that its
  /// product with a coordinate of up to 29 bits is exact in double.
  double side = 0.0;
  double cells_per_length = 0.0;  ///< 0 for a box without extent: all points are in cell 0

  CurveGrid() = default;
  explicit CurveGrid(const Box<Dim>& box) {
    for (int a = 0; a < Dim; ++a) {
      lower[a] = static_cast<double>(box.lower[a]);
      side = std::fmax(side, static_cast<double>(box.upper[a]) - lower[a]);
    }
    int exponent = 0;
    const double mantissa = std::frexp(side, &exponent);
    side = std::ldexp(std::ceil(std::ldexp(mantissa, 24)), exponent - 24);
    if (side > 0.0)
      cells_per_length =
          std::fmin(std::ldexp(1.0, curve_bits<Dim>) / side, std::numeric_limits<double>::max());
  }

  /// The cell of a point. Points outside the box and on its upper faces map to the nearest cell
  /// inside. One difference and one product per coordinate, so there is nothing to contract.
  template <class T>
  KOKKOS_FUNCTION CurveCell<Dim> cell(const Kokkos::Array<T, Dim>& x) const {
    using Coordinate = CurveCoordinate<Dim>;
    constexpr std::uint64_t cells = std::uint64_t{1} << curve_bits<Dim>;
    constexpr Coordinate last = static_cast<Coordinate>(cells - 1);
    CurveCell<Dim> c{};
    for (int a = 0; a < Dim; ++a) {
      const double t = (static_cast<double>(x[a]) - lower[a]) * cells_per_length;
      c[a] = t >= static_cast<double>(cells) ? last
             : t > 0.0                       ? static_cast<Coordinate>(t)
                                             : Coordinate{0};
    }
    return c;
  }
};

}  // namespace copse
