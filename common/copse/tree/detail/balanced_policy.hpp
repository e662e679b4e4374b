#pragma once
/// \file
/// The common part of the policies of balanced trees (bisection.hpp): kd_policy.hpp and
/// vantage_policy.hpp.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The part of a cell that is the same in every balanced tree, during the build.
struct BalancedCell {
  Count begin = 0;
  Count end = 0;
  std::int32_t height = 0;  ///< levels below
};

/// A cell is cut at the particle that fills the leaves of the left subtree. Particles with equal
/// keys are divided, so the tree is balanced for all inputs.
struct BalancedPolicy {
  using Value = Real;
  static constexpr bool divides_ties = true;

  std::uint32_t bucket_size = 1;

  KOKKOS_FUNCTION bool open(const BalancedCell& cell) const {
    return cell.height > 0 && cell.end - cell.begin > bucket_size;
  }
  /// As many rows as the left subtree can hold.
  KOKKOS_FUNCTION Count rank(const BalancedCell& cell) const {
    const Count room = Count{bucket_size} << (cell.height - 1);
    const Count rows = cell.end - cell.begin;
    return rows < room ? rows : room;
  }
};

}  // namespace copse
