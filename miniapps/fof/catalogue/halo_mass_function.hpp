#pragma once
/// \file
/// The halo mass function: how many groups there are of each mass, per volume.
///
/// Bins are equal in log10 M and lie where powers of ten do: bin k of `bins_per_decade` is
/// [10^(k / bins), 10^((k + 1) / bins)), so that mass functions of different inputs have bins in
/// common. Only bins from that of the least massive group to that of the most massive exist; those
/// between are there even if they are empty.

#include "catalogue.hpp"

#include <vector>

namespace copse::fof {

/// What a group is binned by.
enum class MassMeasure {
  members,  ///< number of particles
  mass
};

struct MassBin {
  double lower;  ///< in this bin if lower <= M < upper
  double upper;
  Count groups;        ///< in this bin
  Count groups_above;  ///< of at least `lower`
  double per_decade;   ///< dn / dlog10 M: groups per unit of volume and decade
};

struct MassFunction {
  MassMeasure measure = MassMeasure::members;
  std::vector<MassBin> bins;  ///< by increasing mass; none if there are no groups
};

inline constexpr int most_bins_per_decade = 1000;

/// The mass function of a catalogue, in the volume of its box.
/// \throws InputError if `bins_per_decade` is not in [1, most_bins_per_decade], or the box has no
///         volume
MassFunction halo_mass_function(const Catalogue& catalogue, MassMeasure measure,
                                int bins_per_decade);

}  // namespace copse::fof
