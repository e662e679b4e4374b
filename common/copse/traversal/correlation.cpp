#include <copse/backend/error.hpp>
#include <copse/traversal/correlation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace copse {

std::vector<Real> logarithmic_edges(double least, double most, Count bins) {
  std::vector<Real> edges(bins + 1);
  for (Count e = 0; e < bins; ++e)
    edges[e] = static_cast<Real>(
        least * std::pow(most / least, static_cast<double>(e) / static_cast<double>(bins)));
  edges[bins] = static_cast<Real>(most);
  return edges;
}

void check_separation_edges(const std::vector<Real>& edges, int max_bins) {
  if (edges.size() < 2) throw InputError("a separation bin needs two edges");
  if (edges.size() - 1 > static_cast<std::size_t>(max_bins))
    throw InputError(std::to_string(edges.size() - 1) +
                     " separation bins are more than the maximum, " + std::to_string(max_bins));
  for (std::size_t e = 0; e < edges.size(); ++e)
    // Pairs are binned by squared separation, so the squares must ascend too.
    if (!std::isfinite(edges[e] * edges[e]) || edges[e] < 0 ||
        (e > 0 && edges[e] * edges[e] <= edges[e - 1] * edges[e - 1]))
      throw InputError("separation edges must be finite, at least 0 and ascending, but edge " +
                       std::to_string(e) + " is " + std::to_string(edges[e]));
}

std::vector<Count> pairs_once(std::vector<Count> counts, const std::vector<Real>& edges, Count n) {
  if (edges.at(0) * edges.at(0) == Real(0)) counts.at(0) -= n;
  for (Count& pairs : counts) pairs /= 2;
  return counts;
}

std::vector<Correlation> landy_szalay(const SeparationCounts& counts) {
  if (counts.data < 2 || counts.random < 2)
    throw InputError("a correlation function needs at least two data points and two random points");
  const std::size_t bins = counts.random_random.size();
  if (counts.data_data.size() != bins || counts.data_random.size() != bins)
    throw InputError("pairs of data and of random points have different numbers of bins");
  const double data = static_cast<double>(counts.data);
  const double random = static_cast<double>(counts.random);
  const double all_data_data = data * (data - 1) / 2;
  const double all_random_random = random * (random - 1) / 2;
  std::vector<Correlation> correlation(bins);
  for (std::size_t b = 0; b < bins; ++b) {
    const double found = static_cast<double>(counts.data_data[b]);
    const double dd = found / all_data_data;
    const double dr = static_cast<double>(counts.data_random[b]) / (data * random);
    const double rr = static_cast<double>(counts.random_random[b]) / all_random_random;
    constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
    if (counts.random_random[b] == 0)
      correlation[b] = {undefined, undefined};
    else
      // Poisson error sqrt(DD) / (DD / (1 + xi)); DD / (1 + xi) is the pair count expected without
      // clustering.
      correlation[b] = {(dd - 2 * dr + rr) / rr,
                        std::sqrt(std::max(found, 1.0)) / (rr * all_data_data)};
  }
  return correlation;
}

}  // namespace copse
