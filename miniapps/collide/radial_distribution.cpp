#include "radial_distribution.hpp"

#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace copse::collide {

template <int D>
double largest_range(const Region<D>& region) {
  double shortest = region.side[0];
  for (int a = 1; a < D; ++a) shortest = std::min(shortest, region.side[a]);
  return region.periodic ? 0.5 * shortest : shortest;
}

template <int D>
double uniform_within(const Region<D>& region, double r) {
  constexpr double pi = std::numbers::pi;
  const auto& l = region.side;
  if constexpr (D == 2) {
    const double area = l[0] * l[1];
    if (region.periodic) return pi * r * r / area;
    // The density integrated over the directions: 2 pi area - 4 r (sum of sides) + 2 r^2.
    return r * r * (pi * area - r * (4.0 / 3.0 * (l[0] + l[1]) - 0.5 * r)) / (area * area);
  } else {
    const double volume = l[0] * l[1] * l[2];
    if (region.periodic) return 4.0 / 3.0 * pi * r * r * r / volume;
    const double faces = l[0] * l[1] + l[1] * l[2] + l[2] * l[0];
    const double sides = l[0] + l[1] + l[2];
    // 4 pi volume - 2 pi r faces + 8/3 r^2 sides - r^3.
    return r * r * r *
           (4.0 / 3.0 * pi * volume - r * (0.5 * pi * faces - r * (8.0 / 15.0 * sides - r / 6.0))) /
           (volume * volume);
  }
}

template <int D>
RadialDistribution radial_distribution(const Communicator& comm,
                                       const State<D, Kokkos::HostSpace>& state,
                                       const Region<D>& region, double range, Count bins) {
  RadialDistribution result;
  result.pairs.assign(bins, 0);
  for (Count b = 0; b <= bins; ++b)
    result.edges.push_back(range * static_cast<double>(b) / static_cast<double>(bins));
  // Sizes do not matter: every pair within the range counts.
  State<D, Kokkos::HostSpace> points = state;
  points.size = {};
  points.largest_size = 1.0;
  Physics<D> physics;
  physics.region = region;
  physics.force.cutoff = range;
  const auto near = find_reference_contacts(points, physics);
  Count own = 0;
  for (Count i = 0; i < state.rows(); ++i) {
    if (is_ghost(state.tag(i))) continue;
    ++own;
    for (Count k = near.offsets[i]; k < near.offsets[i + 1]; ++k) {
      const Tag j = near.partners[k];
      if (id_of(state.tag(j)) < state.tag(i)) continue;  // counted at the lower id
      double r2 = 0.0;
      for (int a = 0; a < D; ++a) {
        const double d = region.displacement(state.position(i, a), state.position(j, a), a);
        r2 += d * d;
      }
      const auto bin = static_cast<Count>(std::sqrt(r2) / range * static_cast<double>(bins));
      ++result.pairs[std::min(bin, bins - 1)];
    }
  }
  comm.allreduce(std::span(result.pairs), Reduction::sum);
  const auto n = static_cast<double>(comm.allreduce(own, Reduction::sum));
  const double all = 0.5 * n * (n - 1.0);
  for (Count b = 0; b < bins; ++b) {
    const double expected = all * (uniform_within(region, result.edges[b + 1]) -
                                   uniform_within(region, result.edges[b]));
    result.g.push_back(expected > 0.0 ? static_cast<double>(result.pairs[b]) / expected : 0.0);
  }
  return result;
}

#define COPSE_INSTANTIATE(D)                                \
  template double largest_range(const Region<D>&);          \
  template double uniform_within(const Region<D>&, double); \
  template RadialDistribution radial_distribution(          \
      const Communicator&, const State<D, Kokkos::HostSpace>&, const Region<D>&, double, Count);
COPSE_INSTANTIATE(2)
COPSE_INSTANTIATE(3)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
