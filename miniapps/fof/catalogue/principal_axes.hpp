#pragma once
/// \file
/// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by Jacobi's rotations: the shape of a
/// group.

#include <Kokkos_Core.hpp>

namespace copse::fof {

struct PrincipalAxes {
  Kokkos::Array<double, 3> values;                  ///< decreasing
  Kokkos::Array<Kokkos::Array<double, 3>, 3> axes;  ///< unit vectors; the largest component of
                                                    ///< each, of equal ones the first, is positive
};

/// `matrix` is xx, xy, xz, yy, yz, zz, all finite. Values are within a few times 1e-16 of the
/// largest of their size. Of equal values the axes are any that fit.
PrincipalAxes principal_axes(const Kokkos::Array<double, 6>& matrix);

}  // namespace copse::fof
