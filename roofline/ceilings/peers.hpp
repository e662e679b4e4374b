#pragma once
/// \file
/// Ceilings against independent codes: a vendor's copy on a device, a plain loop on a host.

#include "results.hpp"
#include <copse/app/verification.hpp>

namespace copse::roofline {

/// How much longer, relative to the vendor's copy, a device's copy kernel may take. Measured: 0.017
/// to 0.021 (three runs on an H200).
inline constexpr double vendor_tolerance = 0.05;
/// Largest relative difference between the rate of a host's triad and that of plain_triad.hpp.
/// Measured: 0.074 and less (one thread and all threads of an H200's host, twice, of two EPYC cores
/// and of two Xeon cores).
inline constexpr double plain_tolerance = 0.1;

/// The checks of --verify. A host's memcpy is not compared: it may write past the caches, while a
/// loop reads each line before it writes it.
void compare_with_peers(const Ceilings& ceilings, app::Verification& verification);

}  // namespace copse::roofline
