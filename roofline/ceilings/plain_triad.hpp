#pragma once
/// \file
/// The triad of the STREAM benchmark (McCalpin 1995) with std::threads and plain arrays, without
/// Kokkos: the reference for the suite's triad.

#include <copse/backend/types.hpp>

namespace copse::roofline {

/// Best bytes per second (two reads and one write) of a = b + 3 c over three arrays of `set` bytes
/// in total, with this many threads.
/// \throws std::runtime_error if the result in a is wrong
double plain_triad(int threads, Count set, int runs);

}  // namespace copse::roofline
