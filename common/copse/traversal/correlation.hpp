#pragma once
/// \file
/// The two-point correlation function xi(r) from pair counts: the excess of pairs at separation r
/// over an unclustered set.
///
/// The Landy-Szalay estimator compares the data D with random points R that fill the same region
/// uniformly:
///
///     xi = (DD - 2 DR + RR) / RR
///
/// DD, DR and RR are normalised by the number of all pairs: n (n - 1) / 2 within a set, each pair
/// counted once, and n_D n_R between the sets.
///
/// Source: Landy and Szalay, "Bias and variance of angular correlation functions", ApJ 412, 1993,
/// also for the Poisson error (1 + xi) / sqrt(DD). This error neglects correlations between pairs,
/// so it is too small for a clustered set. It also neglects the noise of the random points: use
/// several times as many random points as data.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse {

/// The edges of `bins` >= 1 logarithmically spaced bins from `least` to `most`, 0 < least < most.
std::vector<Real> logarithmic_edges(double least, double most, Count bins);

/// \throws InputError unless `edges` are finite, ascending, at least 0 and bound 1 to `max_bins`
///         bins
void check_separation_edges(const std::vector<Real>& edges, int max_bins);

/// Converts `counts` from walking n points through their own tree to pairs counted once. The walk
/// counts each pair twice, and each point with itself in the first bin if that bin starts at 0.
std::vector<Count> pairs_once(std::vector<Count> counts, const std::vector<Real>& edges, Count n);

/// Pair counts per bin of separation.
struct SeparationCounts {
  Count data = 0;                    ///< number of data points
  Count random = 0;                  ///< number of random points
  std::vector<Count> data_data;      ///< counted once (pairs_once)
  std::vector<Count> data_random;    ///< each data point with each random point
  std::vector<Count> random_random;  ///< counted once (pairs_once)
};

struct Correlation {
  double xi;     ///< NaN if the bin has no random pairs
  double error;  ///< Poisson, one standard deviation; an empty data bin counts as one pair
};

/// The correlation function in each bin.
/// \throws InputError for fewer than two data or random points, or different numbers of bins
std::vector<Correlation> landy_szalay(const SeparationCounts& counts);

/// Copies of the totals; they spread the atomic additions of a GPU packet over several addresses.
inline constexpr Count pair_copies = 256;

/// [copies][bins], zeroed before the walk; `pair_totals` sums over the copies.
template <class MemorySpace>
using PairTotals = Kokkos::View<Count**, Kokkos::LayoutLeft, MemorySpace>;

/// The squares of the ascending `edges` (bins + 1), padded at the front with -1 as PairCounts
/// requires.
/// \throws InputError for less than one bin, more than MaxBins, or edges that are negative, not
///         finite or not ascending
template <int MaxBins>
Kokkos::Array<Real, MaxBins + 1> pair_edges2(const std::vector<Real>& edges) {
  check_separation_edges(edges, MaxBins);
  Kokkos::Array<Real, MaxBins + 1> squares;
  const std::size_t before = MaxBins + 1 - edges.size();
  for (std::size_t e = 0; e <= MaxBins; ++e)
    squares[e] = e < before ? Real(-1) : edges[e - before] * edges[e - before];
  return squares;
}

/// The pairs per bin, summed over all copies. Waits for the walk.
template <class MemorySpace>
std::vector<Count> pair_totals(const PairTotals<MemorySpace>& totals) {
  const auto copies = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, totals);
  std::vector<Count> pairs(copies.extent(1), 0);
  for (Count b = 0; b < copies.extent(1); ++b)
    for (Count c = 0; c < copies.extent(0); ++c) pairs[b] += copies(c, b);
  return pairs;
}

}  // namespace copse
