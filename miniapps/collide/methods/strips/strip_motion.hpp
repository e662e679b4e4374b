#pragma once
/// \file
/// Moves the particles of a strip and keeps them sorted.

#include "strip_table.hpp"
#include <copse/backend/native_vector.hpp>

namespace copse::collide {

/// Drift of a strip whose velocities have been kicked.
template <int D>
class StripMotion {
 public:
  using Doubles = NativeVector<double>;
  static constexpr LocalIndex lanes = native_lanes<double>;

  explicit StripMotion(const Physics<D>& physics) : physics_(physics) {}

  /// Moves all rows and returns them to the region. \return for each axis the largest distance from
  /// `center`, NaN ignored; in a strip that wraps, of the nearest image on axes other than 0
  Vector<D> drift(const StripColumns<D>& c, LocalIndex rows, const Vector<D>& center,
                  bool wraps) const {
    for (LocalIndex k = rows; k < rows + lanes; ++k)  // images are no longer needed
      for (int a = 0; a < D; ++a) c.x[a][k] = std::numeric_limits<double>::quiet_NaN();
    Vector<D> distance;
    for (int a = 0; a < D; ++a) {
      distance[a] = a > 0 && wraps ? drift_axis<true>(c.x[a], c.v[a], rows, center[a], a)
                                   : drift_axis<false>(c.x[a], c.v[a], rows, center[a], a);
      // Rows may be outside only if one is further from the centre than a side.
      const double side = physics_.region.side[a];
      const double inside = std::min(center[a], side - center[a]) * (1.0 - 1e-15);
      if (distance[a] >= inside || (a > 0 && wraps)) fold(c, rows, a);
    }
    return distance;
  }

  /// Sorts rows that nearly are sorted.
  void sort(const StripColumns<D>& c, LocalIndex rows) const {
    const double* x = c.x[0];
    for (LocalIndex k = 1; k < rows; k += lanes) {
      // Padding is NaN and never less.
      if (native_bits<double>(load_native(x + k) < load_native(x + k - 1)) == 0) continue;
      for (LocalIndex l = k; l < std::min(k + lanes, rows); ++l) {
        LocalIndex to = l;
        while (to > 0 && x[to - 1] > x[l]) --to;
        if (to < l) transfer(c, l, to);
      }
    }
  }

 private:
  template <bool Wraps>
  double drift_axis(double* x, double* v, LocalIndex rows, double center, int axis) const {
    const Doubles dt(physics_.dt), zero(0.0), middle(center), side(physics_.region.side[axis]);
    Doubles furthest(0.0);
    for (LocalIndex k = 0; k < rows; k += lanes) {
      // Particles without contacts are kicked by 0, which turns a velocity of -0 into 0.
      const Doubles velocity = load_native(v + k) + zero;
      const Doubles place = load_native(x + k) + velocity * dt;
      store_native(v + k, velocity);
      store_native(x + k, place);
      Doubles distance = native_abs<double>(place - middle);
      if (Wraps) distance = native_min<double>(distance, side - distance);
      furthest = native_max<double>(distance, furthest);  // NaN is ignored
    }
    double most = 0.0;
    double parts[lanes];
    store_native(parts, furthest);
    for (const double part : parts) most = std::max(most, part);
    return most;
  }

  void fold(const StripColumns<D>& c, LocalIndex rows, int axis) const {
    const double side = physics_.region.side[axis];
    LocalIndex end = rows;
    for (LocalIndex k = 0; k < end; ++k) {
      double& x = c.x[axis][k];
      if (x >= 0.0 && x <= side) continue;
      const bool below = x < 0.0;
      physics_.region.fold(x, c.v[axis][k], axis);
      // Across the lower side of a periodic region: to the other end of the strip at once.
      if (axis == 0 && below && physics_.region.periodic && k + 1 < end) {
        transfer(c, k, rows - 1);
        --end;  // it has been folded
        --k;
      }
    }
  }

  /// Moves one row to another place; those between make room.
  void transfer(const StripColumns<D>& c, LocalIndex from, LocalIndex to) const {
    for (int a = 0; a < D; ++a) {
      shift(c.x[a], from, to);
      shift(c.v[a], from, to);
    }
    shift(c.tag, from, to);
  }
  template <class T>
  static void shift(T* column, LocalIndex from, LocalIndex to) {
    const T moved = column[from];
    if (to < from)
      std::move_backward(column + to, column + from, column + from + 1);
    else
      std::move(column + from + 1, column + to + 1, column + from);
    column[to] = moved;
  }

  Physics<D> physics_;
};

}  // namespace copse::collide
