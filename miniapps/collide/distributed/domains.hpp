#pragma once
/// \file
/// Which rank owns which part of the region: one domain per rank, the leaves of a binary tree.
///
/// A tree of cuts serves both kinds of domains, so there is one rule of ownership: left holds the
/// coordinates up to the cut, in double precision. It gives the same answer on every rank. ORB
/// cuts are found among float coordinates; that only shifts a cut.

#include "../region.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/domains/sample_domains.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace copse::collide {

/// A cut of a cell. A child below zero is a domain: ~child is its rank.
struct DomainCut {
  double cut = 0.0;
  std::int32_t axis = 0;
  std::int32_t left = -1;   ///< x <= cut
  std::int32_t right = -1;  ///< x > cut, and NaN
};

/// Finds the owner of a position. Without cuts it is rank 0.
template <int D, class MemorySpace>
struct Owner {
  Kokkos::View<const DomainCut*, Kokkos::LayoutLeft, MemorySpace> cuts;

  KOKKOS_FORCEINLINE_FUNCTION int operator()(const Vector<D>& x) const {
    std::int32_t node = cuts.extent(0) > 0 ? 0 : -1;
    while (node >= 0) {
      const DomainCut& cut = cuts(node);
      node = x[cut.axis] <= cut.cut ? cut.left : cut.right;
    }
    return ~node;
  }
};

/// Invariant: domains are disjoint, cover the region and are numbered by rank.
template <int D>
struct Domains {
  std::vector<DomainCut> cuts;     ///< [ranks - 1], the root first
  std::vector<BoxBound<3>> boxes;  ///< [ranks] rounded to Real; flat along the third axis in 2-D
};

/// Factors of `ranks` as equal as possible, the smallest first: 6 is 2 x 3.
template <int D>
Kokkos::Array<int, D> process_grid(int ranks);

/// Equal boxes of a process grid, axis 0 fastest. O(ranks).
template <int D>
Domains<D> grid_domains(const Region<D>& region, int ranks);

/// Domains of equal numbers of particles: an ORB of a sample of all ranks' particles.
template <int D, class ExecutionSpace>
class OrbDomains {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  OrbDomains(const Communicator& comm, const ExecutionSpace& space)
      : space_(space), comm_(comm), builder_(comm, space) {}

  /// `position` are this rank's particles. Collective. The result depends on all particles and
  /// their order over ranks.
  Domains<D> cut(const Region<D>& region, const Points<3, MemorySpace>& position);

  const DistributedCost& cost() const { return builder_.cost(); }

 private:
  static constexpr Count sampled_per_rank = Count{1} << 16;

  ExecutionSpace space_;
  const Communicator& comm_;
  DistributedOrbBuilder<ExecutionSpace> builder_;
  Workspace<MemorySpace> workspace_;
};

/// May a particle in box `here` be within reach of one in box `domain`? The predicate of
/// copse/domains/ghosts.hpp.
template <int D>
struct WithinReach {
  Kokkos::Array<Real, D> side;
  bool periodic;
  double reach;  ///< widened for coordinates rounded to float
  Real reach2;

  WithinReach(const Region<D>& region, double least_reach) : periodic(region.periodic) {
    double longest = 0.0;
    for (int a = 0; a < D; ++a) {
      side[a] = static_cast<Real>(region.side[a]);
      longest = region.side[a] > longest ? region.side[a] : longest;
    }
    // Eight roundings of at most 2^-24 of the longest side, and those of the squares.
    reach = least_reach * (1.0 + 1e-5) + 1e-6 * longest;
    reach2 = static_cast<Real>(reach * reach);
  }

  KOKKOS_FUNCTION bool operator()(const BoxBound<3>& domain, const BoxBound<3>& here) const {
    Real sum = 0;
    for (int a = 0; a < D; ++a) {
      Real gap = distance(domain, here.lower[a], here.upper[a], a);
      if (periodic) {
        const Real above = distance(domain, here.lower[a] + side[a], here.upper[a] + side[a], a);
        const Real below = distance(domain, here.lower[a] - side[a], here.upper[a] - side[a], a);
        gap = above < gap ? above : gap;
        gap = below < gap ? below : gap;
      }
      sum += gap * gap;
    }
    return sum <= reach2;
  }

 private:
  KOKKOS_FUNCTION static Real distance(const BoxBound<3>& domain, Real lower, Real upper, int a) {
    const Real below = domain.lower[a] - upper, above = lower - domain.upper[a];
    const Real gap = below > above ? below : above;
    return gap > 0 ? gap : 0;  // NaN: 0; fmax would be a call of libm
  }
};

}  // namespace copse::collide
