#pragma once
/// \file
/// Duration and timing of the measurements: each rate is the best of several runs, because a
/// ceiling is what the machine can do without interference.

#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace copse::roofline {

struct Effort {
  int runs = 7;              ///< timed runs, after one warm-up run
  double seconds = 5e-3;     ///< minimum duration of a timed run
  Count largest_set = 0;     ///< bytes of the largest working set; 0: beyond all caches
  int steps_per_octave = 2;  ///< working sets per doubling
};

/// Best seconds of `run(repeats)` over the runs. `run` returns when its work is queued on `space`.
template <class ExecutionSpace, class Run>
double best_seconds(const ExecutionSpace& space, int runs, int repeats, const Run& run) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i <= runs; ++i) {
    space.fence("copse::ceilings::begin");
    const Kokkos::Timer timer;
    run(repeats);
    space.fence("copse::ceilings::end");
    if (i > 0) best = std::min(best, timer.seconds());
  }
  return best;
}

/// Number of repeats for a run to last `effort.seconds`: a power of two.
template <class ExecutionSpace, class Run>
int enough_repeats(const ExecutionSpace& space, const Effort& effort, const Run& run) {
  int repeats = 1;
  while (repeats < (1 << 24) && best_seconds(space, 1, repeats, run) < effort.seconds) repeats *= 2;
  return repeats;
}

/// Throws unless the result is correct: a kernel that did not do its work has no rate.
template <class ExecutionSpace>
void require_result(bool right, const std::string& what) {
  if (!right)
    throw std::runtime_error("the measurement of " + what + " gave a wrong result on " +
                             std::string(backend_name<ExecutionSpace>()));
}

}  // namespace copse::roofline
