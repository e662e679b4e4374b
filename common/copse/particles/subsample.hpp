#pragma once
/// \file
/// Random sub-sampling: a smaller data set with the clustering of the whole.
///
/// Particles are kept at random, independent of position, so every structure is thinned equally
/// ([Wood 2014] section 5.1). The selection depends only on the id, the seed and the target: the
/// same particles are kept on every backend, for every distribution over ranks and for every order
/// of the particles. Smaller samples of one seed are subsets of larger ones.
///
/// All columns and the order of the particles are kept. `mass` and `weight` are copied, not
/// rescaled, so the total mass shrinks with the sample. Without an `id` column, row i has the id
/// `first_row + i`.

#include <copse/backend/backends.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/particles/particles.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>
#include <functional>

namespace copse {

/// Sums one number over all ranks that share a data set; every rank gets the sum.
using SumOverRanks = std::function<Count(Count)>;

/// The selection key of a particle; particles with the smallest keys are kept. For a given seed it
/// is a bijection of the id (two rounds of SplitMix64's finaliser), so distinct ids never tie.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t sampling_key(std::uint64_t seed, GlobalId id) {
  const auto mix = [](std::uint64_t z) { return split_mix(z + 0x9E3779B97F4A7C15U); };
  return mix(mix(id) ^ mix(seed));
}

/// Keeps exactly `target` particles over all ranks, those with the smallest keys. Collective over
/// the ranks behind `sum`; about log2 N counting passes over the ids and as many sums.
/// \throws InputError if the set has fewer particles, or if duplicate ids make it impossible.
template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> subsample_count(
    const ExecutionSpace& space, const Particles<typename ExecutionSpace::memory_space>& particles,
    Count target, std::uint64_t seed, const SumOverRanks& sum = [](Count n) { return n; },
    GlobalId first_row = 0);

/// The same for points in any dimension, on one rank: point i has the id i.
/// \throws InputError if there are fewer points.
template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> subsample_points(
    const ExecutionSpace& space, const Points<Dim, typename ExecutionSpace::memory_space>& points,
    Count target, std::uint64_t seed);

}  // namespace copse
