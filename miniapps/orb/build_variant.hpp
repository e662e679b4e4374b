#pragma once
/// \file
/// Builds the ORB of any variant: the same tree, found in the way that the variant says.

#include "build_log.hpp"
#include "variant.hpp"
#include <copse/particles/points.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// What a build works on; both are replaced or reordered as by OrbBuilder::build.
template <class MemorySpace>
struct OrbRows {
  Points<3, MemorySpace> points;
  Kokkos::View<LocalIndex*, MemorySpace> permutation;
};

/// Cuts the rows into `options.leaves` cells in the memory of `ExecutionSpace`: placements `host`
/// (of a host space), `device` and `fused`. Adds one entry a level to `log` (none if fused).
/// \pre refuse_impossible accepts the variant; the partition is not Hoare's unless the space is a
///      host's
/// \throws InputError as OrbBuilder::build
template <class ExecutionSpace>
OrbTree<typename ExecutionSpace::memory_space> build_variant(
    const ExecutionSpace& space, OrbRows<typename ExecutionSpace::memory_space>& rows,
    const OrbOptions& options, const OrbVariant& variant, BuildLog& log);

/// The same for placement `count_on_device`: rows on the host, cuts found on `Device`.
template <class Device>
OrbTree<Kokkos::HostSpace> build_counting_on(const Device& device, OrbRows<Kokkos::HostSpace>& rows,
                                             const OrbOptions& options, const OrbVariant& variant,
                                             BuildLog& log);

}  // namespace copse
