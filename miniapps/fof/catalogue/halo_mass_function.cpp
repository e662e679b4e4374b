#include "halo_mass_function.hpp"

#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace copse::fof {
namespace {

double bin_edge(int bin, int bins_per_decade) {
  return std::pow(10.0, static_cast<double>(bin) / bins_per_decade);
}

/// The logarithm gives the bin to within rounding; the comparison with the bin edges is final.
int bin_of(double mass, int bins_per_decade) {
  int bin = static_cast<int>(std::floor(std::log10(mass) * bins_per_decade));
  while (mass < bin_edge(bin, bins_per_decade)) --bin;
  while (mass >= bin_edge(bin + 1, bins_per_decade)) ++bin;
  return bin;
}

double mass_of(const GroupProperties& group, MassMeasure measure) {
  return measure == MassMeasure::members ? static_cast<double>(group.members) : group.mass;
}

}  // namespace

MassFunction halo_mass_function(const Catalogue& catalogue, MassMeasure measure,
                                int bins_per_decade) {
  if (bins_per_decade < 1 || bins_per_decade > most_bins_per_decade)
    throw InputError(fmt::format("a mass function has 1 to {} bins per decade, not {}",
                                 most_bins_per_decade, bins_per_decade));
  const double volume = catalogue.box.volume();
  if (!(volume > 0.0)) throw InputError("a mass function needs a box with a volume");
  MassFunction function{measure, {}};
  if (catalogue.groups.empty()) return function;

  std::vector<int> bins;
  bins.reserve(catalogue.groups.size());
  for (const GroupProperties& group : catalogue.groups)
    bins.push_back(bin_of(mass_of(group, measure), bins_per_decade));
  const auto [least, most] = std::minmax_element(bins.begin(), bins.end());
  for (int bin = *least; bin <= *most; ++bin)
    function.bins.push_back(
        {bin_edge(bin, bins_per_decade), bin_edge(bin + 1, bins_per_decade), 0, 0, 0.0});
  for (const int bin : bins) ++function.bins[static_cast<std::size_t>(bin - *least)].groups;
  Count above = 0;
  for (auto bin = function.bins.rbegin(); bin != function.bins.rend(); ++bin) {
    above += bin->groups;
    bin->groups_above = above;
    bin->per_decade = static_cast<double>(bin->groups) * bins_per_decade / volume;
  }
  return function;
}

}  // namespace copse::fof
