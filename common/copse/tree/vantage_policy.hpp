#pragma once
/// \file
/// The vantage-point tree as a policy of the bisection engine: the points nearer to a cell's
/// vantage point go left (Yianilos 1993).
///
/// The vantage point is one of the cell's points: of a few, the farthest from another one, because
/// a point at the edge sees the others at more different distances than one in the middle. It stays
/// with the points and so ends in a leaf like all others.

#include <copse/backend/split_mix.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/tree_level.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// A cell while the tree is built.
template <int Dim>
struct VantageCell {
  Count begin = 0;
  Count end = 0;
  Kokkos::Array<Real, Dim> vantage{};
  std::int32_t height = 0;  ///< levels below
};

template <int Dim>
struct VantagePolicy {
  using Cell = VantageCell<Dim>;
  using Value = Real;
  static constexpr bool divides_ties = true;
  /// Points looked at for a vantage point.
  static constexpr int candidates = 12;

  std::uint32_t bucket_size = 1;

  /// Squared distance to the vantage point.
  struct Key {
    const Real* data;
    Count stride;
    Kokkos::Array<Real, Dim> vantage;

    KOKKOS_FUNCTION Real operator()(Count row) const {
      Real sum = 0;
      for (int a = 0; a < Dim; ++a) {
        const Real d = data[row + stride * static_cast<Count>(a)] - vantage[a];
        sum = Kokkos::fma(d, d, sum);
      }
      return sum;
    }
  };

  KOKKOS_FUNCTION bool open(const Cell& cell) const {
    return cell.height > 0 && cell.end - cell.begin > bucket_size;
  }

  template <class PointSet>
  KOKKOS_FUNCTION void prepare(Cell& cell, std::uint32_t slot, const PointSet& points) const {
    const Count rows = cell.end - cell.begin;
    Key from{points.data(), points.stride(1), {}};
    const auto move_to = [&](Count row) {
      for (int a = 0; a < Dim; ++a) from.vantage[a] = points(row, a);
    };
    move_to(cell.begin + sample_hash(slot) % rows);
    Real farthest = -1;
    Count best = cell.begin;
    for (int i = 0; i < candidates; ++i) {
      const Count row = cell.begin + sample_hash(slot * 64 + 1 + i) % rows;
      const Real d = from(row);
      if (d > farthest) {
        farthest = d;
        best = row;
      }
    }
    move_to(best);
    cell.vantage = from.vantage;
  }

  KOKKOS_FUNCTION Count rank(const Cell& cell) const {
    const Count room = Count{bucket_size} << (cell.height - 1);
    const Count rows = cell.end - cell.begin;
    return rows < room ? rows : room;
  }

  template <class PointSet>
  KOKKOS_FUNCTION Key key(const Cell& cell, const PointSet& points) const {
    return Key{points.data(), points.stride(1), cell.vantage};
  }

  KOKKOS_FUNCTION void split(Cell& cell, const Cut<Real>&, Cell& left, Cell& right) const {
    left.height = right.height = cell.height - 1;
    left.vantage = right.vantage = {};
  }
};

}  // namespace copse
