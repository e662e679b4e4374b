#pragma once
/// \file
/// What a periodic box adds to the field of the 27 near images: all other images and the
/// background, by the moments of the whole box.
///
/// With T_n the traceless moments of the box about its centre of mass, d from the target to it, and
/// c(d) the part of g(d) that is not Newtonian (ewald.hpp), the potential is
///   -(sum over n of T_n : grad^n c(d) / n!) - 2 pi / (3 L^3) sum of m s^2
/// The last term is what the traces leave: the Laplacian of g is constant between images. Ranks to
/// 4, as in PKDGRAV and ChaNGa ([Stadel 2001]).
/// The error is that of a hexadecapole at distances of 1.5 L and more, or of L if the centre
/// of mass is near a face of the box.
///
/// The correction has no structure smaller than L: a table with `cells` cells per side and cubic
/// interpolation represent it. The table is computed once for all bodies.

#include <copse/gravity/ewald.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Moments of a whole box, in double.
struct RootMoments {
  double centre[3] = {};
  double mass = 0.0;
  double square = 0.0;  ///< sum of m s^2
  /// T_n / (i! j! k!), as moment_component, for ranks 2 to 4: traceless parts of the sums of m s^n.
  double tensors[first_component(5)] = {};
};

/// The moments of n bodies: two passes over them, 16 bytes per body each.
template <class ExecutionSpace>
RootMoments root_moments(
    const ExecutionSpace& space,
    const Kokkos::View<const Monopole*, typename ExecutionSpace::memory_space>& bodies);

template <class MemorySpace>
struct PeriodicCorrection {
  static constexpr int cells = 24;               ///< per side of the box
  static constexpr int nodes = cells + 3;        ///< per side of the table: one more around the box
  using Node = Kokkos::Array<double, 4>;         ///< acceleration and potential
  Kokkos::View<const Node*, MemorySpace> table;  ///< [nodes^3], x fastest; empty: no correction
  Kokkos::Array<double, 3> lower{};              ///< corner of the box
  double side = 1.0;

  bool is_empty() const { return table.extent(0) == 0; }
};

/// Tabulates the correction of a box with these moments. 20,000 points of some 15,000 flops.
template <class ExecutionSpace>
void tabulate_correction(const ExecutionSpace& space, const RootMoments& moments, const Box<3>& box,
                         PeriodicCorrection<typename ExecutionSpace::memory_space>& into);

/// Adds the correction at `count` of the `points`, which lie in the box: the rows `rows`, or the
/// first ones if `rows` is empty. 64 nodes of 32 bytes, in cache, and some 600 flops per point;
/// asynchronous.
template <class ExecutionSpace>
void add_correction(const ExecutionSpace& space,
                    const PeriodicCorrection<typename ExecutionSpace::memory_space>& correction,
                    Count count,
                    const Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft,
                                       typename ExecutionSpace::memory_space>& rows,
                    const Points<3, typename ExecutionSpace::memory_space>& points,
                    const Points<3, typename ExecutionSpace::memory_space>& acceleration,
                    const Kokkos::View<Real*, Kokkos::LayoutLeft,
                                       typename ExecutionSpace::memory_space>& potential);

}  // namespace copse
