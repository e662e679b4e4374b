#pragma once
/// \file
/// orb's own build of a peer's particles, timed in the same run.

#include <copse/app/session.hpp>
#include <copse/particles/particles.hpp>

#include <cstdint>

namespace copse::peers {

/// Builds orb's tree of the particles `--repeat` times (phase `orb::build`), on the host and, if
/// there are several ranks, over all of them. Then reports as a figure of merit the time of the
/// previously measured phase `peer::build` relative to it: medians, on several ranks of the slowest
/// rank. Collective. O(n log leaves) per build.
/// \returns on one rank, the checksum of tree and order that orb reports; else 0
std::uint64_t build_orb_beside(app::Session& session, const Particles<Kokkos::HostSpace>& particles,
                               std::uint32_t leaves);

}  // namespace copse::peers
