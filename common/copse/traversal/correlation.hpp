#pragma once
/// \file
/// The two-point correlation function xi(r) from numbers of pairs: by how much pairs of a
/// separation r are more frequent than in a set without structure.
///
/// Landy and Szalay's estimator compares the data D with random points R that fill the same region
/// evenly:
///
///     xi = (DD - 2 DR + RR) / RR
///
/// with DD, DR and RR as shares of all pairs there are: of n (n - 1) / 2 for pairs within a set,
/// each counted once, of n_D n_R between the sets.
///
/// Source: Landy and Szalay, "Bias and variance of angular correlation functions", ApJ 412, 1993;
/// Poisson errors (1 + xi) / sqrt(DD) from the same. They leave out that pairs of a clustered set
/// are not independent, so of such a set they are too small, and the noise of the random points, so
/// take several times as many of these as of data.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse {

/// The edges of `bins` >= 1 bins from `least` to `most`, 0 < least < most, equally wide in their
/// logarithm.
std::vector<Real> logarithmic_edges(double least, double most, Count bins);

/// \throws InputError unless these are the edges of 1 to `max_bins` bins: at least 0, finite,
///         ascending
void check_separation_edges(const std::vector<Real>& edges, int max_bins);

/// Pairs within one set, each once, from `counts` of a set of n queries in the tree of the same n
/// points. There each pair is counted twice, and every point with itself, in the first bin if that
/// begins at separation 0.
std::vector<Count> pairs_once(std::vector<Count> counts, const std::vector<Real>& edges, Count n);

/// Pairs by bin of separation.
struct SeparationCounts {
  Count data = 0;                    ///< points of the data
  Count random = 0;                  ///< random points
  std::vector<Count> data_data;      ///< each once (pairs_once)
  std::vector<Count> data_random;    ///< each datum with each random point
  std::vector<Count> random_random;  ///< each once (pairs_once)
};

struct Correlation {
  double xi;     ///< not a number where there are no random pairs
  double error;  ///< Poisson, one standard deviation; of a bin without data pairs as if it had one
};

/// The correlation function in each bin.
/// \throws InputError if there are fewer than two data or random points, or the counts differ in
///         their number of bins
std::vector<Correlation> landy_szalay(const SeparationCounts& counts);

/// Copies of the totals, so that the queries of a GPU's packet do not all add to one address.
inline constexpr Count pair_copies = 256;

/// [copies][bins], zeroed before the walk; `pair_totals` adds the copies up.
template <class MemorySpace>
using PairTotals = Kokkos::View<Count**, Kokkos::LayoutLeft, MemorySpace>;

/// The squares of ascending `edges`, one more than there are bins, as PairCounts wants them.
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

/// The pairs of each bin, all copies added up. Waits for the walk.
template <class MemorySpace>
std::vector<Count> pair_totals(const PairTotals<MemorySpace>& totals) {
  const auto copies = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, totals);
  std::vector<Count> pairs(copies.extent(1), 0);
  for (Count b = 0; b < copies.extent(1); ++b)
    for (Count c = 0; c < copies.extent(0); ++c) pairs[b] += copies(c, b);
  return pairs;
}

}  // namespace copse
