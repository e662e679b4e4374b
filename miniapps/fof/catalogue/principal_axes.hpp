#pragma once
/// \file
/// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by Jacobi rotations: the shape of a
/// group.

#include <Kokkos_Core.hpp>

namespace copse::fof {

struct PrincipalAxes {
  Kokkos::Array<double, 3> values;  ///< decreasing
  Kokkos::Array<Kokkos::Array<double, 3>, 3>
      axes;  ///< unit vectors; the largest component of each (the first among equals) is positive
};

/// `matrix` is xx, xy, xz, yy, yz, zz, all finite. The error of the values is a few times 1e-16 of
/// the largest magnitude. Axes of equal values are not unique.
PrincipalAxes principal_axes(const Kokkos::Array<double, 6>& matrix);

}  // namespace copse::fof
