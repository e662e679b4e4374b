#pragma once
/// \file
/// A `ClearProblem` as a problem of fof in the memory of a backend.

#include "clear_problem.hpp"

#include <fof/problem_in.hpp>
#include <limits>

namespace copse::peers {

/// The box is not periodic, and velocities do not matter. O(n)
template <class MemorySpace>
fof::LinkProblem<MemorySpace> clear_problem_in(const ClearProblem& problem) {
  const fof::LinkingLengths links{.length = problem.length,
                                  .velocity = std::numeric_limits<double>::infinity()};
  const Box<3> isolated;
  return fof::problem_in<MemorySpace>(
      {problem.position, {}, fof::make_friendship(links, isolated)});
}

}  // namespace copse::peers
