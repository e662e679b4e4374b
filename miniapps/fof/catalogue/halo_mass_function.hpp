#pragma once
/// \file
/// The halo mass function: number of groups per mass bin and volume.
///
/// Bins are equal in log10 M and aligned with powers of ten: bin k of `bins_per_decade` is
/// [10^(k / bins), 10^((k + 1) / bins)). Mass functions of different inputs therefore share bins.
/// The bins run from that of the least massive group to that of the most massive one, empty bins
/// between them included.

#include "catalogue.hpp"

#include <vector>

namespace copse::fof {

/// The quantity used for binning.
enum class MassMeasure {
  members,  ///< number of particles
  mass
};

struct MassBin {
  double lower;  ///< the bin holds lower <= M < upper
  double upper;
  Count groups;        ///< in this bin
  Count groups_above;  ///< groups with M >= `lower`
  double per_decade;   ///< dn / dlog10 M: groups per unit volume and decade
};

struct MassFunction {
  MassMeasure measure = MassMeasure::members;
  std::vector<MassBin> bins;  ///< by increasing mass; empty if there are no groups
};

inline constexpr int most_bins_per_decade = 1000;

/// The mass function of a catalogue, in the volume of its box.
/// \throws InputError if `bins_per_decade` is not in [1, most_bins_per_decade], or the box has no
///         volume
MassFunction halo_mass_function(const Catalogue& catalogue, MassMeasure measure,
                                int bins_per_decade);

}  // namespace copse::fof
