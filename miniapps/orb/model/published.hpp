#pragma once
/// \file
/// The runtime models of [Rehmann 2022] section 4.4, equation by equation as printed.
/// docs/orb-model.md lists their errors; `traffic.hpp` is the corrected model.
///
/// Notation: s is the size of *all three* coordinates in bytes, p the number of steps of a
/// bisection (bits of a coordinate), d the number of leaves; bandwidths are in bytes per second.
/// Only counting is modelled, not the partition. Pure functions of doubles; nothing throws.

#include <copse/backend/types.hpp>
#include <copse/tree/orb_tree.hpp>

#include <cstdint>

namespace copse::orb::model {

/// s of N particles in single precision: 4 x 3 x N bytes.
constexpr double coordinate_bytes(Count particles) {
  return 12.0 * static_cast<double>(particles);
}

/// [Rehmann 2022] eq. 14, "CPU version": ceil(log2 d) p s / B_C.
constexpr double thesis_cpu(std::uint32_t leaves, double steps, double s, double host_bandwidth) {
  return orb_depth(leaves) * steps * s / host_bandwidth;
}

/// Eq. 15, "GPU counting": ceil(log d) (p s / B_G + s / I_GC). The base of the logarithm is
/// missing; its own numbers need base 2.
constexpr double thesis_gpu_counting(std::uint32_t leaves, double steps, double s,
                                     double device_bandwidth, double link_bandwidth) {
  return orb_depth(leaves) * (steps * s / device_bandwidth + s / link_bandwidth);
}

/// Eq. 16, "GPU counting and partitioning": ceil(log d) p s / B_G + s / I_GC.
constexpr double thesis_gpu_partitioning(std::uint32_t leaves, double steps, double s,
                                         double device_bandwidth, double link_bandwidth) {
  return orb_depth(leaves) * steps * s / device_bandwidth + s / link_bandwidth;
}

}  // namespace copse::orb::model
