#pragma once
/// \file
/// The places where tests corrupt intermediate results, to show that --verify detects the damage.

#include <copse/backend/mpi/communicator.hpp>

namespace copse::fof {

/// Called with a result on the host, and more that a test may need to corrupt it. Null in the
/// program itself; tests/miniapps/fof/sabotaged_fof.cpp sets it.
template <class Result, class... Context>
inline void (*corrupt)(const Communicator& comm, Result& result,
                       const Context&... context) = nullptr;

/// Marks a place where a result may be corrupted.
template <class Result, class... Context>
void corruptible(const Communicator& comm, Result& result, const Context&... context) {
  if (corrupt<Result, Context...>) corrupt<Result, Context...>(comm, result, context...);
}

}  // namespace copse::fof
