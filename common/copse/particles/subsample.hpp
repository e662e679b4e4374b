#pragma once
/// \file
/// Random sub-sampling: a smaller data set with the clustering of the whole.
///
/// Particles are kept at random without regard to where they are, so every structure is thinned
/// alike ([Wood 2014] section 5.1). Whether a particle is kept depends on its id, the seed and the
/// target alone: the same particles are kept on every backend, for every split over ranks and for
/// every order of the rows. Smaller samples of one seed are subsets of larger ones.
///
/// All columns and the order of the rows are carried over; `mass` and `weight` are copied, not
/// rescaled, so the total mass shrinks with the sample. Without an `id` column, row i has the id
/// `first_row + i`.

#include <copse/backend/backends.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/particles/particles.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>
#include <functional>

namespace copse {

/// Adds up one number over all ranks that share a data set; every rank gets the sum.
using SumOverRanks = std::function<Count(Count)>;

/// The number that decides about a particle: those with the smallest keys are kept. For a given
/// seed a bijection of the id (two rounds of SplitMix64's finaliser), so distinct ids never tie.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t sampling_key(std::uint64_t seed, GlobalId id) {
  const auto mix = [](std::uint64_t z) { return split_mix(z + 0x9E3779B97F4A7C15U); };
  return mix(mix(id) ^ mix(seed));
}

/// Keeps exactly `target` particles over all ranks, those with the smallest keys. Collective over
/// the ranks behind `sum`; about log2 N counting passes over the ids and as many sums.
/// \throws InputError if the set has fewer particles, or if repeated ids make it impossible.
template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> subsample_count(
    const ExecutionSpace& space, const Particles<typename ExecutionSpace::memory_space>& particles,
    Count target, std::uint64_t seed, const SumOverRanks& sum = [](Count n) { return n; },
    GlobalId first_row = 0);

/// The same of points in any dimension, on one rank: point i has the id i.
/// \throws InputError if there are fewer points.
template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> subsample_points(
    const ExecutionSpace& space, const Points<Dim, typename ExecutionSpace::memory_space>& points,
    Count target, std::uint64_t seed);

}  // namespace copse
