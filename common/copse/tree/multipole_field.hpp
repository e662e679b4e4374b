#pragma once
/// \file
/// The gravity of a multipole expansion at a point, G = 1.
///
/// With d from the point to the centre of mass, r = |d| and the traceless quadrupole Q:
///   potential    -m / r - d.Qd / (2 r^5)
///   acceleration  m d / r^3 - Q d / r^5 + 5 (d.Qd) d / (2 r^7)
/// Everything is written in products and sums of a lane type T, so one text serves a number and a
/// vector of numbers. With softening, r^2 = |d|^2 + eps^2 throughout; for the quadrupole that is an
/// approximation good to O((eps / r)^2) of its own size, as usual in tree codes.

#include <copse/tree/multipoles.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Acceleration and potential at a point, summed up.
template <class T>
struct GravityField {
  T x{}, y{}, z{};  ///< acceleration
  T potential{};
};

/// Adds the field of a mass at (dx, dy, dz) from the point, given 1 / r. 10 operations.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_mass(GravityField<T>& field, const T& dx, const T& dy,
                                          const T& dz, const T& inverse_r, const T& mass) {
  const T potential = mass * inverse_r;
  const T pull = potential * inverse_r * inverse_r;
  field.x = field.x + pull * dx;
  field.y = field.y + pull * dy;
  field.z = field.z + pull * dz;
  field.potential = field.potential - potential;
}

/// Adds the field of a node's mass and quadrupole. 43 operations.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_multipole(GravityField<T>& field, const T& dx, const T& dy,
                                               const T& dz, const T& inverse_r, const T& mass,
                                               const Quadrupole& q) {
  const T inverse_r2 = inverse_r * inverse_r;
  const T inverse_r5 = inverse_r2 * inverse_r2 * inverse_r;
  const T qx = T(q.xx) * dx + T(q.xy) * dy + T(q.xz) * dz;
  const T qy = T(q.xy) * dx + T(q.yy) * dy + T(q.yz) * dz;
  const T qz = T(q.xz) * dx + T(q.yz) * dy + T(q.zz) * dz;
  const T half_dqd = T(Real(0.5)) * (dx * qx + dy * qy + dz * qz) * inverse_r5;
  const T monopole = mass * inverse_r;
  const T pull = (monopole + T(Real(5)) * half_dqd) * inverse_r2;
  field.x = field.x + pull * dx - qx * inverse_r5;
  field.y = field.y + pull * dy - qy * inverse_r5;
  field.z = field.z + pull * dz - qz * inverse_r5;
  field.potential = field.potential - monopole - half_dqd;
}

}  // namespace copse
