#pragma once
/// \file
/// The integer and floating-point types of all other headers.

#include <copse/config.hpp>

#include <cstddef>
#include <cstdint>

namespace copse {

/// Floating-point type of particle data; `float` unless built with `-DCOPSE_REAL=double`.
using Real = COPSE_REAL;

/// Index of a particle on one rank. 32 bits keep permutations at a third of the bytes of a float
/// position and still address 2^32 particles per rank.
using LocalIndex = std::uint32_t;

/// Number of particles, and offsets into particle arrays. 64 bits because sums over ranks, and a
/// rank with exactly 2^32 particles, do not fit in `LocalIndex`.
using Count = std::uint64_t;

/// Identity of a particle across all ranks and time.
using GlobalId = std::uint64_t;

/// Largest number of particles one rank may hold.
inline constexpr Count max_particles_per_rank = Count{1} << 32;

}  // namespace copse
