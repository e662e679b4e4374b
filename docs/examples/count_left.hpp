#pragma once
/// \file
/// Five versions of one kernel: how many keys are at or below a cut? ([Rehmann 2022] listing 1.)
///
/// A bisection halves the bracket of a cut with each count. Versions 1 to 4 read all keys for one
/// halving, version 5 for three. All return the same numbers.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse::book {

template <class ExecutionSpace>
using Keys = Kokkos::View<const Real*, typename ExecutionSpace::memory_space>;

/// The number of keys at or below each of seven cuts.
using SevenCounts = Kokkos::Array<Count, 7>;
using SevenCuts = Kokkos::Array<Real, 7>;

/// Version 1, on one core: a branch for every key.
Count count_left_branching(const Real* keys, Count n, Real cut);

/// Version 2, on one core: adds the result of the comparison, 0 or 1.
Count count_left_adding(const Real* keys, Count n, Real cut);

/// Version 3: version 2 on all threads of a backend.
template <class ExecutionSpace>
Count count_left_reduced(const ExecutionSpace& space, Keys<ExecutionSpace> keys, Real cut);

/// Version 4: sixteen keys are in flight before the first is used.
template <class ExecutionSpace>
Count count_left_wide(const ExecutionSpace& space, Keys<ExecutionSpace> keys, Real cut);

/// Version 5: seven cuts, evenly spaced in the bracket, in one sweep. Their counts narrow it to an
/// eighth. `cuts` must ascend.
template <class ExecutionSpace>
SevenCounts count_left_of_seven(const ExecutionSpace& space, Keys<ExecutionSpace> keys,
                                const SevenCuts& cuts);

}  // namespace copse::book
