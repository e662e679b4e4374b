#pragma once
/// \file
/// The triad of the STREAM benchmark (McCalpin 1995) with std::threads and plain arrays, without
/// Kokkos: what the suite's triad is compared with.

#include <copse/backend/types.hpp>

namespace copse::roofline {

/// Best bytes per second, two read and one written, of a = b + 3 c over three arrays of `set` bytes
/// together, by so many threads.
/// \throws std::runtime_error if a is wrong afterwards
double plain_triad(int threads, Count set, int runs);

}  // namespace copse::roofline
