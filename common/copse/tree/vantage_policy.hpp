#pragma once
/// \file
/// The vantage-point tree as a policy of the bisection engine: the points nearer to a cell's
/// vantage point go left (Yianilos 1993).
///
/// The vantage point is one of the cell's points: the farthest of a few samples from another
/// sample, because distances from a point at the edge vary more than from one in the middle. It
/// remains an ordinary particle and ends in a leaf like all others.

#include <copse/backend/fused.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/detail/balanced_policy.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// A cell while the tree is built.
template <int Dim>
struct VantageCell : BalancedCell {
  Kokkos::Array<Real, Dim> vantage{};
};

/// Squared distance of a particle to the vantage point.
template <int Dim>
struct VantageKey {
  const Real* data;
  Count stride;
  Kokkos::Array<Real, Dim> vantage;

  KOKKOS_FUNCTION Real operator()(Count row) const {
    Real sum = 0;
    for (int a = 0; a < Dim; ++a) {
      const Real d = data[row + stride * static_cast<Count>(a)] - vantage[a];
      sum = fused(d, d, sum);
    }
    return sum;
  }
};

template <int Dim>
struct VantagePolicy : BalancedPolicy {
  using Cell = VantageCell<Dim>;
  /// Sampled candidates for the vantage point.
  static constexpr int candidates = 12;

  template <class PointSet>
  KOKKOS_FUNCTION void prepare(Cell& cell, std::uint32_t slot, const PointSet& points) const {
    const auto sampled = [&](std::uint64_t number) {
      return cell.begin + sample_hash(number) % (cell.end - cell.begin);
    };
    const auto point = [&](Count row) {
      Kokkos::Array<Real, Dim> x;
      for (int a = 0; a < Dim; ++a) x[a] = points(row, a);
      return x;
    };
    const Kokkos::Array<Real, Dim> from = point(sampled(slot));
    cell.vantage = from;
    Real farthest = -1;
    for (int i = 0; i < candidates; ++i) {
      const Kokkos::Array<Real, Dim> here = point(sampled(slot * 64 + 1 + i));
      const Real d = VantageKey<Dim>{here.data(), 1, from}(0);
      if (d > farthest) {
        farthest = d;
        cell.vantage = here;
      }
    }
  }

  template <class PointSet>
  KOKKOS_FUNCTION VantageKey<Dim> key(const Cell& cell, const PointSet& points) const {
    return VantageKey<Dim>{points.data(), points.stride(1), cell.vantage};
  }

  KOKKOS_FUNCTION void split(Cell& cell, const Cut<Real>&, Cell& left, Cell& right) const {
    left.height = right.height = cell.height - 1;
    left.vantage = right.vantage = {};
  }
};

}  // namespace copse
