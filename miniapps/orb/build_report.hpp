#pragma once
/// \file
/// What orb says of a tree built by one rank, and whether two builds made the same.

#include "measured_build.hpp"
#include <copse/app/session.hpp>

namespace copse {

/// Fills `results` with the leaves, their imbalance, the checksum and what the build did level by
/// level, and prints a summary.
void report_build(app::Session& session, const MeasuredBuild& run, const OrbVariant& variant);

/// Bitwise equality of tree and, if the variant repeats it, order and positions.
bool same_build(const MeasuredBuild& a, const MeasuredBuild& b, const OrbVariant& variant);

}  // namespace copse
