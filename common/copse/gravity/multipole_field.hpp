#pragma once
/// \file
/// The gravity of a multipole expansion at a point, G = 1.
///
/// With d from the point to the centre of mass, r = |d| and the traceless quadrupole Q:
///   potential    -m / r - d.Qd / (2 r^5)
///   acceleration  m d / r^3 - Q d / r^5 + 5 (d.Qd) d / (2 r^7)
/// No power of 1 / r above the second is formed, only directions d / r and ratios that stay near
/// the masses': a fifth power leaves the range of floats where coordinates are in parsecs or boxes
/// are tiny. Everything is written in products and sums of a lane type T, so one text serves a
/// number and a vector of numbers. With softening, r^2 = |d|^2 + eps^2 throughout; for the
/// quadrupole that is an approximation good to O((eps / r)^2) of its own size, as usual in tree
/// codes.

#include <copse/gravity/multipoles.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Acceleration and potential at a point, summed up.
template <class T>
struct GravityField {
  T x{}, y{}, z{};  ///< acceleration
  T potential{};
};

/// Adds the field of a mass at (dx, dy, dz) from the point, given 1 / r. 12 operations.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_mass(GravityField<T>& field, const T& dx, const T& dy,
                                          const T& dz, const T& inverse_r, const T& mass) {
  const T potential = mass * inverse_r;
  const T pull = potential * inverse_r;
  field.x = field.x + pull * (dx * inverse_r);
  field.y = field.y + pull * (dy * inverse_r);
  field.z = field.z + pull * (dz * inverse_r);
  field.potential = field.potential - potential;
}

/// Adds the field of a node's mass and quadrupole. 45 operations.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_multipole(GravityField<T>& field, const T& dx, const T& dy,
                                               const T& dz, const T& inverse_r, const T& mass,
                                               const Quadrupole& q) {
  const T inverse_r2 = inverse_r * inverse_r;
  const T ux = dx * inverse_r;
  const T uy = dy * inverse_r;
  const T uz = dz * inverse_r;
  // Qu / r^2, as large as the mass times (size / r)^2
  const T qx = (T(q.xx) * ux + T(q.xy) * uy + T(q.xz) * uz) * inverse_r2;
  const T qy = (T(q.xy) * ux + T(q.yy) * uy + T(q.yz) * uz) * inverse_r2;
  const T qz = (T(q.xz) * ux + T(q.yz) * uy + T(q.zz) * uz) * inverse_r2;
  const T half_uqu = T(Real(0.5)) * (ux * qx + uy * qy + uz * qz);
  const T pull = mass + T(Real(5)) * half_uqu;
  field.x = field.x + (pull * ux - qx) * inverse_r2;
  field.y = field.y + (pull * uy - qy) * inverse_r2;
  field.z = field.z + (pull * uz - qz) * inverse_r2;
  field.potential = field.potential - (mass + half_uqu) * inverse_r;
}

}  // namespace copse
