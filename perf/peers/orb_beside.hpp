#pragma once
/// \file
/// orb's own build of a peer's particles, timed in the same run.

#include <copse/app/session.hpp>
#include <copse/particles/particles.hpp>

#include <cstdint>

namespace copse::peers {

/// Builds orb's tree of the particles as often as `--repeat` says (phase `orb::build`), on the host
/// and, if there are several ranks, over all of them; then reports as a figure of merit how many
/// times as long the phase `peer::build`, measured before, took: medians, on ranks of the slowest.
/// Collective. O(n log leaves) a build.
/// \returns on one rank, the fingerprint of tree and order that orb reports as its checksum; else 0
std::uint64_t build_orb_beside(app::Session& session, const Particles<Kokkos::HostSpace>& particles,
                               std::uint32_t leaves);

}  // namespace copse::peers
